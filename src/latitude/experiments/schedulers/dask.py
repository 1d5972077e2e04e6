"""Runs as tasks of a Dask cluster: one that runs, or a local one.

A task starts a worker process of ours, the same as a job array's: the result is the same.
"""

import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from latitude._core import InputError
from latitude.experiments.campaign.description import Execute
from latitude.experiments.campaign.directory import Directory
from latitude.experiments.progress import Show
from latitude.experiments.schedulers.seen import Seen

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_S = 10
_POLL_S = 0.5
_SAID = 300


def run_on_dask(directory: Directory, show: Show) -> None:
    """Makes every pending run; InputError when there is no Dask, or no such cluster."""
    seen = Seen(directory, show)
    with _client(directory.plan.campaign.execute) as client:
        while pending := directory.pending():
            tasks = [
                client.submit(make, str(directory.path), run.id, key=f"{run.id}-{time.time_ns()}")
                for run in pending
            ]
            made = 0
            try:
                while not all(task.done() for task in tasks):
                    made += seen.look()
                    time.sleep(_POLL_S)
            except KeyboardInterrupt:
                client.cancel(tasks)
                raise
            made += seen.look()
            errors = [str(task.exception()) for task in tasks if task.status == "error"]
            if errors:
                show.tell(f"{len(errors):,} tasks failed, e.g.: {errors[0]}; run again to go on")
                return
            if not made and (left := directory.pending()):
                show.waits(f"{len(left):,} runs are being made by other runners")
                time.sleep(_POLL_S)


def make(directory: str, run_id: str) -> None:
    """On a Dask worker: one attempt of a run, in a process that ends with this one."""
    words = ["-m", "latitude", "campaign", "worker", directory, "--run", run_id, "--with-parent"]
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise RuntimeError(said[-1][:_SAID])


@contextmanager
def _client(execute: Execute) -> Iterator["Client"]:
    from distributed import Client  # noqa: PLC0415 - an extra

    if execute.address is not None:
        try:
            client = Client(execute.address, timeout=_CONNECT_S)
        except (OSError, ValueError) as error:
            raise InputError(
                f"[execute] address: no Dask scheduler answers at {execute.address}: {error}"
            ) from error
        with client:
            yield client
        return
    with _local_cluster(execute.at_once) as cluster, Client(cluster) as client:
        yield client


def _local_cluster(workers: int) -> Any:
    from distributed import LocalCluster  # noqa: PLC0415 - as above

    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        dashboard_address=":0",
        silence_logs=logging.ERROR,
    )
