"""Makes runs as tasks of an existing or a local Dask cluster.

A task starts the same worker process as a task of a job array, so the results are the same.
"""

import subprocess
import sys
import time
from contextlib import closing

from latitude.experiments.progress import Show
from latitude.files.workers import Workers
from latitude.lab.campaign.directory import Directory
from latitude.lab.campaign.schedulers.seen import Seen

_POLL_S = 0.5
_SAID = 300


def run_on_dask(directory: Directory, show: Show) -> None:
    """Makes the pending runs, until a task fails. InputError: Dask or the cluster is missing."""
    seen, how = Seen(directory, show), directory.plan.campaign.execute
    started = Workers(how.address, named_by="[execute] address", start=how.at_once)
    with closing(started) as workers:
        while pending := directory.pending():
            before = seen.count
            errors = workers.run(
                make, [(str(directory.path), run.id) for run in pending], seen.look
            )
            seen.look()
            if errors:
                show.tell(f"{len(errors):,} tasks failed, e.g.: {errors[0]}; run again to go on")
                return
            if seen.count == before and (left := directory.pending()):
                show.waits(f"{len(left):,} runs are being made by other runners")
                time.sleep(_POLL_S)


def make(directory: str, run_id: str) -> None:
    """Makes one attempt of a run on a Dask worker, in a process that ends with the worker."""
    words = ["-m", "latitude", "campaign", "worker", directory, "--run", run_id, "--with-parent"]
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise RuntimeError(said[-1][:_SAID])
