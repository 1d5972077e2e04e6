"""Predicts a campaign's levels from execution graphs, whether the levels were run or not."""

import math
import socket
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

import msgspec
import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.cpu_order import in_order
from latitude.distributions.table import SIZE
from latitude.experiments.planned import LevelPlan
from latitude.experiments.record import frame_of
from latitude.files.provenance import Digest, provenance
from latitude.lab.campaign.plan import Plan
from latitude.lab.campaign.suites.analyse import analyse
from latitude.lab.results.campaign import (
    CampaignAnalysis,
    CampaignProgram,
    PredictedLevel,
    PredictedProgram,
)
from latitude.lab.statistics.mean_and_spread import correlated, plane
from latitude.model.network import Network, warnings_of
from latitude.notices import kinds
from latitude.notices.notice import gathered
from latitude.random.forecast.random import Random, Where, compile_random
from latitude.random.forecast.source import LatencySource
from latitude.results.runs import CONSTANT, DISTRIBUTION, LOAD, NONE, OK, SWEEP, RunRecord, Runs
from latitude.statistics.accuracy import root_mean_square, rrmse
from latitude.trace.program import Program

SAMPLES = 100
"""Samples per level; their mean is as exact as the mean of a campaign's runs."""
_WHERE: dict[str, Where] = {"flow": "flow", "verbs": "sender"}
"""Injection layer → place where its latency is spent."""


def predict(
    measured: CampaignProgram,
    program: Program,
    network: Network,
    tables: Mapping[str, Floats],
    *,
    samples: int = SAMPLES,
    seed: int = 1,
    threads: int = 0,
) -> PredictedProgram:
    """Mean runtimes at the measured levels, by the longest path under drawn latencies.

    Args:
        measured: the measured program.
        program: the trace of the same program on the same number of ranks, without injection.
        network: LogGPS parameters of the machine of the measurement.
        tables: (4096,) latencies of each level, ns, by its name.
        samples: runs drawn per level.
        seed: seed of the draws.
        threads: threads; 0 means one per core.

    Raises:
        InputError: the trace has another number of ranks than the runs, or a level has no table.
    """
    study = measured.study
    _check_ranks(program, study.name, study.ranks)
    cells = study.of(NONE, CONSTANT, DISTRIBUTION, SWEEP)
    none = np.zeros(SIZE)
    values = [none if c.level.kind == NONE else _table(c, tables) for c in cells]
    where = _WHERE[study.layer or "flow"]
    dag = _compiled(program, network, where, values)
    levels = []
    for index, (cell, each) in enumerate(zip(cells, values, strict=True)):
        T = dag.with_table(each, None).runtimes(seed, index * samples, samples, threads).mean()
        levels.append(
            PredictedLevel(
                level=cell.level.name,
                runtime_ns=float(T),
                runtime_of_mean_ns=dag.with_table(np.full(SIZE, each.mean()), None).lower_ns(),
                error=float(T) / cell.average_ns - 1,
                cell=cell,
            )
        )
    averages = [cell.average_ns for cell in cells]
    design = {cell.level for cell in study.design}
    chosen = [each for each in levels if each.cell.level in design]
    asked = (
        [each.cell.level.mean_ns for each in chosen],
        [each.cell.level.sd_ns for each in chosen],
        [each.runtime_ns for each in chosen],
    )
    return PredictedProgram(
        input=str(program.path),
        input_sha256=program.digest.hex(),
        L_ns=network.L,
        where=where,
        samples=samples,
        reference_ns=dag.with_table(none, None).lower_ns(),
        levels=levels,
        rrmse=rrmse([each.runtime_ns for each in levels], averages),
        noise=root_mean_square([_standard_error(cell) for cell in cells if cell.n > 1]),
        rrmse_of_means_alone=rrmse([each.runtime_of_mean_ns for each in levels], averages),
        over_levels=correlated(*asked) if measured.over_levels else None,
        plane=plane(*asked) if measured.plane else None,
    )


def predicted_campaign(
    plan: Plan, programs: Mapping[str, Program], network: Network, *, threads: int = 0
) -> CampaignAnalysis:
    """The suites of Underwood et al. 2018 ([U]) without a cluster; every run is drawn from a graph.

    Each run has its own random numbers, as the tests of [U] §7 assume. Levels of real load are left
    out, because a graph does not model congestion.

    Args:
        plan: the campaign's plan.
        programs: the trace of each program, by its name; other programs are left out.
        network: LogGPS parameters of the machine.
        threads: threads; 0 means one per core.

    Raises:
        InputError: a trace has another number of ranks than the campaign launches.
    """
    campaign = plan.campaign
    found: dict[tuple[str, str], Floats] = {}
    for subject in campaign.programs:
        if (program := programs.get(subject.name)) is None:
            continue
        _check_ranks(program, subject.name, subject.ranks)
        levels = [level for level in campaign.levels if level.kind != LOAD]
        for where in dict.fromkeys(map(_spent, levels)):
            here = [level for level in levels if _spent(level) == where]
            values = [
                np.zeros(SIZE) if level.table is None else level.table.values.astype(np.float64)
                for level in here
            ]
            dag = _compiled(program, network, where, values)
            for index, (level, table) in enumerate(zip(here, values, strict=True)):
                found[subject.name, level.name] = dag.with_table(table, None).runtimes(
                    campaign.seed, index * campaign.repetitions, campaign.repetitions, threads
                )
    now, host = datetime.now(timezone.utc).isoformat(), socket.gethostname()
    runs = frame_of(
        [
            RunRecord(
                run_id=run.id,
                campaign=campaign.name,
                program=run.program.name,
                ranks=programs[run.program.name].graph.ranks,
                level=run.level.name,
                family=run.level.family,
                kind=run.level.kind,
                layer=run.level.layer,
                asked_mean_ns=run.level.mean_ns,
                asked_sd_ns=run.level.sd_ns,
                achieved_mean_ns=None,
                achieved_sd_ns=None,
                late_mean_ns=None,
                load=run.level.load,
                seed=campaign.seed,
                repetition=run.repetition,
                order=run.order,
                attempt=1,
                status=OK,
                exit_code=0,
                runtime_ns=float(T[run.repetition - 1]),
                wall_ns=float(T[run.repetition - 1]),
                messages=programs[run.program.name].graph.messages,
                started=now,
                host=host,
                nodes=None,
                b_before=None,
                b_after=None,
                error=None,
            )
            for run in plan.runs
            if (T := found.get((run.program.name, run.level.name))) is not None
        ]
    )
    result = analyse(runs, provenance(campaign.file, Digest([campaign.file])))
    notices = [
        kinds.RUNS_DRAWN(
            "no run has been made: every runtime is the longest path of an execution graph under "
            "drawn latencies"
        ),
        *gathered((name, each) for name, program in programs.items() for each in program.warnings),
        *warnings_of(network),
    ]
    return msgspec.structs.replace(result, warnings=[*notices, *result.warnings])


def _spent(level: LevelPlan) -> Where:
    return _WHERE[level.layer or "flow"]


def _compiled(
    program: Program, network: Network, where: Where, tables: Sequence[Floats]
) -> _core.RandomDag:
    """The graph, ready for the latencies of these tables; no latency is negative."""
    last = tables[-1] if tables else np.zeros(SIZE)
    most = max((float(each[-1]) for each in tables), default=0.0)
    random = Random(LatencySource("levels", last), where=where)
    placed = network.placed_as(program.path)
    return compile_random(in_order(program, placed).graph, placed, random, (0.0, most))


def _check_ranks(program: Program, name: str, ranks: int | None) -> None:
    if ranks is not None and program.graph.ranks != ranks:
        raise InputError(
            f"{program.path}: a trace of {program.graph.ranks} ranks, but {name} runs on {ranks}"
        )


def _standard_error(cell: Runs) -> float:
    """Relative standard error of the mean runtime."""
    return cell.spread / math.sqrt(cell.n)


def _table(cell: Runs, tables: Mapping[str, Floats]) -> Floats:
    level = cell.level
    if level.name in tables:
        return tables[level.name]
    if level.sd_ns == 0:
        return np.full(SIZE, level.mean_ns)
    raise InputError(
        f"level {level.name} has no known table, so nothing can be predicted; give the level "
        "a distribution"
    )
