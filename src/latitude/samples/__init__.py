"""Latency samples: reading them from many tools' files, keeping them, what is in them."""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from latitude.samples.reading import iter_samples, read_samples
    from latitude.samples.store import SampleStore
else:
    __getattr__, __dir__, _ = lazy_loader.attach(
        __name__,
        submod_attrs={
            "reading": ["iter_samples", "read_samples"],
            "store": ["SampleStore"],
        },
    )

__all__ = [
    "SampleStore",
    "iter_samples",
    "read_samples",
]
