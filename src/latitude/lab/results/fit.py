"""Result of `latitude fit`. Times are ns."""

from typing import Annotated, Literal

from msgspec import Meta

from latitude._types import Count, Floats, Nanoseconds, Share, Unbounded
from latitude.files.provenance import Provenance
from latitude.files.text import csv_text
from latitude.notices.notice import Notice
from latitude.results.declared import Hidden, Part, Result
from latitude.units.columns import CODE, TIME, column, number, time

Criterion = Literal["bic", "aic", "ks", "sse"]
AS_GOOD = 2.0
"""Largest difference of AIC or BIC that does not count."""
REJECTED = 0.05


class BootstrapP(Part, frozen=True, kw_only=True):
    """Goodness of a fit by a parametric bootstrap.

    `p` is the share of the fit's own samples that are as far from their refit as the data are from
    the fit, or further.
    """

    p: Annotated[Share, column("p", number(".2g"))]
    resamples: Count


class FittedDistribution(Part, frozen=True, kw_only=True):
    """One distribution with its most likely parameters."""

    name: Annotated[str, column("distribution", CODE)]
    """SciPy's name."""
    distribution: str
    """The distribution in words, as --latency, --flow and --distribution read it."""
    parameters: dict[str, float]
    """Shapes, then loc and scale (ns)."""
    log_likelihood: Unbounded
    """Log-likelihood of densities per ns."""
    aic: Unbounded
    bic: Unbounded
    ks: Annotated[Unbounded, column("KS", number(".4f"))]
    """Largest distance between the distribution functions."""
    finished: bool
    """Whether the search finished; false means it stopped at the budget, with the best parameters
    so far."""
    seconds: Annotated[float, Meta(ge=0)]
    """CPU time, s."""
    same_as: str | None = None
    """A better ranked family with the same curve."""
    p_value: BootstrapP | None = None
    sse_per_us2: Annotated[Unbounded, column("SSE", number(".3g"))]
    """Sum of squared errors against a histogram of 100 equal bins, with densities per µs, as in
    Salimi Beni & Cosenza."""

    def criterion(self, name: Criterion) -> float:
        """The fit's value of a criterion; smaller is better."""
        return {"aic": self.aic, "bic": self.bic, "ks": self.ks, "sse": self.sse_per_us2}[name]

    @property
    def rejected(self) -> bool | None:
        """Whether the bootstrap rejects the fit; None without a bootstrap."""
        return None if self.p_value is None else self.p_value.p < REJECTED


class FitFailure(Part, frozen=True, kw_only=True):
    """A distribution that could not be fitted."""

    name: Annotated[str, column("distribution", CODE)]
    kind: Annotated[Literal["timeout", "exception", "not-finite"], column("kind")]
    reason: Annotated[str, column("reason")]


class SampleFigures(Part, frozen=True, kw_only=True):
    """Summary figures of the samples."""

    count: Count
    fitted: Count
    """Samples to which the distributions were fitted."""
    least_ns: Nanoseconds
    mean_ns: Nanoseconds
    sd_ns: Nanoseconds
    median_ns: Nanoseconds
    p99_ns: Nanoseconds
    p999_ns: Nanoseconds
    most_ns: Nanoseconds


class TableFigures(Part, frozen=True, kw_only=True):
    """Summary figures of a table's own 4,096 values."""

    mean_ns: Nanoseconds
    sd_ns: Annotated[Nanoseconds, column("sd of its table", TIME)]
    p999_ns: Annotated[Nanoseconds, column("p99.9 of its table", TIME)]


class FamilyMember(Part, frozen=True, kw_only=True):
    """One of the distributions of equal mean (Underwood et al., ICPE'18, §5.3)."""

    name: str
    """constant, lognormal-25 … lognormal-100: per cent of the fitted scale."""
    distribution: str
    """The distribution in words."""
    mean_ns: Annotated[Nanoseconds, column("mean", time(6))]
    sd_ns: Annotated[Nanoseconds, column("sd", TIME)]
    table: TableFigures

    @property
    def in_words(self) -> Annotated[str, column("distribution")]:
        """`lognormal-25` → `lognormal, 25 % of the scale`."""
        kind, _, share = self.name.partition("-")
        return f"{kind}, {share} % of the scale" if share else kind


class FitResult(Result, frozen=True, kw_only=True):
    """Result of `latitude fit`.

    Keys that end in _ns are times in ns. null represents numbers that are not finite or do not
    exist.
    """

    SCHEMA = "latitude.fit/1"

    provenance: Provenance
    samples: SampleFigures
    ranked_by: Criterion
    budget_s: Annotated[float, Meta(ge=0)]
    """CPU time for each distribution, s."""
    seed: Count
    fits: list[FittedDistribution]
    """Fits, best first."""
    failures: list[FitFailure]
    lognormal: FittedDistribution
    """The lognormal with a location of at least 0, from which the family is made."""
    family: list[FamilyMember]
    warnings: list[Notice]
    chosen: Annotated[Floats, Hidden]
    """The fitted samples, in rising order."""

    def equals(self) -> list[FittedDistribution]:
        """Finished fits that the ranking cannot tell from the best finished fit, by rank.

        A difference of AIC or BIC up to 2 does not count (Burnham, Anderson 2002, §2.6; Kass,
        Raftery 1995, §3.2). By other criteria, the result is the first fit alone.
        """
        finished = [fit for fit in self.fits if fit.finished] or self.fits
        if self.ranked_by not in ("aic", "bic"):
            return finished[:1]
        values = [fit.criterion(self.ranked_by) for fit in finished]
        return [
            fit for fit, value in zip(finished, values, strict=True) if value <= values[0] + AS_GOOD
        ]

    def best(self) -> FittedDistribution | None:
        """The simplest of `equals`: the one with the fewest parameters, then by rank."""
        return min(self.equals(), key=lambda fit: len(fit.parameters), default=None)

    def winners(self, count: int) -> list[FittedDistribution]:
        """The best fit, then others by rank; a curve with several names counts once."""
        best = self.best()
        others = [fit for fit in self.fits if fit.same_as is None and fit is not best]
        if best is not None:
            others = [fit for fit in others if best.same_as != fit.name]
        return ([best] if best else []) + others[: count - 1]

    def named(self, name: str) -> FittedDistribution | None:
        """The fit of the distribution with this name; None without such a fit."""
        return next((fit for fit in self.fits if fit.name == name), None)

    def to_csv(self) -> str:
        """One row per fit, best first."""
        head = ("rank", "name", "distribution", "log_likelihood", "aic", "bic", "ks", "sse_per_us2")
        rows = (
            (
                *(rank, fit.name, fit.distribution, fit.log_likelihood, fit.aic, fit.bic, fit.ks),
                *(fit.sse_per_us2, p.p if p else "", p.resamples if p else "", fit.finished),
                fit.same_as or "",
            )
            for rank, fit in enumerate(self.fits, 1)
            for p in (fit.p_value,)
        )
        return csv_text((*head, "p", "resamples", "finished", "same_as"), rows)
