"""At submission: will this run land in the long tail, and what latencies are to be expected?"""

from latitude.background.forecast.advice import Advice, advise
from latitude.background.forecast.expected import Expected, expected_latency
from latitude.background.forecast.question import Question

__all__ = ["Advice", "Expected", "Question", "advise", "expected_latency"]
