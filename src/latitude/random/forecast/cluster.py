"""Sampling on a Dask cluster: ranges of samples as tasks, the same numbers as on one machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.cpu_order import in_order
from latitude.analysis.replay import replayed
from latitude.model.network import Network
from latitude.random.forecast.random import Random, compile_random
from latitude.trace.load import load

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_S = 5
_TASK = 128
"""Samples a task: seconds on the largest graphs."""
_TASKS_A_THREAD = 4
"""In flight, so that no worker waits."""
_KEPT = 2
"""Compiled graphs that a worker keeps."""


@dataclass(frozen=True, slots=True, eq=False)
class SamplingJob:
    """What a worker needs to draw: it reads the input itself, by the same path."""

    path: Path
    loading: Mapping[str, Any]
    network: Network
    random: Random

    def compiled(self) -> _core.RandomDag:
        """The graph ready for sampling."""
        program = load(self.path, **{**self.loading, "threads": 1})
        if self.loading["traced_times"]:
            program = replayed(program, self.network)
        program = in_order(program, self.network)
        return compile_random(program.graph, self.network, self.random)


@lru_cache(maxsize=_KEPT)
def _compiled(job: bytes) -> tuple[_core.RandomDag, int]:
    import pickle  # noqa: PLC0415 - our own job, as any Dask task

    found: SamplingJob = pickle.loads(job)  # noqa: S301
    return found.compiled(), found.random.seed


def draw(job: bytes, first: int, count: int) -> Floats:
    """On a worker: T of samples first … first + count − 1."""
    dag, seed = _compiled(job)
    return dag.runtimes(seed, first, count, 1)


class Cluster:
    """Draws on the workers of a Dask scheduler."""

    def __init__(self, address: str, job: SamplingJob) -> None:
        import pickle  # noqa: PLC0415

        self._client = _connect(address)
        self._job = self._client.scatter(pickle.dumps(_absolute(job)), broadcast=True)
        threads = int(sum(self._client.nthreads().values()))
        if not threads:
            raise InputError(f"Dask scheduler {address}: it has no workers; start some first")
        self._largest = _TASK * _TASKS_A_THREAD * threads

    def draw(self, first: int, count: int) -> Floats:
        """Cut into tasks; gathered in order."""
        tasks = [
            self._client.submit(draw, self._job, at, min(_TASK, first + count - at), pure=False)
            for at in range(first, first + count, _TASK)
        ]
        parts: list[Floats] = self._client.gather(tasks)
        return np.concatenate(parts)

    def largest(self) -> int:
        """Enough tasks for every thread."""
        return self._largest


def _absolute(job: SamplingJob) -> SamplingJob:
    return SamplingJob(job.path.resolve(), job.loading, job.network, job.random)


def _connect(address: str) -> "Client":
    from distributed import Client  # noqa: PLC0415 - an extra

    try:
        return Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        raise InputError(f"--dask {address}: no Dask scheduler answers there: {error}") from error
