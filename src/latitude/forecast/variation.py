"""The experiment of [U] without a cluster: levels of mean latency × levels of variation at each.

At each level of mean stand five distributions of that mean, as [U] §5.3 has them: a constant, and
lognormals with 100, 75, 50 and 25 % of the scale of the one asked for, whose shape keeps the mean.
Runtimes are then correlated with the mean and with the standard deviation of what was drawn.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._core import InputError
from latitude.distributions.fitting.family import SCALES, shape_for_mean
from latitude.forecast.random import Random, compile_random
from latitude.forecast.source import Source, parse_latency
from latitude.network import Network
from latitude.program import Program
from latitude.progress import Progress, Silent
from latitude.statistics.correlation import Correlation, pearson
from latitude.statistics.difference import Dependent, Fisher, dependent, fisher
from latitude.words import input_name

Floats = NDArray[np.float64]

LEVELS = 8
RUNS = 24
"""Of each distribution: 8 × 5 × 24 = 960 runs of a program, the n of [U] Table 4."""
_ALIKE = 1 - 1e-12
"""Correlations of columns that are one and the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Treatment:
    """One distribution of the design."""

    level: int
    """Of mean, 1 … LEVELS."""
    name: str
    """constant, lognormal-100, …"""
    latency: Source


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runtimes of one program under one treatment."""

    treatment: Treatment
    T_ns: Floats


@dataclass(frozen=True, slots=True)
class Compared:
    """A row of [U] Table 4."""

    mean: Correlation
    std: Correlation
    fisher: Fisher
    dependent: Dependent | None
    """None when runtime is a function of one of the two."""


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """One program's part of the experiment."""

    program: Program
    name: str
    T0_ns: float
    runs: list[Runs]
    compared: Compared | None
    """None when latency does not change the runtime at all."""

    def slowdown(self, level: int, name: str) -> float:
        """Mean runtime against that without latency, as a ratio."""
        found = next(
            run for run in self.runs if (run.treatment.level, run.treatment.name) == (level, name)
        )
        return float(found.T_ns.mean()) / self.T0_ns

    def worst(self) -> float:
        """The largest slowdown of a treatment, as a ratio."""
        return max(float(run.T_ns.mean()) for run in self.runs) / self.T0_ns


def design(latency: Source) -> list[Treatment]:
    """The treatments; the lognormal of the highest level has mean and sd of `latency`."""
    if not latency.sd > 0:
        raise InputError(
            f"suite: '{latency.text}' does not vary; give the lognormal of the highest level, e.g. "
            "--latency 'lognormal(mean=20us,sd=20us)'"
        )
    found = []
    for level in range(1, LEVELS + 1):
        mean, sd = latency.mean * level / LEVELS, latency.sd * level / LEVELS
        found.append(Treatment(level, "constant", parse_latency(f"constant({mean!r}ns)")))
        scale = mean / math.sqrt(1 + (sd / mean) ** 2)
        for share in SCALES:
            shape = shape_for_mean(mean, share * scale)
            words = f"lognorm(s={shape!r},scale={share * scale!r}ns)"
            found.append(Treatment(level, f"lognormal-{round(share * 100)}", parse_latency(words)))
    return found


def study(
    program: Program,
    network: Network,
    random: Random,
    treatments: Sequence[Treatment],
    *,
    runs: int = RUNS,
    threads: int = 0,
    progress: Progress | None = None,
) -> Study:
    """One program under all treatments; each has random numbers of its own."""
    progress = progress or Silent()
    name = input_name(str(program.path))
    progress.stage(f"Running {name}", len(treatments))
    largest = max(float(t.latency.values[-1]) for t in treatments)
    widest = replace(random, latency=treatments[0].latency)
    dag = compile_random(program.graph, network, widest, (0.0, largest))
    noise = None if random.noise is None else random.noise.values
    found = []
    for index, treatment in enumerate(treatments):
        drawn = dag.with_table(treatment.latency.values, noise)
        found.append(Runs(treatment, drawn.runtimes(random.seed + index, 0, runs, threads)))
        progress.advance(1)
    plain = _core.compile(program.graph, network.core(program.graph.ranks), "L")
    T0 = float(plain.runtime(np.array([plain.baseline]))[0])
    return Study(program, name, T0, found, compare(found))


def compare(runs: Sequence[Runs]) -> Compared | None:
    """r_mean, r_std and their difference, over all runs."""
    T = np.concatenate([run.T_ns for run in runs])
    if np.ptp(T) <= 0:
        return None
    means = np.concatenate([np.full(run.T_ns.size, run.treatment.latency.mean) for run in runs])
    sds = np.concatenate([np.full(run.T_ns.size, run.treatment.latency.sd) for run in runs])
    mean, std, between = pearson(means, T), pearson(sds, T), pearson(means, sds)
    apart = max(abs(mean.r), abs(std.r)) < _ALIKE
    return Compared(
        mean,
        std,
        fisher(_inside(mean.r), _inside(std.r), T.size),
        dependent(mean.r, std.r, between.r, T.size) if apart else None,
    )


def _inside(r: float) -> float:
    return max(-_ALIKE, min(_ALIKE, r))
