"""Runs of one program at one level, and levels of one mean."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latitude._types import Floats
from latitude.experiments.campaign.record import CONSTANT, DISTRIBUTION, LOAD, NONE, OK, SWEEP
from latitude.statistics.normality import LEAST as NORMALITY_LEAST
from latitude.statistics.normality import Normality, normality
from latitude.statistics.outliers import apart

if TYPE_CHECKING:
    import pandas as pd

ENOUGH = 3
"""Runs under which a cell is flagged: its spread is a guess."""
_ONE_MEAN = 0.02
"""Asked means this close are one: tables hold whole ns."""
_KINDS = (NONE, CONSTANT, DISTRIBUTION, SWEEP, LOAD)


@dataclass(frozen=True, slots=True)
class Level:
    """What was injected, as asked."""

    name: str
    kind: str
    family: str | None
    layer: str | None
    load: float | None
    mean_ns: float
    sd_ns: float

    @property
    def rising(self) -> tuple[int, float, float, float]:
        """Sorts levels: by kind, load, mean, sd."""
        load = self.load if self.kind == LOAD and self.load is not None else 0.0
        return _KINDS.index(self.kind), load, self.mean_ns, self.sd_ns


@dataclass(frozen=True, eq=False)
class Cell:
    """Runs of one program at one level; arrays hold a value a run that ended well."""

    level: Level
    run_ids: tuple[str, ...]
    T_ns: Floats
    got_mean_ns: Floats
    """Of the latency that the run's messages had; NaN where the run does not say."""
    got_sd_ns: Floats
    order: Floats
    lost: int
    """Repetitions of which no attempt ended well."""

    @property
    def n(self) -> int:
        """Runs that ended well."""
        return self.T_ns.size

    @property
    def mean_ns(self) -> Floats:
        """Asked for, a value a run."""
        return np.full(self.n, self.level.mean_ns)

    @property
    def sd_ns(self) -> Floats:
        """Asked for, a value a run."""
        return np.full(self.n, self.level.sd_ns)

    @property
    def known(self) -> bool:
        """Whether every run says what its messages had."""
        return self.n > 0 and not np.isnan(self.got_mean_ns + self.got_sd_ns).any()

    @property
    def few(self) -> bool:
        """Too few runs to rely on."""
        return self.n < ENOUGH

    @cached_property
    def outliers(self) -> NDArray[np.bool_]:
        """Runs that stand apart from the others of the cell."""
        return apart(self.T_ns)

    @cached_property
    def normality(self) -> Normality | None:
        """None with too few runs, or when all took the same time."""
        if self.n < NORMALITY_LEAST or np.ptp(self.T_ns) == 0:
            return None
        return normality(self.T_ns)


@dataclass(frozen=True, slots=True, eq=False)
class Equal:
    """Cells of one asked mean, by rising sd."""

    cells: tuple[Cell, ...]

    @property
    def mean_ns(self) -> float:
        """As asked."""
        return self.cells[0].level.mean_ns

    @property
    def load(self) -> float | None:
        """The load whose latency this is, where the campaign says so."""
        return self.cells[0].level.load

    @property
    def narrow(self) -> Cell:
        """Of the least sd."""
        return self.cells[0]

    @property
    def wide(self) -> Cell:
        """Of the largest sd."""
        return self.cells[-1]

    def near(self, mean_ns: float) -> bool:
        """Whether this is that mean, of whatever program."""
        return abs(self.mean_ns / mean_ns - 1) <= _ONE_MEAN

    @property
    def steady(self) -> Cell | None:
        """That of constant latency."""
        return self.narrow if self.narrow.level.sd_ns == 0 else None


def cells_of(runs: "pd.DataFrame") -> list[Cell]:
    """The cells of one program, by rising level; `runs` are as `read_runs` gives them."""
    keys = ["layer", "level"]
    found = [_cell(part) for _, part in runs.groupby(keys, sort=False, dropna=False)]
    return sorted(found, key=lambda cell: cell.level.rising)


def equal_means(cells: Iterable[Cell]) -> list[Equal]:
    """Cells by asked mean, rising; a mean within 2 % of the next smaller one is the same."""
    ordered = sorted(cells, key=lambda cell: cell.level.mean_ns)
    starts = [
        index
        for index, (before, cell) in enumerate(pairwise(ordered), 1)
        if cell.level.mean_ns > before.level.mean_ns * (1 + _ONE_MEAN)
    ]
    edges = [0, *starts, len(ordered)]
    return [
        Equal(tuple(sorted(ordered[first:last], key=lambda cell: cell.level.sd_ns)))
        for first, last in pairwise(edges)
        if last > first
    ]


def over_runs(cells: Sequence[Cell], name: str) -> Floats:
    """An array of every cell's runs, one after the other."""
    return np.concatenate([getattr(cell, name) for cell in cells])


def over_levels(cells: Sequence[Cell], name: str) -> Floats:
    """The same, as one mean a cell."""
    return np.array([float(getattr(cell, name).mean()) for cell in cells])


def _cell(runs: "pd.DataFrame") -> Cell:
    first = runs.iloc[0]
    level = Level(
        name=str(first["level"]),
        kind=str(first["kind"]),
        family=_text(first["family"]),
        layer=_text(first["layer"]),
        load=_number(first["load"]),
        mean_ns=float(first["asked_mean_ns"]),
        sd_ns=float(first["asked_sd_ns"]),
    )
    done = runs[runs["status"] == OK].drop_duplicates("repetition", keep="last")
    return Cell(
        level=level,
        run_ids=tuple(done["run_id"].astype(str)),
        T_ns=_floats(done["runtime_ns"]),
        got_mean_ns=_floats(done["achieved_mean_ns"]),
        got_sd_ns=_floats(done["achieved_sd_ns"]),
        order=_floats(done["order"]),
        lost=int(runs["repetition"].nunique() - done["repetition"].nunique()),
    )


def _floats(column: "pd.Series[Any]") -> Floats:
    return column.to_numpy(dtype=np.float64)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: Any) -> float | None:
    return None if value is None or value != value else float(value)  # noqa: PLR0124 - NaN
