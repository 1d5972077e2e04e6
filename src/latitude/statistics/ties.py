"""Equal latencies come from a clock's ticks, not from the network."""

import numpy as np

from latitude._types import Floats


def resolution(ordered: Floats) -> float:
    """Smallest distance between different values in ascending order, ns; 0 when all are equal."""
    gaps = np.diff(ordered)
    gaps = gaps[gaps > 0]
    return float(gaps.min()) if gaps.size else 0.0


def tied_share(ordered: Floats) -> float:
    """Share of the samples in ascending order that equal the one before."""
    return float(np.mean(np.diff(ordered) == 0)) if ordered.size > 1 else 0.0


def spread(ordered: Floats) -> Floats:
    """Equal values evenly over the tick they stand for, so that all values differ.

    A tick reaches half the clock's resolution to each side. Values stay in order; values without
    an equal stay where they are.
    """
    tick = resolution(ordered)
    if tick == 0 or tied_share(ordered) == 0:
        return ordered
    first = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > 0]))
    count = np.diff(np.append(first, ordered.size))
    within = np.arange(ordered.size) - np.repeat(first, count)
    size = np.repeat(count, count)
    moved: Floats = ordered + tick * ((within + 0.5) / size - 0.5)
    return moved
