"""What the runs of a campaign say: `latitude campaign analyze`. Times are ns."""

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
"""Answers: runtime goes closer with the variation, with the mean, or it cannot be said."""

_HALF = Form(lambda share: f"± {format_share(share)}")

FlagColumn = Annotated[
    Booleans, Meta(extra_json_schema={"type": "array", "items": {"type": "boolean"}})
]


class ProgramAnswer(Part, frozen=True, kw_only=True):
    """Does runtime go closer with the variation of latency than with its mean?"""

    closer_with: str
    """spread, mean, or open: it cannot be said."""
    reason: str
    """Why it cannot be said."""
    p: Corrected | None
    """p of Williams's test over the levels, corrected over all programs."""
    text: Annotated[str, column("what the runs say")]


class LevelNormality(Part, frozen=True, kw_only=True):
    """Lilliefors's test."""

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
    """Repetitions of which no attempt ended well."""
    few: bool
    """Fewer than 3 runs."""
    runtime_ns: FloatColumn
    outlier: FlagColumn
    """By Grubbs's test at 1 %; kept in every figure."""
    slowdown: float | None
    """Slowdown of the median runtime, relative to reference_ns."""
    normality: LevelNormality | None
    """null under 4 runs."""
    cell: Annotated[Runs, Hidden]


class MeanCosts(Part, frozen=True, kw_only=True):
    """Costs of mean and variation at one mean, as factors of runtime."""

    mean_ns: Annotated[float, column("mean", time(3))]
    load: Share | None
    sd_ns: Annotated[float, column("widest sd", time(3))]
    """sd of the widest distribution."""
    mean: Contrast | None
    """Constant latency against none."""
    spread: Contrast
    """The widest distribution against the narrowest."""
    excess: Contrast | None
    """spread over mean: more than 1 when variation costs more."""
    at: Annotated[Equal, Hidden]


class PredictedLevel(Part, frozen=True, kw_only=True):
    """The graph's mean runtime at a level."""

    level: str
    runtime_ns: float
    runtime_of_mean_ns: float
    """By the mean latency alone, as if it did not vary."""
    error: float
    """Relative to the measured mean."""
    cell: Annotated[Runs, Hidden]


class PredictedProgram(Part, frozen=True, kw_only=True):
    """By the execution graph of a trace."""

    input: str
    input_sha256: str
    L_ns: float
    where: str
    """flow or sender: where latency is spent."""
    samples: Count
    reference_ns: float
    """Without injected latency."""
    levels: list[PredictedLevel]
    rrmse: Annotated[float, column("RRMSE", SHARE)]
    """Root of the mean over the levels of ((predicted − measured mean) / measured mean)²."""
    noise: Annotated[
        Unbounded, column("measured to", Form(lambda share: f"± {format_share(share)}"))
    ]
    """Standard error of the measured means, in the same measure."""
    rrmse_of_means_alone: Annotated[float, column("by means alone", SHARE)]
    """When every message is taken to have the mean latency."""
    over_levels: Correlated | None
    plane: Plane | None


class CampaignProgram(Part, frozen=True, kw_only=True):
    """One program, on one number of ranks, at one layer of injection."""

    name: Annotated[str, column("program")]
    program: str
    ranks: Annotated[int, Meta(ge=1)] | None
    layer: str | None
    messages: float | None
    reference: str | None
    """The level slowdowns are relative to."""
    reference_ns: Unbounded
    """Its median runtime."""
    injector: Contrast | None
    """Runs under the injector with a latency of 0 against runs without it."""
    answer: ProgramAnswer
    levels: list[CampaignLevel]
    over_runs: Correlated | None
    over_levels: Correlated | None
    over_runs_as_achieved: Correlated | None
    over_levels_as_achieved: Correlated | None
    plane: Plane | None
    against_mean: Relation | None
    """Suite I: constant latency and none."""
    against_delta_L: Relation | None
    """Runs of a sweep."""
    costs: list[MeanCosts]
    """Costs at each mean with variation."""
    predicted: PredictedProgram | None
    """By the execution graph of a trace; null where none was given."""
    study: Annotated[Study, Hidden]


class StepTest(Part, frozen=True, kw_only=True):
    """Mann and Whitney's test of two levels."""

    u: float
    larger: Share
    """Chance that a run of `level` takes longer."""
    larger_low: Share
    larger_high: Share
    shift_ns: float
    p: Corrected | None


class CampaignStep(Part, frozen=True, kw_only=True):
    """A level against the narrowest of the same mean."""

    program: str
    level: str
    against: str
    """The narrowest level of the same mean."""
    ratio: Contrast
    mann_whitney: StepTest | None
    """null under 4 runs on a side."""


class FailedAttempt(Part, frozen=True, kw_only=True):
    """An attempt that did not end well."""

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
    """Levels whose runtimes are found not to be normal."""

    tested: Count
    not_normal: Count
    """After Holm's correction, at 5 %."""


class OrderBalance(Part, frozen=True, kw_only=True):
    """Spearman's ρ between a run's place in the campaign and the latency asked for."""

    rho_mean: Unbounded
    rho_sd: Unbounded
    p: Share
    """The smaller of the two, twice."""


class CampaignAnalysis(Result, frozen=True, kw_only=True):
    """Result of `latitude campaign analyze`. Times are ns. Intervals are 95 % intervals."""

    SCHEMA: ClassVar[str] = "latitude.campaign/1"

    provenance: Provenance
    """`input_sha256` is of all runs' files."""
    campaign: str
    attempts: Count
    """Runs started."""
    done: Count
    """Runs that ended well."""
    lost: Count
    """Repetitions of which no attempt ended well."""
    achieved_share: Share
    """Share of the runs at constant or random latency with a known achieved latency."""
    programs: list[CampaignProgram]
    steps: list[CampaignStep]
    failures: list[FailedAttempt]
    normality: NormalityCount
    drift: Drift | None
    """Drift of runtime from the first run to the last, levels' means taken out."""
    order: OrderBalance | None
    warnings: list[Notice]
    runs: Annotated[Any, Hidden]
    """A data frame: every attempt, as recorded."""

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
    """Or too long, and not tried again."""
    median_ns: Annotated[Nanoseconds | None, column("median runtime", TIME)]
    """Median runtime of the runs that are ok."""


class CampaignSummary(Result, frozen=True, kw_only=True):
    """Result of `latitude campaign run`. Keys that end in _ns are ns."""

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
