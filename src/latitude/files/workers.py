"""Executor on Dask for all uses: drawing samples, evaluating T(θ), and making campaigns' runs.

Workers must see the same files as this process.
"""

import logging
import pickle
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from latitude._core import InputError

_CONNECT_S = 5
_POLL_S = 0.5
_KEPT = 2
"""Number of jobs that a worker keeps prepared."""

_Found = TypeVar("_Found")


class SharedJob(Protocol):
    """The data that all tasks of one computation share."""

    def prepared(self) -> Any:
        """Prepares, once per worker, the first argument of each task."""


class Workers:
    """The workers of a Dask cluster."""

    def __init__(self, address: str | None, *, named_by: str = "--dask", start: int = 1) -> None:
        """Connects to a cluster, or starts one on this machine.

        Args:
            address: address of the scheduler, e.g. tcp://node1:8786; None starts a cluster.
            named_by: the option that gave the address, for error messages.
            start: number of processes of a new cluster.

        Raises:
            InputError: no scheduler answers at the address, or it has no workers.
        """
        from distributed import Client, LocalCluster  # noqa: PLC0415 - an extra

        self._cluster = None
        if address is None:
            self._cluster = LocalCluster(
                n_workers=start,
                threads_per_worker=1,
                dashboard_address=":0",
                silence_logs=logging.ERROR,
            )
        try:
            self._client = Client(self._cluster or address, timeout=_CONNECT_S)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{named_by} {address}: no Dask scheduler answers there: {error}"
            ) from error
        self.threads = int(sum(self._client.nthreads().values()))
        """Threads of all workers together."""
        if not self.threads:
            raise InputError(f"{named_by} {address}: it has no workers; start some first")
        self._jobs: dict[int, tuple[SharedJob, Any]] = {}

    def results(
        self, task: Callable[..., _Found], job: SharedJob, arguments: Iterable[tuple[Any, ...]]
    ) -> list[_Found]:
        """Results of a task for each of these arguments and the prepared data, in order."""
        if id(job) not in self._jobs:
            self._jobs[id(job)] = job, self._client.scatter(pickle.dumps(job), broadcast=True)
        _, sent = self._jobs[id(job)]
        tasks = [self._client.submit(_run, task, sent, *each, pure=False) for each in arguments]
        found: list[_Found] = self._client.gather(tasks)
        return found

    def run(
        self,
        task: Callable[..., None],
        arguments: Iterable[tuple[Any, ...]],
        meanwhile: Callable[[], None],
    ) -> list[str]:
        """Runs a task for each argument, and calls `meanwhile` until all tasks have finished.

        Returns the reasons why tasks failed. Ctrl-C cancels tasks that have not begun.
        """
        tasks = [self._client.submit(task, *each, pure=False) for each in arguments]
        try:
            while not all(each.done() for each in tasks):
                meanwhile()
                time.sleep(_POLL_S)
        except KeyboardInterrupt:
            self._client.cancel(tasks)
            raise
        return [str(each.exception()) for each in tasks if each.status == "error"]

    def close(self) -> None:
        """Leaves the cluster, or ends a cluster that this object started."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


@lru_cache(maxsize=_KEPT)
def _prepared(pickled: bytes) -> Any:
    job: SharedJob = pickle.loads(pickled)  # noqa: S301 - our own job, as any Dask task
    return job.prepared()


def _run(task: Callable[..., _Found], pickled: bytes, *arguments: Any) -> _Found:
    return task(_prepared(pickled), *arguments)
