"""Runs that an answer hangs on."""

from collections.abc import Sequence
from dataclasses import dataclass

from latitude._types import Floats
from latitude.experiments.suites.cells import Cell, over_levels
from latitude.experiments.suites.study import Study
from latitude.statistics.corrections import SIGNIFICANT
from latitude.statistics.mean_and_spread import compared


@dataclass(frozen=True, slots=True)
class Pivotal:
    """A run without which another answer would come out."""

    cell: Cell
    T_ns: float


def pivotal(study: Study) -> list[Pivotal]:
    """Runs whose omission changes what Williams's test over the levels says, uncorrected."""
    if study.by_level is None:
        return []
    cells = study.design
    mean, std, T = (over_levels(cells, name) for name in ("mean_ns", "sd_ns", "T_ns"))
    answer = _answer(mean, std, T)
    return [
        Pivotal(cell, float(run))
        for index, cell in enumerate(cells)
        if cell.n > 1
        for run in cell.T_ns
        if _answer(mean, std, _without(T, index, cell, float(run))) != answer
    ]


def _without(T: Floats, index: int, cell: Cell, run: float) -> Floats:
    changed = T.copy()
    changed[index] = (cell.T_ns.sum() - run) / (cell.n - 1)
    return changed


def _answer(mean: Floats, std: Floats, T: Floats) -> int:
    """1: closer with the sd; −1: with the mean; 0: not told."""
    found = compared(mean, std, T)
    if found is None or found.williams_p >= SIGNIFICANT:
        return 0
    return 1 if found.r_std > found.r_mean else -1


def sentence(name: str, found: Sequence[Pivotal]) -> str:
    """Which run, or how many."""
    first = found[0]
    more = f" or of {len(found) - 1:,} others" if len(found) > 1 else ""
    return f"{name} (a run at {first.cell.level.name}{more})"
