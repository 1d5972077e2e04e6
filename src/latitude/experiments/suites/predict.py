"""What the execution graph of a program predicts for the levels it was measured at."""

import math
from collections.abc import Mapping

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.cpu_order import in_order
from latitude.distributions.table import SIZE
from latitude.model.network import Network
from latitude.random.forecast.random import Random, Where, compile_random
from latitude.random.forecast.source import LatencySource
from latitude.results.campaign import CampaignProgram, PredictedLevel, PredictedProgram
from latitude.results.levels import CONSTANT, DISTRIBUTION, NONE, SWEEP
from latitude.results.runs import Runs
from latitude.statistics.accuracy import root_mean_square, rrmse
from latitude.statistics.mean_and_spread import correlated, plane
from latitude.trace.program import Program

SAMPLES = 100
"""Of each level: their mean is then as good as that of any campaign's runs."""
_WHERE: dict[str, Where] = {"flow": "flow", "verbs": "sender"}
"""Where a layer spends latency."""


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
    """Mean runtimes at the levels that were measured, by the longest path under drawn latencies.

    Args:
        measured: what was measured.
        program: the trace of the same program on as many ranks, without injection.
        network: LogGPS parameters of the machine it was measured on.
        tables: (4096,) latencies of each level, ns, by its name.
        samples: runs drawn per level.
        seed: of the draws.
        threads: threads; 0 means one per core.

    Raises:
        InputError: other ranks than were measured, or a level without a table.
    """
    study = measured.study
    if study.ranks is not None and program.graph.ranks != study.ranks:
        raise InputError(
            f"{program.path}: a trace of {program.graph.ranks} ranks, but {study.name} ran on "
            f"{study.ranks}"
        )
    cells = study.of(NONE, CONSTANT, DISTRIBUTION, SWEEP)
    none = np.zeros(SIZE)
    values = [none if c.level.kind == NONE else _table(c, tables) for c in cells]
    where = _WHERE[study.layer or "flow"]
    random = Random(LatencySource("measured", values[-1]), where=where, seed=seed)
    most = max((float(each[-1]) for each in values), default=0.0)
    program = in_order(program, network)
    dag = compile_random(program.graph, network.placed_as(program.path), random, (0.0, most))
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


def _standard_error(cell: Runs) -> float:
    """Of the mean runtime, relative to it."""
    return cell.spread / math.sqrt(cell.n)


def _table(cell: Runs, tables: Mapping[str, Floats]) -> Floats:
    level = cell.level
    if level.name in tables:
        return tables[level.name]
    if level.sd_ns == 0:
        return np.full(SIZE, level.mean_ns)
    raise InputError(f"level {level.name}: its table is not known, so nothing can be predicted")
