"""Sampling on a Dask cluster: tasks draw ranges of samples, the same numbers as on one machine."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from latitude import _core
from latitude._types import Floats
from latitude.analysis.cpu_order import in_order
from latitude.analysis.replay import replayed
from latitude.files.workers import Workers
from latitude.model.network import Network
from latitude.random.forecast.random import Random, compile_random
from latitude.trace.load import load

_TASK = 128
"""Number of samples per task, which take seconds on the largest graphs."""
_TASKS_A_THREAD = 4
"""Number of tasks in flight per thread, so that no worker waits."""


@dataclass(frozen=True, slots=True, eq=False)
class SamplingJob:
    """The data with which a worker draws; the worker reads the input by the same path."""

    path: Path
    loading: Mapping[str, Any]
    network: Network
    random: Random

    def prepared(self) -> tuple[_core.RandomDag, int]:
        """The graph ready for sampling, and the seed."""
        program = load(self.path, **{**self.loading, "threads": 1})
        if self.loading["traced_times"]:
            program = replayed(program, self.network)
        program = in_order(program, self.network)
        return compile_random(program.graph, self.network, self.random), self.random.seed


def draw(job: tuple[_core.RandomDag, int], first: int, count: int) -> Floats:
    """Draws T of samples first … first + count − 1, on a worker."""
    dag, seed = job
    return dag.runtimes(seed, first, count, 1)


class Cluster:
    """Draws on the workers of a Dask scheduler."""

    def __init__(self, address: str, job: SamplingJob) -> None:
        """Connects to the workers; raises the errors of `Workers`."""
        self._workers = Workers(address)
        self._job = replace(job, path=job.path.resolve())
        self._largest = _TASK * _TASKS_A_THREAD * self._workers.threads

    def draw(self, first: int, count: int) -> Floats:
        """T of these samples, drawn in tasks and returned in order."""
        tasks = [(at, min(_TASK, first + count - at)) for at in range(first, first + count, _TASK)]
        return np.concatenate(self._workers.results(draw, self._job, tasks))

    def largest(self) -> int:
        """Number of samples in enough tasks to occupy every thread."""
        return self._largest
