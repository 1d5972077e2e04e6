"""Correction of p-values when several tests are shown together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import scipy

from latitude._types import Share
from latitude.statistics.conventions import Assumption
from latitude.units.columns import P_VALUE, column

SIGNIFICANT = 0.05
"""Limit below which a p-value is significant."""
CORRECTION = Assumption(
    "several tests",
    "Holm keeps the chance of any false alarm under 5 %, Benjamini–Hochberg the share of false "
    "alarms among the alarms",
    "only some of the tests made are shown",
)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A p-value with its corrections over all tests of its kind that are shown."""

    p: Annotated[Share, column("p", P_VALUE)]
    holm: Annotated[Share, column("p (Holm)", P_VALUE)]
    """Corrected by Holm, over all tests of its kind."""
    bh: Annotated[Share, column("p (BH)", P_VALUE)]
    """Corrected by Benjamini and Hochberg."""

    @classmethod
    def alone(cls, p: float) -> "Corrected":
        """The p-value of the only test of its kind."""
        return cls(p, p, p)


def corrected(p: Sequence[float]) -> list[Corrected]:
    """Each p-value with both corrections."""
    return [Corrected(*each) for each in zip(p, holm(p), benjamini_hochberg(p), strict=True)]


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down (Scandinavian Journal of Statistics 6, 1979).

    Keeps the chance of any false alarm below the level, for any dependence of the tests.
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factor = values.size - np.arange(values.size)
    adjusted = np.minimum(np.maximum.accumulate(values[order] * factor), 1.0)
    result = np.empty_like(values)
    result[order] = adjusted
    return [float(x) for x in result]


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini & Hochberg's step-up (JRSS B 57, 1995).

    Keeps the expected share of false alarms among all alarms below the level, for independent or
    positively dependent tests.
    """
    if not p:
        return []
    return [float(x) for x in scipy.stats.false_discovery_control(np.asarray(p), method="bh")]
