"""The workers of a Dask cluster, which read the same files as we do."""

import pickle
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from latitude._core import InputError

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_S = 5

_Found = TypeVar("_Found")


class Workers:
    """Those of a scheduler, with a job that all of them know."""

    def __init__(self, address: str, job: object) -> None:
        """Sends the job, pickled, to each.

        Args:
            address: of the scheduler, e.g. tcp://node1:8786.
            job: what each task is given first, as bytes.

        Raises:
            InputError: nobody answers there, or there are no workers.
        """
        self._client = _connect(address)
        self.threads = int(sum(self._client.nthreads().values()))
        """Of all workers together."""
        if not self.threads:
            raise InputError(f"Dask scheduler {address}: it has no workers; start some first")
        self._job = self._client.scatter(pickle.dumps(job), broadcast=True)

    def results(
        self, task: Callable[..., _Found], arguments: Iterable[tuple[Any, ...]]
    ) -> list[_Found]:
        """Of the task with each of these arguments, after the job, in their order."""
        tasks = [self._client.submit(task, self._job, *each, pure=False) for each in arguments]
        found: list[_Found] = self._client.gather(tasks)
        return found


def _connect(address: str) -> "Client":
    from distributed import Client  # noqa: PLC0415 - an extra

    try:
        return Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        raise InputError(f"--dask {address}: no Dask scheduler answers there: {error}") from error
