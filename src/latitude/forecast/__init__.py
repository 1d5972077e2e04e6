"""The distribution of runtime under random latency (docs/commands/forecast.md)."""

from latitude.forecast.forecast import forecast
from latitude.forecast.question import Question
from latitude.forecast.random import Random
from latitude.forecast.result import Forecast
from latitude.forecast.source import Source, parse_latency, parse_noise

__all__ = ["Forecast", "Question", "Random", "Source", "forecast", "parse_latency", "parse_noise"]
