"""Hill's estimate of the tail index, which tells how fast the tail falls."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import scipy

from latitude._types import Count, Floats, Nanoseconds
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.statistics.conventions import CONFIDENCE, Assumption
from latitude.statistics.sample import Sample
from latitude.statistics.statistic import Statistic
from latitude.units.columns import column, number
from latitude.units.quantities import format_time

LEAST_TAIL = 10
"""Fewest values in a tail for an estimate of its shape."""
LEAST_SAMPLES = 40
"""Number of samples for which `tail_size` reaches LEAST_TAIL."""
MOST_TAIL = 16_000
"""Largest number of values in the tail; a stream keeps twice as many of its largest values."""
_NO_VARIANCE, _LIGHT = 2, 4
"""Largest tail index without a variance, and least with a fourth moment, for a Pareto tail."""


@dataclass(frozen=True, slots=True)
class TailIndex(Statistic):
    """α of a tail P(X > x) ∝ x^−α with its 95 % interval; a smaller α is a heavier tail.

    The variance is infinite for α ≤ 2, and the mean for α ≤ 1. The interval is exact if the k
    largest values beyond the threshold are Pareto; see `settled`.
    """

    ASSUMPTION: ClassVar = Assumption(
        "tail index α (Hill)",
        "the k = n^(2/3)/ln ln n largest samples are Pareto beyond a threshold",
        "α from half or twice as many samples falls outside the interval: the tail is then no "
        "power law there; α also depends on where the zero of time is",
    )
    ABSENT: ClassVar = "No tail index: under 40 samples, or too many equal values in the tail."

    alpha: Annotated[float, column("α", number(".2f"))]
    low: float
    high: float
    k: Count
    """Number of the largest samples that give the estimate."""
    threshold_ns: Nanoseconds
    """Latency above which these samples lie, ns."""
    half_k: float
    """α from the k/2 largest samples."""
    double_k: float
    """α from the 2k largest samples."""
    settled: bool
    """Whether `half_k` and `double_k` lie in the interval; otherwise the tail is not yet a power
    law.
    """

    @classmethod
    def of(cls, sample: Sample) -> "TailIndex | None":
        """The tail index from the n^(2/3)/ln ln n largest values of the sample."""
        return tail_index(sample.top, sample.n)

    def sentence(self) -> str:
        """A sentence with α, its interval, and a description of such a tail."""
        weight = (
            "the mean is not finite"
            if self.high <= 1
            else "the variance is not finite"
            if self.high <= _NO_VARIANCE
            else "a heavy tail"
            if self.alpha < _LIGHT
            else "a light tail"
        )
        settled = "" if self.settled else "; not settled, read it as the steepness there"
        return (
            f"Tail index α = {self.alpha:.2f} ({self.low:.2f} – {self.high:.2f}) from the "
            f"{self.k:,} largest samples, over {format_time(self.threshold_ns)}: {weight}{settled}."
        )

    def card(self) -> tuple[str, str, str]:
        """α, for a card."""
        return "tail index α", f"{self.alpha:.2f}", "smaller is heavier"

    def notices(self, sample: Sample) -> list[Notice]:  # noqa: ARG002 - the fields suffice
        """Warns if the tail is not a power law."""
        if self.settled:
            return []
        return [
            kinds.TAIL_NOT_SETTLED(
                f"the tail is not a power law: α is {self.half_k:.2f} from "
                f"the {self.k // 2:,} largest samples and {self.double_k:.2f} from the "
                f"{2 * self.k:,} largest"
            )
        ]


def tail_size(n: int) -> int:
    """Number of values in the tail, n^(2/3)/ln ln n, at most MOST_TAIL; 0 for small samples.

    The formula is that of Loretan & Phillips (J. Empirical Finance 1, 1994).
    """
    if n < LEAST_SAMPLES:
        return 0
    return min(int(n ** (2 / 3) / math.log(math.log(n))), MOST_TAIL)


def tail_index(ordered: Floats, n: int) -> TailIndex | None:
    """Hill (Annals of Statistics 3, 1975) on latencies in ascending order, ns.

    α = k / Σ ln(X(n−i+1)/X(n−k)), i = 1 … k; 2k·(true α)/α̂ is χ² with 2k degrees of freedom for a
    Pareto tail. `ordered` may be only the largest of `n` samples. None if there are too few
    samples, all values of the tail are equal, or its threshold is 0 ns.
    """
    size = tail_size(n)
    if size < LEAST_TAIL or 2 * size >= ordered.size or ordered[-size - 1] <= 0:
        return None
    alpha = _alpha(ordered, size)
    if not math.isfinite(alpha):
        return None
    tail = (1 - CONFIDENCE) / 2
    low, high = (
        float(scipy.stats.chi2.ppf(q, 2 * size)) * alpha / (2 * size) for q in (tail, 1 - tail)
    )
    half, double = _alpha(ordered, size // 2), _alpha(ordered, 2 * size)
    settled = all(low <= other <= high for other in (half, double))
    return TailIndex(alpha, low, high, size, float(ordered[-size - 1]), half, double, settled)


def _alpha(ordered: Floats, k: int) -> float:
    threshold = ordered[-k - 1]
    if threshold <= 0:
        return math.inf
    excess = float(np.mean(np.log(ordered[-k:] / threshold)))
    return 1 / excess if excess > 0 else math.inf


def hill_curve(ordered: Floats, sizes: Sequence[int]) -> list[tuple[int, float]]:
    """(k, α) for each k that the sample allows: the Hill plot."""
    found = ((k, _alpha(ordered, k)) for k in sizes if 1 < k < ordered.size)
    return [(k, alpha) for k, alpha in found if math.isfinite(alpha)]
