"""What the reader should know about a campaign's runs."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from latitude.experiments.suites.cells import ENOUGH, Cell
from latitude.experiments.suites.pivotal import pivotal, sentence
from latitude.experiments.suites.result import Suites
from latitude.experiments.suites.study import Study
from latitude.notices.notice import Notice
from latitude.statistics.corrections import SIGNIFICANT
from latitude.units.p_values import format_p
from latitude.units.quantities import counted, format_share, format_time

_DRIFT = 0.005
"""A smaller drift over a whole campaign is shown and not warned of."""
_AWAY = 0.1
"""By how much achieved latency may miss what was asked for."""
_MOVED = 0.1
"""Between r by achieved and r by asked latency."""
_B = 0.05
"""[B] §4.1 keeps runs whose b before and after differ by less."""


def notices(result: Suites) -> list[Notice]:
    """All of them, the gravest first."""
    return [
        *_failed(result),
        *_thin(result.studies),
        *_missing(result.studies),
        *_disorder(result),
        *_hanging(result.studies),
        *_apart(result.studies),
        *_missed(result.studies),
        *_confounded(result.studies),
        *_background(result),
    ]


def _failed(result: Suites) -> Iterator[Notice]:
    if result.lost:
        total = result.done + result.lost
        yield Notice(
            "lost-runs",
            f"{result.lost:,} of {counted(total, 'run')} ({format_share(result.lost / total)}) "
            "never ended well and are in no figure",
            "if they fail more often at high latency, what is left looks too fast",
        )


def _thin(studies: Sequence[Study]) -> Iterator[Notice]:
    thin = [f"{s.name} at {c.level.name}" for s in studies for c in s.cells if c.n and c.few]
    if thin:
        yield Notice(
            "few-runs",
            f"fewer than {ENOUGH} runs: {_some(thin)}",
            "make more repetitions; `campaign run` adds them to what there is",
        )


def _missing(studies: Sequence[Study]) -> Iterator[Notice]:
    levels = {(study.layer, cell.level.name) for study in studies for cell in study.cells}
    gone = [
        f"{study.name} at {name}"
        for study in studies
        for name in sorted(name for layer, name in levels if layer == study.layer)
        if not any(cell.n for cell in study.cells if cell.level.name == name)
    ]
    if gone:
        yield Notice(
            "missing-levels",
            f"no run: {_some(gone)}",
            "programs are then compared over different levels",
        )


def _disorder(result: Suites) -> Iterator[Notice]:
    found = result.drift
    if found and found.p < SIGNIFICANT and abs(found.factor - 1) > _DRIFT:
        yield Notice(
            "drift",
            f"runtimes changed by {100 * (found.factor - 1):.2g}% from the first run to the last "
            f"(p = {format_p(found.p)})",
            "the machine changed meanwhile; random order spreads that over all levels",
        )
    balance = result.balance
    if balance and balance.p < 0.01:  # noqa: PLR2004 - random order fails this once in 100
        yield Notice(
            "not-random-order",
            f"latency goes with the order of the runs (Spearman's ρ {balance.mean:.2f} for the "
            f"mean, {balance.sd:.2f} for the sd): levels were not in random order",
            "drift of the machine cannot be told from latency; run the campaign in random order",
        )


def _hanging(studies: Sequence[Study]) -> Iterator[Notice]:
    found = [(study.name, pivotal(study)) for study in studies]
    if hanging := [sentence(name, runs) for name, runs in found if runs]:
        yield Notice(
            "hangs-on-one-run",
            f"without one run the answer would be another: {_some(hanging)}",
            "make more repetitions, and look at that run in “Every run” and the CSV",
        )


def _apart(studies: Sequence[Study]) -> Iterator[Notice]:
    found = [
        f"{study.name} at {cell.level.name}: {format_time(T, 4)} where half take under "
        f"{format_time(float(np.median(cell.T_ns)), 4)}"
        for study in studies
        for cell in study.cells
        for T in cell.T_ns[cell.outliers].tolist()
    ]
    if found:
        yield Notice(
            "outliers",
            f"{counted(len(found), 'run')} far from the others of the level, kept in every figure: "
            f"{_some(found, ';')}",
            "Spearman's ρ in the JSON does not mind them",
        )


def _missed(studies: Sequence[Study]) -> Iterator[Notice]:
    away = [
        f"{study.name} at {cell.level.name} ({name} {format_time(got, 3)} for "
        f"{format_time(asked, 3)})"
        for study in studies
        for cell in study.cells
        if cell.known
        for name, got, asked in _figures(cell)
        if asked > 0 and abs(got / asked - 1) > _AWAY
    ]
    if away:
        yield Notice(
            "asked-not-achieved",
            f"messages had another latency than was asked for, by over {format_share(_AWAY)}: "
            f"{_some(away)}",
            "a message waits behind an earlier one with a long latency, and for a rank that is not "
            "running; give ranks cores of their own to leave only the first",
        )


def _figures(cell: Cell) -> Iterable[tuple[str, float, float]]:
    yield "mean", float(cell.got_mean_ns.mean()), cell.level.mean_ns
    yield "sd", float(cell.got_sd_ns.mean()), cell.level.sd_ns


def _confounded(studies: Sequence[Study]) -> Iterator[Notice]:
    """Achieved latency holds preemption, which slows the run by itself."""
    pairs = [(study, study.by_level, study.by_level_achieved) for study in studies]
    moved = [
        f"{study.name} (r_mean {got.mean.pearson.r:.2f}, r_std {got.std.pearson.r:.2f})"
        for study, asked, got in pairs
        if asked and got
        if max(
            abs(got.std.pearson.r - asked.std.pearson.r),
            abs(got.mean.pearson.r - asked.mean.pearson.r),
        )
        > _MOVED
    ]
    if moved:
        yield Notice(
            "achieved-and-asked-differ",
            f"correlations with the latency that messages had are others: {_some(moved)}",
            "verdicts use what was asked for, which nothing in a run can change; a disturbed run "
            "has longer latencies and a longer runtime for one reason",
        )


def _background(result: Suites) -> Iterator[Notice]:
    runs = result.runs
    change = (runs["b_after"] - runs["b_before"]).abs().dropna()
    if (count := int((change > _B).sum())) > 0:
        yield Notice(
            "background-changed",
            f"background traffic b changed by over {format_share(_B)} during "
            f"{counted(count, 'run')} of {len(change):,}",
            "Salimi Beni and Cosenza leave such runs out; here they are kept",
        )


def _some(items: Sequence[str], mark: str = ",") -> str:
    shown = 3
    more = f"{mark} and {len(items) - shown:,} more" if len(items) > shown else ""
    return f"{mark} ".join(items[:shown]) + more
