"""Latency samples: reading them from many tools' files, keeping them, summing them up."""

from latitude.samples.reading import iter_samples, read_samples
from latitude.samples.sketch import Sketch
from latitude.samples.store import SampleStore
from latitude.samples.summary import Moments, Summary, summarise

__all__ = [
    "Moments",
    "SampleStore",
    "Sketch",
    "Summary",
    "iter_samples",
    "read_samples",
    "summarise",
]
