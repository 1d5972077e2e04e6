"""What a campaign's runs say, all programs together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from latitude.experiments.suites.cells import Cell
from latitude.experiments.suites.predict import Predicted
from latitude.experiments.suites.study import Study
from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.statistics.corrections import Corrected
from latitude.statistics.drift import Drift
from latitude.statistics.mean_ratios import Contrast
from latitude.statistics.rank_test import RankTest

if TYPE_CHECKING:
    import pandas as pd

SPREAD, MEAN, OPEN = "spread", "mean", "open"
"""Answers: runtime goes closer with the variation, with the mean, or it cannot be said."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one program: does runtime go closer with variation than with the mean?"""

    answer: str
    reason: str
    """Why it cannot be said."""
    p: Corrected | None
    """Of Williams's test over the levels, among all programs."""


@dataclass(frozen=True, slots=True)
class Step:
    """A level against the narrowest of the same mean."""

    study: Study
    narrow: Cell
    wide: Cell
    ratio: Contrast
    ranks: RankTest | None
    """None with fewer than 4 runs on a side."""
    p: Corrected | None
    """Of Mann and Whitney's test, among all steps."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that did not end well."""

    program: str
    level: str
    repetition: int
    attempt: int
    status: str
    error: str
    mended: bool
    """Whether a later attempt ended well."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Spearman's ρ between a run's place in the campaign and the latency asked for."""

    mean: float
    sd: float
    p: float
    """The smaller of the two, twice."""


@dataclass(frozen=True, slots=True, eq=False)
class Suites:
    """The whole analysis."""

    provenance: Provenance
    campaign: str
    runs: "pd.DataFrame"
    """Every attempt, as recorded."""
    studies: tuple[Study, ...]
    verdicts: tuple[Verdict, ...]
    """Of the studies, in their order."""
    steps: tuple[Step, ...]
    failures: tuple[Failure, ...]
    not_normal: int
    """Cells found not to be normal after Holm's correction …"""
    tested: int
    """… of so many."""
    drift: Drift | None
    balance: Balance | None
    warnings: list[Notice]
    predicted: Mapping[str, Predicted] = field(default_factory=dict)
    """What a trace predicts, by the study's name."""

    @property
    def attempts(self) -> int:
        """Runs started."""
        return len(self.runs)

    @property
    def done(self) -> int:
        """Runs that ended well."""
        return sum(cell.n for study in self.studies for cell in study.cells)

    @property
    def lost(self) -> int:
        """Repetitions of which no attempt ended well."""
        return sum(cell.lost for study in self.studies for cell in study.cells)

    @property
    def achieved(self) -> float:
        """Share of the design's runs that say what latency their messages had."""
        got = [cell.got_mean_ns for study in self.studies for cell in study.design]
        total = sum(each.size for each in got)
        return sum(int((~np.isnan(each)).sum()) for each in got) / total if total else 0.0

    def to_json(self) -> str:
        """As `latitude.campaign/1`."""
        from latitude.results.campaign_data import to_json  # noqa: PLC0415 - imports this

        return to_json(self)

    def to_csv(self) -> str:
        """One row an attempt; `latitude stats correlate` reads it."""
        text: str = self.runs.to_csv(index=False, lineterminator="\n")
        return text

    def to_html(self) -> str:
        """The page."""
        from latitude.render.campaign.page import render  # noqa: PLC0415 - plotly is slow to import

        return render(self)
