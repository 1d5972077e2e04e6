"""Latency samples: reading them from many tools' files, keeping them, summing them up."""

from typing import TYPE_CHECKING

from latitude import lazily

if TYPE_CHECKING:
    from latitude.samples.reading import iter_samples, read_samples
    from latitude.samples.sketch import Sketch
    from latitude.samples.store import SampleStore
    from latitude.samples.summary import Moments, Summary, summarise
else:
    __getattr__ = lazily.names(
        __name__,
        {
            "iter_samples": "reading",
            "read_samples": "reading",
            "Sketch": "sketch",
            "SampleStore": "store",
            "Moments": "summary",
            "Summary": "summary",
            "summarise": "summary",
        },
    )

__all__ = [
    "Moments",
    "SampleStore",
    "Sketch",
    "Summary",
    "iter_samples",
    "read_samples",
    "summarise",
]
