"""`latitude campaign worker`: runs of a plan by number, for job arrays and Dask."""

from dataclasses import dataclass
from pathlib import Path

from latitude.lab.campaign.work import end_with_parent, work
from latitude.units.options import Options, argument, flag, option


@dataclass(kw_only=True)
class WorkerOptions(Options):
    """Runs of a plan."""

    directory: Path = argument("", "DIR", Path)
    run: list[str] = option("these runs", "ID", alternative="which", required=True, repeated=True)
    list: Path | None = option(
        "the share --task of a list of runs", "FILE", Path, alternative="which", required=True
    )
    task: int | None = option("number of the share, from 0", "N", int)
    with_parent: bool = flag("end, cleanly, when the caller ends")


class Worker:
    """One task's share of a campaign."""

    name = "worker"
    summary = "make runs of a planned campaign"
    description = (
        "Makes the named runs of the plan in DIR, unless another runner made a run before."
    )
    example = "latitude campaign worker suite --run 1"
    options = WorkerOptions

    def run(self, arguments: WorkerOptions) -> None:
        if arguments.with_parent:
            end_with_parent()
        work(arguments.directory, arguments.run, arguments.list, arguments.task)
