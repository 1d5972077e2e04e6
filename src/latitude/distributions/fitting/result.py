"""What fitting found. Times are ns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude.distributions.names import in_words
from latitude.distributions.table import Figures
from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice

Floats = NDArray[np.float64]

AS_GOOD = 2.0
"""Differences of AIC or BIC up to here are none."""


@dataclass(frozen=True, slots=True)
class PValue:
    """Parametric bootstrap: how often samples of the fit itself lie further from their refit."""

    p: float
    resamples: int


@dataclass(frozen=True, slots=True)
class Fit:
    """One distribution with its most likely parameters."""

    name: str
    """SciPy's."""
    parameters: dict[str, float]
    """Shapes, then loc and scale (ns)."""
    log_likelihood: float
    """Of densities per ns."""
    aic: float
    bic: float
    ks: float
    """Largest distance between the distribution functions."""
    sse: float
    """Against a histogram of 100 equal bins, densities per µs, as [B] §4."""
    finished: bool
    """False when the search was stopped at the budget: its parameters are the best seen."""
    seconds: float
    """CPU time it took."""
    same_as: str | None = None
    """A better ranked family that is this very curve."""
    p_value: PValue | None = None

    def in_words(self) -> str:
        """What `parse_distribution` reads."""
        return in_words(self.name, self.parameters)


@dataclass(frozen=True, slots=True)
class Failure:
    """A distribution that could not be fitted."""

    name: str
    kind: str
    """timeout, exception or not-finite."""
    reason: str


@dataclass(frozen=True, slots=True)
class SampleInfo:
    """The samples in figures, ns."""

    count: int
    fitted: int
    """Of these the distributions were fitted to."""
    least: float
    mean: float
    sd: float
    median: float
    p99: float
    p999: float
    most: float


@dataclass(frozen=True, slots=True)
class Member:
    """One of the family of distributions with equal means ([U] §5.3)."""

    name: str
    """`constant`, `lognormal-25` … `lognormal-100`: per cent of the fitted scale."""
    distribution: str
    """What `parse_distribution` reads."""
    mean: float
    sd: float
    table: Figures
    """Of its table."""


@dataclass(frozen=True, slots=True, eq=False)
class FitResult:
    """The result of `fit_samples`."""

    provenance: Provenance
    samples: SampleInfo
    chosen: Floats
    """The samples that were fitted, rising."""
    ranked_by: str
    budget_s: float
    seed: int
    fits: list[Fit]
    """Best first."""
    failures: list[Failure]
    lognormal: Fit
    """[U] §5.3's: shape, location not below 0, scale."""
    family: list[Member]
    warnings: list[Notice]

    def equals(self) -> list[Fit]:
        """Finished fits that the ranking cannot tell from the first, in its order.

        A difference of AIC or BIC up to 2 is none (Burnham, Anderson 2002, §2.6; Kass, Raftery
        1995, §3.2); by other criteria the first stands alone.
        """
        finished = [fit for fit in self.fits if fit.finished] or self.fits
        if self.ranked_by not in ("aic", "bic"):
            return finished[:1]
        values = [float(getattr(fit, self.ranked_by)) for fit in finished]
        return [
            f for f, value in zip(finished, values, strict=True) if value <= values[0] + AS_GOOD
        ]

    def best(self) -> Fit | None:
        """The simplest of those: fewest parameters, then the ranking."""
        return min(self.equals(), key=lambda fit: len(fit.parameters), default=None)

    def winners(self, count: int) -> list[Fit]:
        """The best, then by rank; a curve that goes by several names counts once."""
        best = self.best()
        others = [fit for fit in self.fits if fit.same_as is None and fit is not best]
        if best is not None:
            others = [fit for fit in others if best.same_as != fit.name]
        return ([best] if best else []) + others[: count - 1]

    def named(self, name: str) -> Fit | None:
        """The fit of this family."""
        return next((fit for fit in self.fits if fit.name == name), None)
