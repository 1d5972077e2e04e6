"""At submission: will this run land in the long tail, and what latencies are to be expected?"""

from latitude.lab.cluster.advice.advice import advise
from latitude.lab.cluster.advice.expected import Expected, expected_latency

__all__ = ["Expected", "advise", "expected_latency"]
