"""Where a campaign's runs are made."""

from latitude._core import InputError
from latitude.experiments.campaign.description import DASK, LOCAL, SLURM
from latitude.experiments.campaign.directory import Directory
from latitude.experiments.planned import MPI
from latitude.experiments.progress import Show
from latitude.experiments.schedulers.local import run_local
from latitude.launch.injecting.compiler import injector


def execute(directory: Directory, show: Show, *, detach: bool = False) -> None:
    """Makes what is pending, as the campaign's file says."""
    campaign = directory.plan.campaign
    how = campaign.execute.how
    if detach and how != SLURM:
        raise InputError(f"--detach: only job arrays go on by themselves; [execute] how is '{how}'")
    if not directory.pending():
        return
    if any(each.layer for each in campaign.levels) or any(
        each.runtime == MPI for each in campaign.programs
    ):
        injector()  # built before anything is timed, where there is a compiler
    if how == LOCAL:
        run_local(directory, show)
    elif how == SLURM:
        from latitude.experiments.schedulers.slurm import run_array  # noqa: PLC0415

        run_array(directory, show, detach=detach)
    elif how == DASK:
        from latitude.experiments.schedulers.dask import run_on_dask  # noqa: PLC0415 - an extra

        run_on_dask(directory, show)
