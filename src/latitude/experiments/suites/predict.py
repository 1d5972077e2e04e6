"""What the execution graph of a program predicts for the levels it was measured at."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.distributions.table import SIZE
from latitude.experiments.campaign.record import CONSTANT, DISTRIBUTION, NONE, SWEEP
from latitude.experiments.suites.cells import Cell
from latitude.experiments.suites.study import Study
from latitude.model.network import Network
from latitude.random.forecast.random import Random, Where, compile_random
from latitude.random.forecast.source import LatencySource
from latitude.statistics.mean_and_spread import Correlated, Plane, correlated, plane
from latitude.trace.program import Program

SAMPLES = 100
"""Of each level: their mean is then as good as that of any campaign's runs."""
_WHERE: dict[str, Where] = {"flow": "flow", "verbs": "sender"}
"""Where a layer spends latency."""


@dataclass(frozen=True, slots=True)
class PredictedLevel:
    """One level: the graph's mean runtime beside the measured one."""

    cell: Cell
    T_ns: float
    steady_ns: float
    """By the mean latency alone, as if it did not vary."""

    @property
    def error(self) -> float:
        """Relative to the measured mean."""
        return self.T_ns / float(self.cell.T_ns.mean()) - 1


@dataclass(frozen=True, slots=True)
class Predicted:
    """One program."""

    input: str
    input_sha256: str
    L_ns: float
    where: str
    """On the wire (flow) or on the sender's CPU (sender)."""
    samples: int
    base_ns: float
    """Without injected latency."""
    levels: tuple[PredictedLevel, ...]
    by_level: Correlated | None
    """As `Study.by_level`, of predicted runtimes against the latency asked for."""
    plane: Plane | None

    @property
    def rrmse(self) -> float:
        """Root mean square error over the levels, relative to their mean measured runtime."""
        return self._error([each.T_ns for each in self.levels])

    @property
    def rrmse_steady(self) -> float:
        """The same of predictions by the mean latency alone."""
        return self._error([each.steady_ns for each in self.levels])

    @property
    def noise(self) -> float:
        """Standard error of the measured mean runtimes, in the same measure."""
        cells = [each.cell for each in self.levels]
        known = [float(cell.T_ns.var(ddof=1)) / cell.n for cell in cells if cell.n > 1]
        mean = float(np.mean([cell.T_ns.mean() for cell in cells]))
        return float(np.sqrt(np.mean(known))) / mean if known else math.nan

    def times(self, T_ns: float) -> float:
        """A runtime as a multiple of that without injected latency."""
        return T_ns / self.base_ns

    def _error(self, predicted: Sequence[float]) -> float:
        measured = np.array([float(each.cell.T_ns.mean()) for each in self.levels])
        return float(np.sqrt(np.square(predicted - measured).mean()) / measured.mean())


def predict(
    study: Study,
    program: Program,
    network: Network,
    tables: Mapping[str, Floats],
    *,
    samples: int = SAMPLES,
    seed: int = 1,
    threads: int = 0,
) -> Predicted:
    """Mean runtimes at the study's levels, by the longest path under drawn latencies.

    Args:
        study: what was measured.
        program: the trace of the same program on as many ranks, without injection.
        network: LogGPS parameters of the machine it was measured on.
        tables: (4096,) latencies of each level, ns, by its name.
        samples: runs drawn a level.
        seed: of the draws.
        threads: threads; 0 means one a core.

    Raises:
        InputError: other ranks than were measured, or a level without a table.
    """
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
    dag = compile_random(program.graph, network.placed_as(program.path), random, (0.0, most))
    levels = tuple(
        PredictedLevel(
            cell,
            float(dag.with_table(each, None).runtimes(seed, i * samples, samples, threads).mean()),
            dag.with_table(np.full(SIZE, each.mean()), None).lower_ns(),
        )
        for i, (cell, each) in enumerate(zip(cells, values, strict=True))
    )
    return Predicted(
        input=str(program.path),
        input_sha256=program.digest.hex(),
        L_ns=network.L,
        where=where,
        samples=samples,
        base_ns=dag.with_table(none, None).lower_ns(),
        levels=levels,
        by_level=_related(study, levels),
        plane=_plane(study, levels),
    )


def _table(cell: Cell, tables: Mapping[str, Floats]) -> Floats:
    level = cell.level
    if level.name in tables:
        return tables[level.name]
    if level.sd_ns == 0:
        return np.full(SIZE, level.mean_ns)
    raise InputError(f"level {level.name}: its table is not known, so nothing can be predicted")


def _columns(
    study: Study, levels: tuple[PredictedLevel, ...]
) -> tuple[list[float], list[float], list[float]]:
    design = {cell.level for cell in study.design}
    chosen = [each for each in levels if each.cell.level in design]
    return (
        [each.cell.level.mean_ns for each in chosen],
        [each.cell.level.sd_ns for each in chosen],
        [each.T_ns for each in chosen],
    )


def _related(study: Study, levels: tuple[PredictedLevel, ...]) -> Correlated | None:
    return None if study.by_level is None else correlated(*_columns(study, levels))


def _plane(study: Study, levels: tuple[PredictedLevel, ...]) -> Plane | None:
    return None if study.plane is None else plane(*_columns(study, levels))
