"""Results of `latitude stats`: tails, comparisons and correlations of measured latencies."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_type_hints

from msgspec import Meta

from latitude._types import Count, Floats, Nanoseconds, Share
from latitude.files.provenance import Provenance, Stamp
from latitude.files.text import csv_text
from latitude.lab.statistics.correlation import Correlation
from latitude.lab.statistics.correlation_difference import Dependent, FisherTest, Unknown
from latitude.lab.statistics.density import Density
from latitude.lab.statistics.l_moments import LMoments
from latitude.lab.statistics.long_tail import LongTail
from latitude.lab.statistics.modes import Modes
from latitude.lab.statistics.tail_index import TailIndex
from latitude.lab.statistics.two_sample_distance import DistributionDistance
from latitude.notices.notice import Notice
from latitude.results.declared import Hidden, Part, Result
from latitude.statistics.conventions import Assumption
from latitude.statistics.corrections import Corrected
from latitude.statistics.percentiles import Percentile
from latitude.statistics.rank_test import RankTest
from latitude.statistics.regression import Line
from latitude.statistics.statistic import PairTest, Statistic
from latitude.units.columns import COUNT, P_VALUE, TIME, column, number

Confidence = Annotated[float, Meta(ge=0)]


class Curves(Part, frozen=True, kw_only=True):
    """Curves of a sample for charts; times are ns."""

    at_ns: Annotated[Floats, column("latency", TIME)]
    below: Floats
    """Share of samples that do not exceed each latency."""
    density: Density | None
    """Density; None for a constant sample."""
    hill: list[tuple[int, float]]
    """Hill plot: pairs (k, α)."""


class SampleTail(Part, frozen=True, kw_only=True):
    """One group of samples. Fields of type `Statistic` describe the shape of its distribution."""

    name: Annotated[str, column("group")]
    n: Annotated[Count, column("n", COUNT)]
    mean_ns: Annotated[Nanoseconds, column("mean", TIME)]
    sd_ns: Annotated[Nanoseconds, column("sd", TIME)]
    median_ns: Annotated[Nanoseconds, column("median", TIME)]
    gap_ns: float
    """Mean minus median, ns; above 0 if a tail raises the mean."""
    least_ns: Nanoseconds
    largest_ns: Nanoseconds
    autocorrelation: float | None
    """Autocorrelation of successive samples (lag 1); null if the order is not known."""
    percentiles: list[Percentile]
    tail_index: TailIndex | None
    """Hill's α: P(X > x) falls as x^−α; null if there are too few samples."""
    long_tail: LongTail
    """Samples over a threshold: the sample's own 85th percentile, or a given one."""
    modes: Modes
    l_moments: LMoments | None
    """null for a constant sample."""
    warnings: list[Notice]
    curves: Annotated[Curves, Hidden]

    def at(self, share: float) -> Percentile:
        """The percentile at this share, e.g. 0.99; KeyError if it is not among the percentiles."""
        for percentile in self.percentiles:
            if percentile.share == share:
                return percentile
        raise KeyError(share)

    def statistics(self) -> Iterator[tuple[type[Statistic], Statistic | None]]:
        """The class and value of every statistic, in the order of the fields."""
        for name, kind in kinds_of(Statistic, SampleTail).items():
            yield kind, getattr(self, name)


class SampleTails(Result, frozen=True, kw_only=True):
    """Result of `latitude stats tail`.

    Keys that end in _ns are times in ns. low and high are the ends of an interval. null represents
    values that do not exist.
    """

    SCHEMA = "latitude.stats.tail/1"

    provenance: Provenance
    confidence: Confidence = 0.95
    """Confidence of all intervals."""
    groups: Annotated[list[SampleTail], Meta(min_length=1)]
    assumptions: list[Assumption]

    def to_csv(self) -> str:
        """One row per group and percentile."""
        return csv_text(
            ("group", "n", "percentile", "value_ns", "low_ns", "high_ns", "needed_n"),
            (
                (group.name, group.n, p.share, p.value_ns, p.low_ns, p.high_ns, p.needed)
                for group in self.groups
                for p in group.percentiles
            ),
        )


class NormalityTest(Part, frozen=True, kw_only=True):
    """Kolmogorov–Smirnov against the normal distribution with the sample's mean and sd."""

    distance: Annotated[Share, column("D", number(".4f"))]
    p_plain: Annotated[Share, column("plain p", P_VALUE)]
    """p-value as if mean and sd had been known, as in Underwood et al.; it is too large."""
    p_lilliefors: Corrected


class ComparedSample(SampleTail, frozen=True, kw_only=True):
    """One group of a comparison."""

    normality: NormalityTest | None
    """null for a constant sample."""


class SamplePair(Part, frozen=True, kw_only=True):
    """Two groups, compared. Every field except the names is a `PairTest`."""

    a: str
    b: str
    mann_whitney: RankTest
    kolmogorov_smirnov: DistributionDistance

    def tests(self) -> Iterator[PairTest]:
        """Every test, in the order of the fields."""
        for name in kinds_of(PairTest, SamplePair):
            yield getattr(self, name)


class SampleComparison(Result, frozen=True, kw_only=True):
    """Result of `latitude stats compare`."""

    SCHEMA = "latitude.stats.compare/1"

    provenance: Provenance
    confidence: Confidence = 0.95
    """Confidence of all intervals."""
    groups: Annotated[list[ComparedSample], Meta(min_length=2)]
    pairs: list[SamplePair]
    """Comparisons of each pair of groups."""
    warnings: list[Notice]
    assumptions: list[Assumption]

    def to_csv(self) -> str:
        """One row per pair."""
        rows = []
        for pair in self.pairs:
            u, ks = pair.mann_whitney, pair.kolmogorov_smirnov
            rows.append(
                (
                    *(pair.a, pair.b, u.u, u.larger, u.larger_low, u.larger_high, u.rank_biserial),
                    *(u.shift_ns, u.shift_low_ns, u.shift_high_ns, u.p.p, u.p.holm, u.p.bh),
                    *(ks.distance, ks.p.p, ks.p.holm, ks.p.bh),
                )
            )
        head = (
            *("a", "b", "u", "larger", "larger_low", "larger_high", "rank_biserial"),
            *("shift_ns", "shift_low_ns", "shift_high_ns", "p", "p_holm", "p_bh"),
            *("ks_distance", "ks_p", "ks_p_holm", "ks_p_bh"),
        )
        return csv_text(head, rows)


class Column(Part, frozen=True, kw_only=True):
    """A column of a table of runs: times in ns, or plain numbers."""

    name: str
    """Name without its unit."""
    unit: str
    """The unit: ns, or 1 for plain numbers."""
    values: Annotated[Floats, Hidden]

    @property
    def is_time(self) -> bool:
        """Whether the values are times in ns."""
        return self.unit == "ns"

    @property
    def in_words(self) -> Annotated[str, column("with")]:
        """The name, with spaces in place of underscores."""
        return self.name.replace("_", " ")


class ColumnRelation(Part, frozen=True, kw_only=True):
    """Relation of y to a single x."""

    x: Column
    pearson: Correlation
    spearman: Correlation
    line: Line
    """Least-squares line; its slope is per ns of x if x is a time, and in ns if y is a time."""


@dataclass(frozen=True, slots=True)
class CorrectedDependent(Dependent):
    """The test for dependent correlations, corrected over several groups."""

    williams_p_corrected: Corrected


class RelatedRuns(Part, frozen=True, kw_only=True):
    """One group of runs, e.g. a program."""

    name: Annotated[str, column("group")]
    n: Count
    y: Column
    relations: Annotated[list[ColumnRelation], Meta(min_length=1)]
    fisher: FisherTest | None
    """The test if y correlates more with the first or the second x, as if from different runs; null
    without two x.
    """
    dependent: CorrectedDependent | None
    """The test for correlations of the same runs; null without two x, or if both x are almost
    equal.
    """
    warnings: list[Notice]


class RunCorrelations(Result, frozen=True, kw_only=True):
    """Result of `latitude stats correlate`."""

    SCHEMA = "latitude.stats.correlate/1"

    provenance: Provenance
    confidence: Confidence = 0.95
    """Confidence of all intervals."""
    groups: Annotated[list[RelatedRuns], Meta(min_length=1)]
    assumptions: list[Assumption]

    def to_csv(self) -> str:
        """One row per group and x."""
        rows = []
        for group in self.groups:
            for each in group.relations:
                r, rho, fit = each.pearson, each.spearman, each.line
                rows.append(
                    (
                        *(group.name, group.n, each.x.name, group.y.name),
                        *(r.r, r.low, r.high, r.p, rho.r, rho.low, rho.high, rho.p),
                        *(fit.slope, fit.slope_low, fit.slope_high),
                        *(fit.intercept, fit.r_squared, fit.residual_sd),
                    )
                )
        head = (
            *("group", "n", "x", "y", "pearson", "pearson_low", "pearson_high", "pearson_p"),
            *("spearman", "spearman_low", "spearman_high", "spearman_p"),
            *("slope", "slope_low", "slope_high", "intercept", "r_squared", "residual_sd"),
        )
        return csv_text(head, rows)


class PublishedCorrelations(Result, frozen=True, kw_only=True):
    """Result of `latitude stats fisher`."""

    SCHEMA = "latitude.stats.fisher/1"

    provenance: Stamp
    fisher: FisherTest
    dependent: Dependent | None
    """The test if the correlation between the columns was given."""
    r_between_unknown: Unknown | None
    """The range of results if the correlation between the columns was not given."""
    assumptions: list[Assumption]


def kinds_of(base: type, part: type[Part]) -> dict[str, Any]:
    """The fields of a part whose type is a subclass of `base` (or None), with their types."""
    found = {}
    for name, hint in get_type_hints(part).items():
        for kind in get_args(hint) or (hint,):
            if isinstance(kind, type) and issubclass(kind, base):
                found[name] = kind
    return found
