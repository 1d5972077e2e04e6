"""Does a value change with the order in which groups were measured?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from latitude._types import Floats, Unbounded
from latitude.statistics.conventions import CONFIDENCE


@dataclass(frozen=True, slots=True)
class Drift:
    """Change of log value from the first place to the last, groups' own means taken out."""

    factor: float
    low: float
    high: float
    """95 % interval."""
    p: Unbounded
    """Two-sided, against 1."""
    n: int


def drift(places: Sequence[Floats], values: Sequence[Floats]) -> Drift | None:
    """A common slope of log value against place within groups; None when nothing can be told.

    Each group keeps a mean of its own (the within estimator of a fixed-effects regression); n −
    groups − 1 degrees of freedom. Assumes independent residuals of equal relative spread, and
    positive values.
    """
    held = [(x, np.log(y)) for x, y in zip(places, values, strict=True) if x.size > 1]
    if not held:
        return None
    x = np.concatenate([place - place.mean() for place, _ in held])
    y = np.concatenate([log - log.mean() for _, log in held])
    square, free = float(x @ x), x.size - len(held) - 1
    if square == 0 or free < 1:
        return None
    slope = float(x @ y) / square
    error = math.sqrt(float(np.square(y - slope * x).sum()) / free / square)
    everything = np.concatenate(list(places))
    span = float(np.ptp(everything))
    half = float(scipy.stats.t.ppf(0.5 + CONFIDENCE / 2, free)) * error
    return Drift(
        math.exp(slope * span),
        math.exp((slope - half) * span),
        math.exp((slope + half) * span),
        float(2 * scipy.stats.t.sf(abs(slope) / error, free)) if error > 0 else math.nan,
        x.size,
    )
