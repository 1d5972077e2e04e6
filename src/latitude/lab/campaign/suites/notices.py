"""Warnings about a campaign's runs."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from latitude._types import Floats
from latitude.lab.results.campaign import CampaignAnalysis, CampaignProgram
from latitude.lab.statistics.mean_and_spread import compared
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.runs import AWAY, ENOUGH, Runs, Study, over_levels
from latitude.statistics.corrections import SIGNIFICANT
from latitude.units.quantities import counted, format_p, format_share, format_time

_DRIFT = 0.005
"""Least drift over a campaign that Latitude warns about."""
_MOVED = 0.1
"""Largest difference, without a warning, between the correlations with achieved and asked latency.
"""
_B = 0.05
"""Largest change of b in a run without a warning; Salimi Beni and Cosenza §4.1 drop other runs."""


def notices(result: CampaignAnalysis) -> list[Notice]:
    """All warnings, the gravest first."""
    return [
        *_failed(result),
        *_thin(result.studies),
        *_missing(result.studies),
        *_disorder(result),
        *_hanging(result.programs),
        *_apart(result.programs),
        *_missed(result.studies),
        *_confounded(result.programs),
        *_background(result),
    ]


def _failed(result: CampaignAnalysis) -> Iterator[Notice]:
    if result.lost:
        total = result.done + result.lost
        yield kinds.LOST_RUNS(
            f"{result.lost:,} of {counted(total, 'run')} ({format_share(result.lost / total)}) "
            "never succeeded and are left out of all figures"
        )


def _thin(studies: Sequence[Study]) -> Iterator[Notice]:
    thin = [f"{s.name} at {c.level.name}" for s in studies for c in s.cells if c.n and c.few]
    if thin:
        yield kinds.FEW_RUNS(f"fewer than {ENOUGH} runs: {_some(thin)}")


def _missing(studies: Sequence[Study]) -> Iterator[Notice]:
    levels = {(study.layer, cell.level.name) for study in studies for cell in study.cells}
    gone = [
        f"{study.name} at {name}"
        for study in studies
        for name in sorted(name for layer, name in levels if layer == study.layer)
        if not any(cell.n for cell in study.cells if cell.level.name == name)
    ]
    if gone:
        yield kinds.MISSING_LEVELS(f"no run: {_some(gone)}")


def _disorder(result: CampaignAnalysis) -> Iterator[Notice]:
    found = result.drift
    if found and found.p < SIGNIFICANT and abs(found.factor - 1) > _DRIFT:
        yield kinds.DRIFT(
            f"runtimes changed by {100 * (found.factor - 1):.2g}% from the first run to the last "
            f"(p = {format_p(found.p)})"
        )
    balance = result.order
    if balance and balance.p < 0.01:  # noqa: PLR2004 - random order fails this once in 100
        yield kinds.NOT_RANDOM_ORDER(
            f"latency correlates with the order of the runs (Spearman's ρ {balance.rho_mean:.2f} "
            f"for the mean, {balance.rho_sd:.2f} for the sd): levels were not in random order"
        )


def _hanging(programs: Sequence[CampaignProgram]) -> Iterator[Notice]:
    found = [(each.name, pivotal(each)) for each in programs]
    hanging = [
        f"{name} (a run at {runs[0][0]}{f' or of {len(runs) - 1:,} others' if runs[1:] else ''})"
        for name, runs in found
        if runs
    ]
    if hanging:
        yield kinds.HANGS_ON_ONE_RUN(f"one run decides the answer: {_some(hanging)}")


def pivotal(program: CampaignProgram) -> list[tuple[str, float]]:
    """Runs without which Williams's test over the levels, uncorrected, has another outcome.

    Returns level and runtime (ns) of each.
    """
    if program.over_levels is None:
        return []
    cells = program.study.design
    mean, std, T = (over_levels(cells, name) for name in ("mean_ns", "sd_ns", "T_ns"))
    answer = _answer(mean, std, T)
    return [
        (cell.level.name, run)
        for index, cell in enumerate(cells)
        if cell.n > 1
        for run in cell.T_ns.tolist()
        if _answer(mean, std, _without(T, index, cell, run)) != answer
    ]


def _without(T: Floats, index: int, cell: Runs, run: float) -> Floats:
    changed = T.copy()
    changed[index] = (cell.T_ns.sum() - run) / (cell.n - 1)
    return changed


def _answer(mean: Floats, std: Floats, T: Floats) -> int:
    """1 if T correlates more with the sd, −1 if more with the mean, 0 if undecided."""
    found = compared(mean, std, T)
    if found is None or found.williams_p >= SIGNIFICANT:
        return 0
    return 1 if found.r_std > found.r_mean else -1


def _apart(programs: Sequence[CampaignProgram]) -> Iterator[Notice]:
    found = [
        f"{program.name} at {level.level}: {format_time(T, 4)} where half take under "
        f"{format_time(float(np.median(level.runtime_ns)), 4)}"
        for program in programs
        for level in program.levels
        for T in level.runtime_ns[level.outlier].tolist()
    ]
    if found:
        yield kinds.OUTLIERS(
            f"{counted(len(found), 'run')} far from the others of the level, kept in every figure: "
            f"{_some(found, ';')}"
        )


def _missed(studies: Sequence[Study]) -> Iterator[Notice]:
    away = [
        f"{study.name} at {cell.level.name} ({name} {format_time(got, 3)} for "
        f"{format_time(asked, 3)})"
        for study in studies
        for cell in study.cells
        if cell.known
        for name, got, asked in _figures(cell)
        if asked > 0 and abs(got / asked - 1) > AWAY
    ]
    if away:
        yield kinds.ASKED_NOT_ACHIEVED(
            f"the achieved latency differs from the asked one by over {format_share(AWAY)}: "
            f"{_some(away)}"
        )


def _figures(cell: Runs) -> Iterable[tuple[str, float, float]]:
    yield "mean", float(cell.got_mean_ns.mean()), cell.level.mean_ns
    yield "sd", float(cell.got_sd_ns.mean()), cell.level.sd_ns


def _confounded(programs: Sequence[CampaignProgram]) -> Iterator[Notice]:
    """A warning if achieved latency correlates differently.

    Achieved latency includes preemption, which slows a run by itself.
    """
    pairs = [(each.name, each.over_levels, each.over_levels_as_achieved) for each in programs]
    moved = [
        f"{name} (r_mean {got.mean.r:.2f}, r_std {got.std.r:.2f})"
        for name, asked, got in pairs
        if asked and got
        if max(abs(got.std.r - asked.std.r), abs(got.mean.r - asked.mean.r)) > _MOVED
    ]
    if moved:
        yield kinds.ACHIEVED_AND_ASKED_DIFFER(
            f"correlations with the achieved latency differ: {_some(moved)}"
        )


def _background(result: CampaignAnalysis) -> Iterator[Notice]:
    runs = result.runs
    change = (runs["b_after"] - runs["b_before"]).abs().dropna()
    if (count := int((change > _B).sum())) > 0:
        yield kinds.BACKGROUND_CHANGED(
            f"background traffic b changed by over {format_share(_B)} during "
            f"{counted(count, 'run')} of {len(change):,}"
        )


def _some(items: Sequence[str], mark: str = ",") -> str:
    shown = 3
    more = f"{mark} and {len(items) - shown:,} more" if len(items) > shown else ""
    return f"{mark} ".join(items[:shown]) + more
