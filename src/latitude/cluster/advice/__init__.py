"""At submission: will this run land in the long tail, and what latencies are to be expected?"""

from latitude.cluster.advice.advice import Advice, advise
from latitude.cluster.advice.expected import Expected, expected_latency
from latitude.cluster.advice.question import Question

__all__ = ["Advice", "Expected", "Question", "advise", "expected_latency"]
