"""Samples of one message size; sizes are never pooled, because their latencies differ."""

from collections.abc import Iterator
from pathlib import Path

from latitude._core import InputError
from latitude._types import Floats
from latitude.samples.columns import LATENCY
from latitude.samples.reading import iter_samples

SIZE = "bytes"
"""The label for the message size."""


def of_one_size(
    path: Path, *, unit: str | None = None, size: int | None = None
) -> Iterator[Floats]:
    """The latencies in a file or a store, ns, in pieces.

    Args:
        path: the file or store.
        unit: unit of a file that does not state one.
        size: bytes of the messages whose samples count; None if the file has one size.

    Raises:
        InputError: the file has several sizes, or lacks the requested size; and as in
            `iter_samples`.
    """
    seen: set[int] = set()
    found = False
    for frame in iter_samples(path, unit=unit, columns=(SIZE,)):
        if SIZE in frame.columns:
            seen.update(map(int, frame[SIZE].dropna().unique()))
        if size is None and len(seen) > 1:
            first, second, *_ = sorted(seen)
            raise InputError(
                f"{path}: samples of several message sizes ({first:,} B and {second:,} B among "
                f"them) are not one distribution; choose a size: --size {first}B"
            )
        values = frame[LATENCY].to_numpy(dtype=float)
        if size is not None:
            sized = SIZE in frame.columns
            values = values[frame[SIZE].to_numpy() == size] if sized else values[:0]
        found |= values.size > 0
        yield values
    if not found:
        sizes = ", ".join(f"{each:,} B" for each in sorted(seen)) or "the file states no sizes"
        raise InputError(f"{path}: no samples of messages of {size:,} B in it; it has {sizes}")
