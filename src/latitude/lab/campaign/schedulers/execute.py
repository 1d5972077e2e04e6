"""Makes a campaign's runs: on this machine, in job arrays, or on Dask."""

import os
import time

from latitude._core import InputError
from latitude.experiments.planned import MPI
from latitude.experiments.progress import Show
from latitude.lab.campaign.description import DASK, LOCAL, SLURM
from latitude.lab.campaign.directory import Directory
from latitude.lab.campaign.perform import perform
from latitude.launch import launcher as launchers
from latitude.launch import preflight
from latitude.launch.child import terminated_like_interrupted
from latitude.launch.injecting.compiler import injector

_POLL_S = 0.5
"""Interval between polls of other runners' runs, s."""


def execute(directory: Directory, show: Show, *, detach: bool = False) -> None:
    """Makes the pending runs as the campaign's file demands."""
    campaign = directory.plan.campaign
    how = campaign.execute.how
    if detach and how != SLURM:
        raise InputError(
            f"--detach: only job arrays continue by themselves; [execute] how is '{how}'"
        )
    if not directory.pending():
        return
    if any(each.layer for each in campaign.levels) or any(
        each.runtime == MPI for each in campaign.programs
    ):
        injector()  # built before any timing, if a compiler exists
    if how == LOCAL:
        for program in campaign.programs:
            known = {**os.environ, **program.environment}
            preflight.refuse(program.launch, launchers.find(program.launch), None, known)
        _run_here(directory, show)
    elif how == SLURM:
        from latitude.lab.campaign.schedulers.slurm import run_array  # noqa: PLC0415

        run_array(directory, show, detach=detach)
    elif how == DASK:
        from latitude.lab.campaign.schedulers.dask import run_on_dask  # noqa: PLC0415 - an extra

        run_on_dask(directory, show)


def _run_here(directory: Directory, show: Show) -> None:
    """Makes runs one after the other, together with other runners, until all are finished."""
    with terminated_like_interrupted():
        while pending := directory.pending():
            idle = True
            for planned in pending:
                run = perform(directory, planned)
                if run is not None:
                    idle = False
                    again = directory.next_attempt(planned.id) is not None
                    show.ran(run, again=again)
            show.done(len(directory.plan.runs) - len(directory.pending()))
            if idle and (left := directory.pending()):
                show.waits(f"{len(left):,} runs are being made by other runners")
                time.sleep(_POLL_S)
