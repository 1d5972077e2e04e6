"""Spread, skewness and tail weight by L-moments, which single large values hardly affect."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from latitude._types import Floats
from latitude.statistics.conventions import Assumption
from latitude.statistics.sample import Sample
from latitude.statistics.statistic import Statistic
from latitude.units.columns import column, number


@dataclass(frozen=True, slots=True)
class LMoments(Statistic):
    """Ratios of L-moments: 0.5, 1/3 and 1/6 for exponential latencies, whatever their unit."""

    ASSUMPTION: ClassVar = Assumption(
        "L-moments",
        "unbiased sample L-moments (Hosking 1990); the mean exists, no higher moment is needed",
        "the mean is not finite (α ≤ 1), or samples follow one another closely",
    )
    ABSENT: ClassVar = "No L-moments: all samples are equal."

    l_cv: float
    """λ₂/λ₁, half the mean difference of two samples over the mean: 0 to 1."""
    l_skewness: Annotated[float, column("L-skew", number(".3f"))]
    """λ₃/λ₂: 0 for a symmetric distribution, towards 1 for a long tail to the right."""
    l_kurtosis: Annotated[float, column("L-kurt", number(".3f"))]
    """λ₄/λ₂: 0 for the uniform, 0.123 for the normal, larger for heavier tails."""

    @classmethod
    def of(cls, sample: Sample) -> "LMoments | None":
        """L-moments of the kept samples; None for a constant sample."""
        if sample.constant:
            return None
        first, second, third, fourth = l_moments(sample.kept)
        return cls(second / first, third / second, fourth / second)

    def sentence(self) -> str:
        """A sentence with the three ratios."""
        return (
            f"L-moments: L-CV {self.l_cv:.3f}, L-skewness {self.l_skewness:.3f}, L-kurtosis "
            f"{self.l_kurtosis:.3f} (exponential latencies have 0.500, 0.333, 0.167)."
        )


def l_moments(ordered: Floats) -> tuple[float, float, float, float]:
    """λ₁ … λ₄ of at least 4 values in ascending order, in their unit.

    Unbiased, by probability-weighted moments b_r = mean of x_j · C(j−1, r)/C(n−1, r) (J. R. M.
    Hosking, JRSS B 52, 1990, §3). SciPy has them from version 1.15 on.
    """
    n = ordered.size
    weight = np.ones(n)
    b = [float(ordered.mean())]
    for r in range(1, 4):
        weight = weight * (np.arange(n) - r + 1) / (n - r)
        b.append(float((weight * ordered).mean()))
    return (
        b[0],
        2 * b[1] - b[0],
        6 * b[2] - 6 * b[1] + b[0],
        20 * b[3] - 30 * b[2] + 12 * b[1] - b[0],
    )
