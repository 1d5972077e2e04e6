"""Forecasts at submission: the probability of the long tail, and the latencies to expect."""

from latitude.lab.cluster.advice.advice import advise
from latitude.lab.cluster.advice.expected import Expected, expected_latency

__all__ = ["Expected", "advise", "expected_latency"]
