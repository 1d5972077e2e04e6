"""Latency samples: reading them from many tools' files, keeping them, summing them up."""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from latitude.samples.reading import iter_samples, read_samples
    from latitude.samples.sketch import Sketch
    from latitude.samples.store import SampleStore
    from latitude.samples.summary import Moments, Summary, summarise
else:
    __getattr__, __dir__, _ = lazy_loader.attach(
        __name__,
        submod_attrs={
            "reading": ["iter_samples", "read_samples"],
            "sketch": ["Sketch"],
            "store": ["SampleStore"],
            "summary": ["Moments", "Summary", "summarise"],
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
