"""The distribution of runtime under random latency (docs/commands/forecast.md)."""

from latitude.random.forecast.forecast import forecast
from latitude.random.forecast.question import Question
from latitude.random.forecast.random import Random
from latitude.random.forecast.source import (
    LatencySource,
    NoiseSource,
    parse_latency,
    parse_noise,
)

__all__ = [
    "LatencySource",
    "NoiseSource",
    "Question",
    "Random",
    "forecast",
    "parse_latency",
    "parse_noise",
]
