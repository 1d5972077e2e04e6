"""`latitude campaign`: real runs, programs × injection levels × repetitions."""

from latitude.cli.campaign.analyze import CampaignAnalyze
from latitude.cli.campaign.run import CampaignRun
from latitude.cli.campaign.worker import Worker
from latitude.cli.command import Action, Group

ACTIONS: tuple[Action, ...] = (CampaignRun(), CampaignAnalyze())
HIDDEN: tuple[Action, ...] = (Worker(),)
"""Actions for job arrays and Dask, hidden from users."""


class CampaignCommand(Group):
    """Experiments on a cluster, or on one machine."""

    description = """\
Runs the programs of a TOML file at levels of injected latency or of congestion, with repetitions in
random order, here, in Slurm job arrays or on Dask. After a crash or Ctrl-C the same command
continues with the missing runs."""
    example = "latitude campaign run suite.toml"
    actions = ACTIONS
    hidden = HIDDEN
