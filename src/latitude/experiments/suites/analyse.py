"""Runs → suites."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from latitude._core import InputError
from latitude.experiments.campaign.record import KINDS, OK, read_runs, run_files
from latitude.experiments.suites.cells import Cell, cells_of
from latitude.experiments.suites.notices import notices
from latitude.experiments.suites.result import (
    MEAN,
    OPEN,
    SPREAD,
    Balance,
    Failure,
    Step,
    Suites,
    Verdict,
)
from latitude.experiments.suites.study import Study
from latitude.files.provenance import Digest, Provenance, provenance
from latitude.statistics.corrections import SIGNIFICANT, Corrected, benjamini_hochberg, holm
from latitude.statistics.correlation import spearman
from latitude.statistics.drift import Drift, drift
from latitude.statistics.mean_ratios import contrast
from latitude.statistics.rank_test import LEAST as RANKS_LEAST
from latitude.statistics.rank_test import rank_test
from latitude.units.p_values import format_p

_LEAST = 4


def analyse_directory(directory: Path) -> Suites:
    """The suites of [U] from a campaign's directory; InputError when it holds no good run."""
    digest = Digest(run_files(directory, failures=True))
    runs = read_runs(directory, failures=True)
    return analyse(runs, provenance(directory, digest))


def analyse(runs: pd.DataFrame, made: Provenance) -> Suites:
    """The suites of [U] from runs as `read_runs(…, failures=True)` gives them.

    Raises:
        InputError: no run ended well, or a kind of level that is none.
    """
    done = runs[runs["status"] == OK]
    if done.empty:
        raise InputError(f"{made.input}: none of {len(runs):,} runs ended well; {_why(runs)}")
    if unknown := set(runs["kind"]) - set(KINDS):
        raise InputError(f"{made.input}: kind '{unknown.pop()}' of a run is unknown")
    if not (done["runtime_ns"] > 0).all():
        raise InputError(f"{made.input}: a run that ended well has no runtime over 0")
    studies = tuple(_studies(runs))
    steps = _steps(studies)
    tested = [c.normality.p for s in studies for c in s.cells if c.normality is not None]
    result = Suites(
        provenance=made,
        campaign=str(runs["campaign"].iloc[0]),
        runs=runs,
        studies=studies,
        verdicts=_verdicts(studies),
        steps=steps,
        failures=tuple(_failures(runs)),
        not_normal=sum(p < SIGNIFICANT for p in holm(tested)) if tested else 0,
        tested=len(tested),
        drift=_drift(studies),
        balance=_balance(done),
        warnings=[],
    )
    return replace(result, warnings=notices(result))


def _why(runs: pd.DataFrame) -> str:
    error = runs["error"].dropna()
    return f"the last says: {error.iloc[-1]}" if len(error) else "they left no reason"


def _studies(runs: pd.DataFrame) -> Iterable[Study]:
    several = runs.groupby("program")["ranks"].nunique().max() > 1
    for _, part in runs.groupby(["program", "ranks"], dropna=False):
        program, ranks = str(part["program"].iloc[0]), part["ranks"].iloc[0]
        layers = list(part["layer"].dropna().unique()) or [None]
        for layer in layers:
            chosen = part[part["layer"].isna() | (part["layer"] == layer)]
            count = None if pd.isna(ranks) else int(ranks)
            name = f"{program} {count}" if several and count is not None else program
            yield Study(
                name=f"{name}, {layer}" if len(layers) > 1 else name,
                program=program,
                ranks=count,
                layer=layer,
                messages=_messages(chosen),
                cells=tuple(cells_of(chosen)),
            )


def _messages(runs: pd.DataFrame) -> float | None:
    counts = runs.loc[runs["status"] == OK, "messages"].dropna()
    counts = counts[counts > 0]
    return float(counts.median()) if len(counts) else None


def _steps(studies: Sequence[Study]) -> tuple[Step, ...]:
    found = [
        Step(
            study,
            equal.narrow,
            wide,
            contrast([wide.T_ns, equal.narrow.T_ns], [1, -1]),
            rank_test(wide.T_ns, equal.narrow.T_ns)
            if min(wide.n, equal.narrow.n) >= RANKS_LEAST
            else None,
            None,
        )
        for study in studies
        for equal in study.means
        for wide in equal.cells[1:]
    ]
    corrected = _corrected([step.ranks.p.p for step in found if step.ranks is not None])
    return tuple(step if step.ranks is None else replace(step, p=next(corrected)) for step in found)


def _verdicts(studies: Sequence[Study]) -> tuple[Verdict, ...]:
    levels = [study.by_level for study in studies]
    tests = [found.dependent for found in levels if found and found.dependent]
    corrected = _corrected([test.williams_p for test in tests])
    return tuple(
        _verdict(study, next(corrected))
        if study.by_level and study.by_level.dependent
        else Verdict(OPEN, _untested(study), None)
        for study in studies
    )


def _verdict(study: Study, p: Corrected) -> Verdict:
    found = study.by_level
    if found is None:
        return Verdict(OPEN, _untested(study), p)
    r_mean, r_std = found.mean.pearson.r, found.std.pearson.r
    if p.holm < SIGNIFICANT and max(r_mean, r_std) > 0:
        return Verdict(SPREAD if r_std > r_mean else MEAN, "", p)
    corrected = ", Holm’s" if p.holm > p.p else ""
    runs = study.by_run
    if runs and min(runs.mean.pearson.p, runs.std.pearson.p) >= SIGNIFICANT:
        return Verdict(
            OPEN,
            f"the runtime is not seen to follow either over {runs.n} runs (r = "
            f"{runs.std.pearson.r:.2f} with the variation, {runs.mean.pearson.r:.2f} with the "
            "mean)",
            p,
        )
    return Verdict(
        OPEN,
        f"over {found.n} levels r = {r_std:.2f} with the variation and {r_mean:.2f} with the mean "
        f"are too close to tell apart (Williams p = {format_p(p.holm)}{corrected})",
        p,
    )


def _untested(study: Study) -> str:
    if not study.design:
        return "no level has constant or random latency of a stated mean"
    if not any(len(equal.cells) > 1 for equal in study.means):
        return "no two levels have one mean and different variation"
    if len(study.means) == 1:
        return "all levels have one mean; it takes two or more"
    if len(study.design) < _LEAST:
        return f"{len(study.design)} levels are too few; it takes {_LEAST} or more"
    return "the runtime, the mean or the variation is the same at all levels"


def _failures(runs: pd.DataFrame) -> Iterable[Failure]:
    same = ["program", "ranks", "layer", "level", "repetition"]
    well = runs[runs["status"] == OK].set_index(same).index
    failed = runs[runs["status"] != OK]
    mended = failed.set_index(same).index.isin(well)
    for (_, run), later in zip(failed.iterrows(), mended.tolist(), strict=True):
        error = run["error"]
        yield Failure(
            program=str(run["program"]),
            level=str(run["level"]),
            repetition=int(run["repetition"]),
            attempt=int(run["attempt"]),
            status=str(run["status"]),
            error=error if isinstance(error, str) else "no reason recorded",
            mended=later,
        )


def _drift(studies: Sequence[Study]) -> Drift | None:
    cells = _each(studies)
    return drift([cell.order for cell in cells], [cell.T_ns for cell in cells])


def _each(studies: Sequence[Study]) -> list[Cell]:
    """Every cell once: a baseline may belong to several studies."""
    cells = [cell for study in studies for cell in study.cells if cell.n]
    return list({cell.run_ids: cell for cell in cells}.values())


def _balance(done: pd.DataFrame) -> Balance | None:
    order = done["order"].to_numpy(dtype=np.float64)
    columns = [done[name].to_numpy(dtype=np.float64) for name in ("asked_mean_ns", "asked_sd_ns")]
    if order.size < _LEAST or np.ptp(order) == 0:
        return None
    found = [spearman(order, column) for column in columns if np.ptp(column) > 0]
    if not found:
        return None
    r = [spearman(order, column).r if np.ptp(column) > 0 else math.nan for column in columns]
    return Balance(r[0], r[1], min(min(each.p for each in found) * len(found), 1.0))


def _corrected(p: Sequence[float]) -> Iterator[Corrected]:
    return iter(
        [Corrected(*each) for each in zip(p, holm(p), benjamini_hochberg(p), strict=True)]
        if p
        else []
    )
