"""`latitude campaign run`."""

from dataclasses import dataclass
from pathlib import Path

from latitude.cli.outputs import Outputs, ResultOptions
from latitude.cli.runs_log import RunsLog
from latitude.lab.campaign.directory import Directory
from latitude.lab.campaign.plan import plan
from latitude.lab.campaign.read import read_campaign
from latitude.lab.campaign.schedulers.execute import execute
from latitude.lab.campaign.summary import summary
from latitude.notices.saying import say
from latitude.render.terminal import print_document
from latitude.units.options import argument, flag

_NOT_ALL_OK = 1


@dataclass(kw_only=True)
class CampaignRunOptions(ResultOptions):
    """A campaign's file, and options for its runs."""

    file: Path = argument("campaign.toml", "FILE", Path)
    dry_run: bool = flag("check FILE and show the plan; run nothing")
    changed: bool = flag(
        "move runs that a changed FILE no longer plans to DIR/former, and continue"
    )
    detach: bool = flag(
        "with Slurm, exit after submitting the job array; the same command follows it later"
    )
    quiet: bool = flag("no line for each run")


class CampaignRun:
    """Makes the runs of a TOML file, one Parquet file per run."""

    name = "run"
    summary = "make the missing runs of a campaign"
    description = """\
Checks FILE, plans programs × levels × repetitions in random order, and makes the missing runs.
Failed runs are kept, shown, and tried again as often as FILE says. The exit status is 0 if all runs
are ok, 1 if some are not, 130 after Ctrl-C."""
    example = "latitude campaign run suite.toml --dry-run"
    options = CampaignRunOptions

    def run(self, arguments: CampaignRunOptions) -> None:
        planned = plan(read_campaign(arguments.file))
        outputs = Outputs.of(arguments)
        from latitude.lab.documents.campaign import (  # noqa: PLC0415 - pandas is slow to import
            plan_document,
            summary_document,
        )

        if arguments.dry_run:
            print_document(plan_document(planned), None)
            return
        directory = Directory.prepared(planned, changed=arguments.changed)
        try:
            show = RunsLog(quiet=arguments.quiet)
            with show.bar():
                show.begin(len(planned.runs), len(planned.runs) - len(directory.pending()))
                execute(directory, show, detach=arguments.detach)
        except KeyboardInterrupt:
            done = len(planned.runs) - len(directory.pending())
            say(
                f"latitude: interrupted; {done:,} of {len(planned.runs):,} runs are done in "
                f"{directory.path}: the same command goes on"
            )
            raise
        found = summary(directory)
        outputs.give(summary_document(found))
        if found.ok < found.planned:
            raise SystemExit(_NOT_ALL_OK)
