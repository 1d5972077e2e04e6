"""Result of `latitude campaign analyze`. Times are ns."""

from typing import Annotated, Any, ClassVar

from msgspec import Meta

from latitude._types import Booleans, Count, Nanoseconds, Share, Unbounded
from latitude.files.provenance import Made, Provenance
from latitude.lab.statistics.mean_and_spread import Correlated, Plane, Relation
from latitude.lab.statistics.mean_ratios import Contrast, Drift
from latitude.notices.notice import Notice
from latitude.results.declared import FloatColumn, Hidden, Part, Result
from latitude.results.runs import Equal, RunRecord, Runs, Study
from latitude.statistics.corrections import Corrected
from latitude.units.columns import COUNT, SHARE, TIME, Form, column, time
from latitude.units.quantities import format_share

SPREAD, MEAN, OPEN = "spread", "mean", "open"
"""Answers: runtime correlates more with the variation, more with the mean, or is undecided."""

_HALF = Form(lambda share: f"± {format_share(share)}")

FlagColumn = Annotated[
    Booleans, Meta(extra_json_schema={"type": "array", "items": {"type": "boolean"}})
]


class ProgramAnswer(Part, frozen=True, kw_only=True):
    """Whether runtime correlates more with the variation of latency than with its mean."""

    closer_with: str
    """spread, mean, or open (undecided)."""
    reason: str
    """The reason if the answer is open."""
    p: Corrected | None
    """p-value of Williams's test over the levels, corrected over all programs."""
    text: Annotated[str, column("what the runs say")]


class LevelNormality(Part, frozen=True, kw_only=True):
    """Lilliefors's test of the runtimes at a level."""

    distance: float
    p: Share


class CampaignLevel(Part, frozen=True, kw_only=True):
    """Runs of one program at one level."""

    level: Annotated[str, column("level")]
    kind: str
    """none, constant, distribution, sweep or load."""
    family: str | None
    load: Share | None
    asked_mean_ns: float
    asked_sd_ns: float
    achieved_mean_ns: float | None
    achieved_sd_ns: float | None
    runs: Count
    lost: Count
    """Repetitions without a successful attempt."""
    few: bool
    """Whether there are fewer than 3 runs."""
    runtime_ns: FloatColumn
    outlier: FlagColumn
    """Whether each run is an outlier by Grubbs's test at 1 %; every figure keeps outliers."""
    slowdown: float | None
    """Slowdown of the median runtime, relative to reference_ns."""
    normality: LevelNormality | None
    """null if there are fewer than 4 runs."""
    cell: Annotated[Runs, Hidden]


class MeanCosts(Part, frozen=True, kw_only=True):
    """Costs of mean and variation at one mean, as factors of runtime."""

    mean_ns: Annotated[float, column("mean", time(3))]
    load: Share | None
    sd_ns: Annotated[float, column("widest sd", time(3))]
    """Standard deviation of the widest distribution, ns."""
    mean: Contrast | None
    """Runs with constant latency against runs without latency."""
    spread: Contrast
    """Runs with the widest distribution against runs with the narrowest."""
    excess: Contrast | None
    """Ratio of spread to mean; above 1 if variation costs more."""
    at: Annotated[Equal, Hidden]


class PredictedLevel(Part, frozen=True, kw_only=True):
    """The graph's mean runtime at a level."""

    level: str
    runtime_ns: float
    runtime_of_mean_ns: float
    """Runtime predicted from the mean latency alone, without variation, ns."""
    error: float
    """Error relative to the measured mean."""
    cell: Annotated[Runs, Hidden]


class PredictedProgram(Part, frozen=True, kw_only=True):
    """Predictions by the execution graph of a trace."""

    input: str
    input_sha256: str
    L_ns: float
    where: str
    """Place where latency is spent: flow or sender."""
    samples: Count
    reference_ns: float
    """Predicted runtime without injected latency, ns."""
    levels: list[PredictedLevel]
    rrmse: Annotated[float, column("RRMSE", SHARE)]
    """Root of the mean over the levels of ((predicted − measured mean) / measured mean)²."""
    noise: Annotated[
        Unbounded, column("measured to", Form(lambda share: f"± {format_share(share)}"))
    ]
    """Standard error of the measured means, in the same unit as the RRMSE."""
    rrmse_of_means_alone: Annotated[float, column("by means alone", SHARE)]
    """RRMSE of predictions in which every message has the mean latency."""
    over_levels: Correlated | None
    plane: Plane | None


class CampaignProgram(Part, frozen=True, kw_only=True):
    """One program with one number of ranks at one layer of injection."""

    name: Annotated[str, column("program")]
    program: str
    ranks: Annotated[int, Meta(ge=1)] | None
    layer: str | None
    messages: float | None
    reference: str | None
    """The level to which slowdowns are relative."""
    reference_ns: Unbounded
    """Median runtime of the reference level, ns."""
    injector: Contrast | None
    """Runs under the injector with latency 0 against runs without the injector."""
    answer: ProgramAnswer
    levels: list[CampaignLevel]
    over_runs: Correlated | None
    over_levels: Correlated | None
    over_runs_as_achieved: Correlated | None
    over_levels_as_achieved: Correlated | None
    plane: Plane | None
    against_mean: Relation | None
    """Suite I: runs with constant latency and without latency."""
    against_delta_L: Relation | None
    """Runs of a sweep, against ΔL."""
    costs: list[MeanCosts]
    """Costs at each mean with variation."""
    predicted: PredictedProgram | None
    """Predictions by the execution graph of a trace; null without a trace."""
    study: Annotated[Study, Hidden]


class StepTest(Part, frozen=True, kw_only=True):
    """Mann and Whitney's test between two levels."""

    u: float
    larger: Share
    """Chance that a run of `level` takes longer."""
    larger_low: Share
    larger_high: Share
    shift_ns: float
    p: Corrected | None


class CampaignStep(Part, frozen=True, kw_only=True):
    """A level compared with the narrowest level of the same mean."""

    program: str
    level: str
    against: str
    """The narrowest level of the same mean."""
    ratio: Contrast
    mann_whitney: StepTest | None
    """null if one side has fewer than 4 runs."""


class FailedAttempt(Part, frozen=True, kw_only=True):
    """An attempt that failed or timed out."""

    program: Annotated[str, column("program")]
    level: Annotated[str, column("level")]
    repetition: Annotated[Count, column("repetition", COUNT)]
    attempt: Annotated[Count, column("attempt", COUNT)]
    status: str
    """failed or timeout."""
    error: Annotated[str, column("reason")]
    mended: bool
    """Whether a later attempt ended well."""


class NormalityCount(Part, frozen=True, kw_only=True):
    """Number of levels whose runtimes are not normal."""

    tested: Count
    not_normal: Count
    """Number of levels that are not normal at 5 %, after Holm's correction."""


class OrderBalance(Part, frozen=True, kw_only=True):
    """Spearman's ρ between a run's place in the campaign and the requested latency."""

    rho_mean: Unbounded
    rho_sd: Unbounded
    p: Share
    """The smaller p-value, multiplied by the number of tests."""


class CampaignAnalysis(Result, frozen=True, kw_only=True):
    """Result of `latitude campaign analyze`. Times are ns. Intervals are 95 % intervals."""

    SCHEMA: ClassVar[str] = "latitude.campaign/1"

    provenance: Provenance
    """Provenance; `input_sha256` is over the files of all runs."""
    campaign: str
    attempts: Count
    """Number of started runs."""
    done: Count
    """Number of runs that ended well."""
    lost: Count
    """Repetitions without a successful attempt."""
    achieved_share: Share
    """Share of the runs at constant or random latency with a known achieved latency."""
    programs: list[CampaignProgram]
    steps: list[CampaignStep]
    failures: list[FailedAttempt]
    normality: NormalityCount
    drift: Drift | None
    """Drift of runtime from the first run to the last, after subtracting the levels' means."""
    order: OrderBalance | None
    warnings: list[Notice]
    runs: Annotated[Any, Hidden]
    """Data frame of every attempt, as recorded."""

    @property
    def studies(self) -> list[Study]:
        """The table of runs, program by program."""
        return [program.study for program in self.programs]

    def to_csv(self) -> str:
        """One row per attempt; `latitude stats correlate` reads it."""
        text: str = self.runs.to_csv(index=False, lineterminator="\n")
        return text


class CampaignPart(Part, frozen=True, kw_only=True):
    """Runs of one program at one level."""

    program: Annotated[str, column("program")]
    level: Annotated[str, column("level")]
    planned: Count
    ok: Count
    failed: Count
    """Runs that failed or took too long, and are not repeated."""
    median_ns: Annotated[Nanoseconds | None, column("median runtime", TIME)]
    """Median runtime of the successful runs, ns."""


class CampaignSummary(Result, frozen=True, kw_only=True):
    """Result of `latitude campaign run`. Keys that end in _ns are times in ns."""

    SCHEMA: ClassVar[str] = "latitude.campaign.summary/1"

    provenance: Made
    name: str
    directory: str
    planned: Count
    ok: Count
    failed: Count
    pending: Count
    failures: list[RunRecord]
    """Every failed attempt, in the order of their starts."""
    parts: list[CampaignPart]
    notes: list[str]
