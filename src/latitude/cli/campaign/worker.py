"""`latitude campaign worker`: runs of a plan by number, for job arrays and Dask."""

import argparse
from pathlib import Path

from latitude.experiments.campaign.work import end_with_parent, work


class Worker:
    """One task's share of a campaign."""

    name = "worker"
    summary = "makes runs of a campaign that was planned"
    description = "Makes the named runs of the plan in DIR, as far as nobody else has or does."
    example = "latitude campaign worker suite --run 1"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("directory", metavar="DIR", type=Path)
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--run", metavar="ID", action="append", help="these runs")
        which.add_argument(
            "--list", metavar="FILE", type=Path, help="the share --task of a list of runs"
        )
        parser.add_argument("--task", metavar="N", type=int, help="number of the share, from 0")
        parser.add_argument(
            "--with-parent", action="store_true", help="end, cleanly, when the caller ends"
        )

    def run(self, arguments: argparse.Namespace) -> None:
        if arguments.with_parent:
            end_with_parent()
        work(arguments.directory, arguments.run, arguments.list, arguments.task)
