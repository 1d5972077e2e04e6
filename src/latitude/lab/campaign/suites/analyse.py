"""Evaluates runs by the suites of Underwood et al. 2018 ([U])."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
import numpy as np
import pandas as pd

from latitude._core import InputError
from latitude._types import Floats
from latitude.experiments.record import read_runs, run_files
from latitude.files.provenance import Digest, Provenance, provenance
from latitude.lab.campaign.relations import along, as_achieved, plane_of, related
from latitude.lab.campaign.suites.answer import answer
from latitude.lab.campaign.suites.notices import notices
from latitude.lab.results.campaign import (
    CampaignAnalysis,
    CampaignLevel,
    CampaignProgram,
    CampaignStep,
    FailedAttempt,
    LevelNormality,
    MeanCosts,
    NormalityCount,
    OrderBalance,
    PredictedProgram,
    StepTest,
)
from latitude.lab.statistics.correlation import spearman
from latitude.lab.statistics.mean_and_spread import Correlated
from latitude.lab.statistics.mean_ratios import Drift, contrast, drift
from latitude.lab.statistics.normality import apart, normality
from latitude.results.runs import KINDS, OK, Equal, Level, Runs, Study, over_levels, over_runs
from latitude.statistics.conventions import LEAST
from latitude.statistics.corrections import SIGNIFICANT, Corrected, corrected, holm
from latitude.statistics.rank_test import RankTest, rank_test

if TYPE_CHECKING:
    from latitude.results.injection import Layer

    Column = pd.Series[Any]


def analyse_directory(directory: Path) -> CampaignAnalysis:
    """The suites of [U] from a campaign's directory. InputError: no run succeeded."""
    digest = Digest(run_files(directory, failures=True))
    runs = read_runs(directory, failures=True)
    return analyse(runs, provenance(directory, digest))


def analyse(runs: pd.DataFrame, made: Provenance) -> CampaignAnalysis:
    """The suites of [U], from runs by `read_runs(…, failures=True)`.

    Raises:
        InputError: no run succeeded, the kind of a level is unknown, or a runtime is not above 0.
    """
    done = runs[runs["status"] == OK]
    if done.empty:
        raise InputError(f"{made.input}: none of {len(runs):,} runs succeeded; {_why(runs)}")
    if unknown := set(runs["kind"]) - set(KINDS):
        raise InputError(f"{made.input}: kind '{unknown.pop()}' of a run is unknown")
    if not (done["runtime_ns"] > 0).all():
        raise InputError(f"{made.input}: a successful run has no runtime over 0")
    studies = list(studies_of(runs))
    cells = [cell for study in studies for cell in study.cells]
    programs = _programs(studies)
    tests = [level.normality for each in programs for level in each.levels if level.normality]
    design = [cell.got_mean_ns for study in studies for cell in study.design]
    result = CampaignAnalysis(
        provenance=made,
        campaign=str(runs["campaign"].iloc[0]),
        attempts=len(runs),
        done=sum(cell.n for cell in cells),
        lost=sum(cell.lost for cell in cells),
        achieved_share=_known_share(design),
        programs=programs,
        steps=_steps(studies),
        failures=list(_failures(runs)),
        normality=NormalityCount(
            tested=len(tests),
            not_normal=sum(p < SIGNIFICANT for p in holm([test.p for test in tests]))
            if tests
            else 0,
        ),
        drift=_drift(cells),
        order=_balance(done),
        warnings=[],
        runs=runs,
    )
    return msgspec.structs.replace(result, warnings=notices(result))


def with_predictions(
    result: CampaignAnalysis, predicted: Mapping[str, PredictedProgram]
) -> CampaignAnalysis:
    """The same result with predictions from traces, by the program's name in the result."""
    programs = [
        msgspec.structs.replace(each, predicted=predicted.get(each.name))
        for each in result.programs
    ]
    return msgspec.structs.replace(result, programs=programs)


def _why(runs: pd.DataFrame) -> str:
    error = runs["error"].dropna()
    return f"the last says: {error.iloc[-1]}" if len(error) else "they left no reason"


def studies_of(runs: pd.DataFrame) -> Iterable[Study]:
    """Splits runs into studies, one per program, number of ranks and layer, with rising levels."""
    several = runs.groupby("program")["ranks"].nunique().max() > 1
    for _, part in runs.groupby(["program", "ranks"], dropna=False):
        program, ranks = str(part["program"].iloc[0]), part["ranks"].iloc[0]
        layers = list(part["layer"].dropna().unique()) or [None]
        for layer in layers:
            chosen = part[part["layer"].isna() | (part["layer"] == layer)]
            count = None if pd.isna(ranks) else int(ranks)
            name = f"{program} {count}" if several and count is not None else program
            levels = chosen.groupby(["layer", "level"], sort=False, dropna=False)
            cells = sorted((_cell(each) for _, each in levels), key=lambda c: c.level.rising)
            yield Study(
                name=f"{name}, {layer}" if len(layers) > 1 else name,
                cells=tuple(cells),
                program=program,
                ranks=count,
                layer=layer,
                messages=_messages(chosen),
            )


def _messages(runs: pd.DataFrame) -> float | None:
    counts = runs.loc[runs["status"] == OK, "messages"].dropna()
    counts = counts[counts > 0]
    return float(counts.median()) if len(counts) else None


def _cell(runs: pd.DataFrame) -> Runs:
    first = runs.iloc[0]
    load = first["load"]
    level = Level(
        name=str(first["level"]),
        kind=str(first["kind"]),
        family=_text(first["family"]),
        layer=cast("Layer | None", _text(first["layer"])),
        load=None if pd.isna(load) else float(load),
        mean_ns=float(first["asked_mean_ns"]),
        sd_ns=float(first["asked_sd_ns"]),
    )
    done = runs[runs["status"] == OK].drop_duplicates("repetition", keep="last")
    return Runs(
        level=level,
        T_ns=_floats(done["runtime_ns"]),
        run_ids=tuple(done["run_id"].astype(str)),
        got_mean_ns=_floats(done["achieved_mean_ns"]),
        got_sd_ns=_floats(done["achieved_sd_ns"]),
        order=_floats(done["order"]),
        lost=int(runs["repetition"].nunique() - done["repetition"].nunique()),
    )


def _floats(column: "Column") -> Floats:
    return column.to_numpy(dtype=np.float64)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


@dataclass(frozen=True, slots=True)
class _Related:
    study: Study
    runs: Correlated | None
    levels: Correlated | None


def _programs(studies: Sequence[Study]) -> list[CampaignProgram]:
    found = [_Related(s, related(s, over_runs), related(s, over_levels)) for s in studies]
    tests = [each.levels.dependent for each in found if each.levels and each.levels.dependent]
    p_values = _corrected([test.williams_p for test in tests])
    return [
        _program(each, next(p_values) if each.levels and each.levels.dependent else None)
        for each in found
    ]


def _program(found: _Related, p: Corrected | None) -> CampaignProgram:
    study = found.study
    costs = [_costs(equal, study.baseline) for equal in study.varied]
    sweep, injector = along(study.swept), None
    achieved = as_achieved(study, over_levels)
    if study.idle is not None and study.bare is not None:
        injector = contrast([study.idle.T_ns, study.bare.T_ns], [1, -1])
    return CampaignProgram(
        name=study.name,
        program=study.program,
        ranks=study.ranks,
        layer=study.layer,
        messages=study.messages,
        reference=None if study.reference is None else study.reference.level.name,
        reference_ns=study.median_base_ns,
        injector=injector,
        answer=answer(study, found.runs, found.levels, achieved, p, costs, sweep),
        levels=[_level(study, cell) for cell in study.cells],
        over_runs=found.runs,
        over_levels=found.levels,
        over_runs_as_achieved=as_achieved(study, over_runs),
        over_levels_as_achieved=achieved,
        plane=plane_of(study),
        against_mean=along([*study.still, *study.steady]),
        against_delta_L=sweep,
        costs=costs,
        predicted=None,
        study=study,
    )


def _level(study: Study, cell: Runs) -> CampaignLevel:
    level, test = cell.level, None
    if cell.n >= LEAST and np.ptp(cell.T_ns) > 0:
        found = normality(cell.T_ns)
        test = LevelNormality(distance=found.distance, p=found.p)
    return CampaignLevel(
        level=level.name,
        kind=level.kind,
        family=level.family,
        load=level.load,
        asked_mean_ns=level.mean_ns,
        asked_sd_ns=level.sd_ns,
        achieved_mean_ns=float(cell.got_mean_ns.mean()) if cell.known else None,
        achieved_sd_ns=float(cell.got_sd_ns.mean()) if cell.known else None,
        runs=cell.n,
        lost=cell.lost,
        few=cell.few,
        runtime_ns=cell.T_ns,
        outlier=apart(cell.T_ns),
        slowdown=study.times(cell) - 1 if cell.n else None,
        normality=test,
        cell=cell,
    )


def _costs(at: Equal, baseline: Runs | None) -> MeanCosts:
    narrow, wide = at.narrow.T_ns, at.wide.T_ns
    mean = excess = None
    if baseline is not None and at.steady is not None:
        alone = baseline.T_ns
        mean = contrast([narrow, alone], [1, -1])
        excess = contrast([wide, narrow, alone], [1, -2, 1])
    return MeanCosts(
        mean_ns=at.mean_ns,
        load=at.load,
        sd_ns=at.wide.level.sd_ns,
        mean=mean,
        spread=contrast([wide, narrow], [1, -1]),
        excess=excess,
        at=at,
    )


def _steps(studies: Sequence[Study]) -> list[CampaignStep]:
    pairs = [
        (study, equal.narrow, wide)
        for study in studies
        for equal in study.means
        for wide in equal.cells[1:]
    ]
    tests = [
        rank_test(wide.T_ns, narrow.T_ns) if min(wide.n, narrow.n) >= LEAST else None
        for _, narrow, wide in pairs
    ]
    p_values = _corrected([test.p.p for test in tests if test is not None])
    return [
        CampaignStep(
            program=study.name,
            level=wide.level.name,
            against=narrow.level.name,
            ratio=contrast([wide.T_ns, narrow.T_ns], [1, -1]),
            mann_whitney=None if test is None else _step_test(test, next(p_values)),
        )
        for (study, narrow, wide), test in zip(pairs, tests, strict=True)
    ]


def _step_test(test: RankTest, p: Corrected) -> StepTest:
    return StepTest(
        u=test.u,
        larger=test.larger,
        larger_low=test.larger_low,
        larger_high=test.larger_high,
        shift_ns=test.shift_ns,
        p=p,
    )


def _failures(runs: pd.DataFrame) -> Iterable[FailedAttempt]:
    same = ["program", "ranks", "layer", "level", "repetition"]
    well = runs[runs["status"] == OK].set_index(same).index
    failed = runs[runs["status"] != OK]
    mended = failed.set_index(same).index.isin(well)
    for (_, run), later in zip(failed.iterrows(), mended.tolist(), strict=True):
        error = run["error"]
        yield FailedAttempt(
            program=str(run["program"]),
            level=str(run["level"]),
            repetition=int(run["repetition"]),
            attempt=int(run["attempt"]),
            status=str(run["status"]),
            error=error if isinstance(error, str) else "no reason recorded",
            mended=later,
        )


def _drift(cells: Sequence[Runs]) -> Drift | None:
    """The drift, with each cell counted once, because a baseline may belong to several studies."""
    each = list({cell.run_ids: cell for cell in cells if cell.n}.values())
    return drift([cell.order for cell in each], [cell.T_ns for cell in each])


def _known_share(got: Sequence[Floats]) -> float:
    total = sum(each.size for each in got)
    return sum(int((~np.isnan(each)).sum()) for each in got) / total if total else 0.0


def _balance(done: pd.DataFrame) -> OrderBalance | None:
    order = done["order"].to_numpy(dtype=np.float64)
    columns = [done[name].to_numpy(dtype=np.float64) for name in ("asked_mean_ns", "asked_sd_ns")]
    if order.size < LEAST or np.ptp(order) == 0:
        return None
    found = [spearman(order, column) if np.ptp(column) > 0 else None for column in columns]
    known = [each for each in found if each is not None]
    if not known:
        return None
    mean, sd = (math.nan if each is None else each.r for each in found)
    p = min(min(each.p for each in known) * len(known), 1.0)
    return OrderBalance(rho_mean=mean, rho_sd=sd, p=p)


def _corrected(p: Sequence[float]) -> Iterator[Corrected]:
    return iter(corrected(p) if p else [])
