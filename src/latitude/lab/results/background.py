"""Results of `latitude background`: b of the queue, around a run, against latency, and advice."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from latitude._core import InputError
from latitude._types import Floats
from latitude.files.provenance import Made
from latitude.notices.notice import Notice
from latitude.results.declared import (
    Columns,
    Count,
    FloatColumn,
    Hidden,
    Instant,
    Nanoseconds,
    Part,
    Result,
    Share,
    Unbounded,
)
from latitude.units.columns import COUNT, SHARE, column, number
from latitude.units.quantities import format_size, format_time

Coefficient = Annotated[float, Meta(ge=-1, le=1)]

SAME_GROUP: Literal["same group"] = "same group"
SAME_ISLAND: Literal["same island"] = "same island"
DIFFERENT_ISLANDS: Literal["different islands"] = "different islands"
Level = Literal["same group", "same island", "different islands"]

RUN: Literal["run now"] = "run now"
WAIT: Literal["wait"] = "wait"
CANNOT_SAY: Literal["cannot say"] = "cannot say"
NOT_ENOUGH: Literal["not enough history"] = "not enough history"
Answer = Literal["run now", "wait", "cannot say", "not enough history"]


class JobCounts(Part, frozen=True, kw_only=True):
    """Numbers of jobs, by their role in b."""

    communicating: Count
    """Jobs that run on two or more nodes."""
    one_node: Count
    """Jobs that run on one node; they never use the network."""
    pending: Count
    other: Count
    """Jobs neither running nor pending: completing, suspended, configuring …"""
    unknown: Count
    """Jobs in an unknown state, which do not count."""
    excluded: Count
    """Jobs left out on request."""


class Utilization(Result, frozen=True, kw_only=True):
    """The background network utilisation b (Salimi Beni and Cosenza 2022, §5.1), and its parts."""

    b: Share
    """Eq. (2): N_c/N_t · N'_c/N_a; 0 if no job runs, as Salimi Beni and Cosenza define b."""
    b_unique: Share
    """Eq. (1): N_c/N_t."""
    N_c: Count
    """Number of different nodes in running jobs of two or more nodes."""
    N_t: Annotated[int, Meta(ge=1)]
    """Number of nodes in the cluster."""
    N_c_repeated: Count
    """N'_c: like N_c, but a node counts once for each such job on it."""
    N_a: Count
    """Nodes of all running jobs; a node counts once for each job on it."""
    shared: Count
    """Nodes with two or more communicating jobs."""
    jobs: JobCounts
    warnings: tuple[Notice, ...] = ()


class BackgroundNow(Utilization, frozen=True, kw_only=True):
    """Result of `latitude background now`: b by Eq. (1) and (2) of the queue."""

    SCHEMA: ClassVar[str] = "latitude.background.now/1"

    provenance: Made
    source: str
    """Source of the queue."""
    time: Instant | None
    """Time of the measurement; null for a saved queue."""


class BackgroundAround(Result, frozen=True, kw_only=True):
    """Result of `latitude background around`: a command's run, with b before and after."""

    SCHEMA: ClassVar[str] = "latitude.background.around/1"

    provenance: Made
    command: tuple[str, ...]
    exit_code: Count
    """Exit status in the form of a shell."""
    start: Instant
    seconds: Annotated[float, Meta(ge=0)]
    b: Share | None
    """Mean of b before and after; null if b changed too much."""
    kept: bool
    """Whether b stayed the same during the run, so that one value represents the run."""
    difference: Unbounded
    """Difference of b before and after, for the comparison with the threshold; null if infinite."""
    threshold: Annotated[float, Meta(ge=0)]
    relative: bool
    """Whether the difference is relative to b before, not absolute."""
    before: Utilization
    after: Utilization


class JobLocality(Result, frozen=True, kw_only=True):
    """Result of `latitude background locality`: the distance between a job's nodes."""

    SCHEMA: ClassVar[str] = "latitude.background.locality/1"

    provenance: Made
    level: Level
    nodes: Annotated[int, Meta(ge=1)]
    groups: tuple[str, ...]
    """Leaf switches of the nodes."""
    islands: tuple[str, ...]
    """Switches above the leaf switches."""


class AdjustedCorrelation(Part, frozen=True, kw_only=True):
    """A correlation coefficient of b and mean latency, with a 95 % interval."""

    r: Coefficient
    low: Coefficient
    high: Coefficient
    p: Share
    p_adjusted: Share
    """p-value after Benjamini and Hochberg, over all panels and both coefficients."""


class RunPoints(Columns, frozen=True, kw_only=True):
    """The runs of a panel."""

    b: FloatColumn
    mean_ns: FloatColumn
    """Mean latency of each run."""


class BackgroundPanel(Part, frozen=True, kw_only=True):
    """One collective at one size: a panel of Salimi Beni and Cosenza's Fig. 4."""

    collective: str
    bytes: Count
    runs: Annotated[Count, column("runs", COUNT)]
    pearson: AdjustedCorrelation | None
    """null, with `reason`, if it cannot be computed."""
    spearman: AdjustedCorrelation | None
    slope_ns: float | None
    """Growth of mean latency from b = 0 to b = 1, by least squares, ns."""
    at_zero_ns: float | None
    reason: str | None
    points: RunPoints

    @property
    def name(self) -> Annotated[str, column("collective and size")]:
        """`reduce 1 MiB`."""
        return kind_name(self.collective, self.bytes)


class RunDistribution(Part, frozen=True, kw_only=True):
    """The latencies of one run: a curve of Salimi Beni and Cosenza's Fig. 5."""

    collective: str
    bytes: Count
    b: Annotated[Share, column("b", SHARE)]
    samples: Count
    mean_ns: Nanoseconds
    modes_ns: tuple[float, ...]
    dip: Annotated[float, Meta(ge=0)]
    dip_p_value: Annotated[Share, column("dip test p", number(".2g"))]
    multimodal: bool
    samples_ns: Annotated[Floats, Hidden]
    """Latencies in ascending order, ns."""

    @property
    def name(self) -> Annotated[str, column("two modes")]:
        """`reduce 1 MiB`."""
        return kind_name(self.collective, self.bytes)

    @property
    def at(self) -> Annotated[str, column("at")]:
        """The modes of the distribution: `2.1 µs and 8.3 µs`."""
        return " and ".join(format_time(ns, 3) for ns in self.modes_ns)


class CalibrationBin(Part, frozen=True, kw_only=True):
    """Runs with nearly the same forecast, and the share of them in the tail."""

    runs: Count
    forecast: Share
    """Mean forecast probability."""
    seen: Share
    """Observed share in the tail."""
    low: Share
    """Lower end of the 95 % interval of the observed share (Jeffreys)."""
    high: Share


class TailScore(Part, frozen=True, kw_only=True):
    """Score of a forecast of the newest runs' tail by a model of the older runs."""

    trained: Count
    """Number of runs to learn from, the oldest."""
    tested: Count
    """Number of forecast runs, the newest."""
    tail_tested: Count
    """Tested runs in the tail."""
    mean_forecast: Share
    brier: Annotated[float, Meta(ge=0)]
    """Mean squared error of the probability: 0 is perfect."""
    brier_base: Annotated[float, Meta(ge=0)]
    """Brier score of the older runs' base rate."""
    brier_placement: Annotated[float, Meta(ge=0)]
    """Brier score of the placement's base rate, the forecast without b."""
    gain: float
    """Brier score of the better base rate, minus the forecast's; above 0 if b helps."""
    gain_low: Unbounded
    """Lower end of the 95 % interval; runs of the same hour are not independent and count together.
    """
    gain_high: Unbounded
    wait_above: Share
    called: Count
    """Runs for which the advice was to wait."""
    precision: Share | None
    """Share of the called runs that landed in the tail; null if no run was called."""
    recall: Share | None
    """Share of the tail's runs that were called."""
    calibration: tuple[CalibrationBin, ...]
    skill: float
    """Share of the baseline's Brier score that the forecast removes."""
    useful: bool
    """Whether the forecast beats the baseline by more than chance."""

    @property
    def baseline(self) -> float:
        """The Brier score to beat."""
        return min(self.brier_base, self.brier_placement)


class BackgroundCorrelation(Result, frozen=True, kw_only=True):
    """Result of `latitude background correlate`, for one placement.

    Times are ns, and b is a share from 0 to 1. low and high are the ends of a 95 % interval.
    """

    SCHEMA: ClassVar[str] = "latitude.background.correlate/1"

    provenance: Made
    history: str
    synthetic: bool
    """Whether the history is invented, so that no number in it was measured."""
    placement: str
    """Placement of the compared runs."""
    ranks: Count
    runs: Count
    panels: tuple[BackgroundPanel, ...]
    distributions: tuple[RunDistribution, ...]
    """Distributions of single runs, at low and at high b."""
    warnings: tuple[Notice, ...]
    forecast: TailScore | None
    """Score of a forecast of the newest runs' tail; null if it could not be tested."""
    forecast_untested: str | None
    """The reason why the forecast could not be tested."""


class TailQuestion(Part, frozen=True, kw_only=True):
    """A run that has not started. InputError unless 0 ≤ b ≤ 1."""

    b: Share
    """Present b."""
    collective: str
    bytes: Count
    placement: str | None = None
    """Placement of the job; null if not yet known, so that any placement of the history counts."""

    def __post_init__(self) -> None:
        if not 0 <= self.b <= 1:
            raise InputError(f"b = {self.b:g} is not between 0 and 1; write e.g. 0.42 or 42%")

    @property
    def name(self) -> str:
        """The question in words: `reduce 1 MiB on different islands`."""
        on = f" on {self.placement}" if self.placement else ""
        return kind_name(self.collective, self.bytes) + on


class NearestRuns(Part, frozen=True, kw_only=True):
    """Past runs of the same kind with the nearest b, and the number of them in the tail."""

    runs: Count
    tail: Count
    """Number of these runs in the tail."""
    b_low: Share
    b_high: Share


class LatencyQuantiles(Part, frozen=True, kw_only=True):
    """Latencies that these shares of messages do not exceed."""

    p50: Nanoseconds
    p85: Nanoseconds
    p95: Nanoseconds
    p99: Nanoseconds


class ExpectedRuns(Part, frozen=True, kw_only=True):
    """Latencies of the runs with the nearest b."""

    runs: Count
    b_low: Share
    b_high: Share
    quantiles_ns: LatencyQuantiles


class TailForecast(Part, frozen=True, kw_only=True):
    """The tail's probability, with its basis."""

    probability: Share
    """Probability that the run lands in the long tail."""
    low: Share
    """Lower end of the 95 % interval."""
    high: Share
    base_rate: Share
    """Share of all past runs in the tail."""
    threshold_ns: Nanoseconds
    """Mean latency above which a run is in the tail, ns."""
    wait_until_b: Share | None
    """Highest known b at which the advice would be to run; null without such a b."""
    near: NearestRuns
    expected: ExpectedRuns
    score: TailScore


class BackgroundAdvice(Result, frozen=True, kw_only=True):
    """Result of `latitude background advise`: whether to run now or to wait, with reasons."""

    SCHEMA: ClassVar[str] = "latitude.background.advise/1"

    provenance: Made
    question: TailQuestion
    history: str
    runs: Count
    answer: Answer
    reasons: tuple[str, ...]
    """Reasons as sentences, or, if history does not suffice, the missing parts."""
    wait_above: Share
    """Least probability of the tail at which to wait."""
    forecast: TailForecast | None
    """null if history does not suffice."""
    synthetic: bool
    """Whether the history is invented, so that no number in it was measured."""


def kind_name(collective: str, size: int) -> str:
    """`reduce 1 MiB`, or without a size if the history has none."""
    return f"{collective} {format_size(size)}" if size else collective
