"""`latitude campaign run`."""

import argparse
import sys
from pathlib import Path

from latitude.cli.campaign.shown import Shown
from latitude.cli.campaign.terminal import print_plan, print_summary
from latitude.cli.outputs import Outputs, add_results
from latitude.experiments.campaign.directory import Directory
from latitude.experiments.campaign.execute import execute
from latitude.experiments.campaign.plan import plan
from latitude.experiments.campaign.read import read_campaign
from latitude.experiments.campaign.summary import described, summary
from latitude.files.text import json_text

_NOT_ALL_OK = 1


class Run:
    """From a TOML file to a Parquet file a run."""

    name = "run"
    summary = "make the runs of a campaign, or go on with them"
    description = """\
Checks FILE, plans programs × levels × repetitions in random order, and makes the runs that the
campaign's directory does not have yet. Failed runs are kept, shown, and tried again as often as
FILE says. The exit status is 0 when all runs are ok, 1 when some are not, 130 after Ctrl-C."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        parser.add_argument("file", metavar="FILE", type=Path, help="campaign.toml")
        parser.add_argument(
            "--dry-run", action="store_true", help="check FILE and show the plan; run nothing"
        )
        parser.add_argument(
            "--changed",
            action="store_true",
            help="FILE has changed: move runs it no longer plans to DIR/former, and go on",
        )
        parser.add_argument(
            "--detach",
            action="store_true",
            help="with Slurm: leave when the job array is submitted; run again to follow it",
        )
        parser.add_argument("--quiet", action="store_true", help="no line for each run")
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        planned = plan(read_campaign(arguments.file))
        if arguments.dry_run:
            print_plan(planned)
            return
        outputs = Outputs.of(arguments)
        directory = Directory.prepared(planned, changed=arguments.changed)
        try:
            show = Shown(quiet=arguments.quiet)
            with show.bar():
                show.begin(len(planned.runs), len(planned.runs) - len(directory.pending()))
                execute(directory, show, detach=arguments.detach)
        except KeyboardInterrupt:
            done = len(planned.runs) - len(directory.pending())
            sys.stderr.write(
                f"latitude: interrupted; {done:,} of {len(planned.runs):,} runs are done in "
                f"{directory.path}: the same command goes on\n"
            )
            raise
        found = summary(directory)
        outputs.write(json=lambda: json_text(described(found)))
        if not outputs.uses_stdout():
            print_summary(found)
        if found.ok < found.planned:
            raise SystemExit(_NOT_ALL_OK)
