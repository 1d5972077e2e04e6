"""`latitude background`: how busy others keep the network, and what that does to latency."""

import argparse

from latitude.cli.background.advise import Advise
from latitude.cli.background.around import Around
from latitude.cli.background.correlate import Correlate
from latitude.cli.background.locality import Locality
from latitude.cli.background.now import Now
from latitude.cli.background.synthetic import Synthetic
from latitude.cli.background.watch import Watch
from latitude.cli.command import Command

ACTIONS: tuple[Command, ...] = (
    Now(),
    Watch(),
    Around(),
    Locality(),
    Correlate(),
    Advise(),
    Synthetic(),
)


class Background:
    """Background network utilization b of the Slurm queue."""

    name = "background"
    summary = "background traffic from the Slurm queue, its correlation with latency, a forecast"
    description = """\
Estimates how busy other jobs keep the network: b of Salimi Beni and Cosenza, Bench'22, the share of
the cluster's nodes that run jobs of two or more nodes (0 to 1). Needs no privileges."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its actions."""
        actions = parser.add_subparsers(
            metavar="ACTION", required=True, parser_class=type(parser), title="actions"
        )
        for action in ACTIONS:
            subparser = actions.add_parser(
                action.name,
                help=action.summary,
                description=action.description,
                formatter_class=argparse.RawDescriptionHelpFormatter,
                allow_abbrev=False,
            )
            action.add_arguments(subparser)
            subparser.set_defaults(action=action)

    def run(self, arguments: argparse.Namespace) -> None:
        """Does the action's work."""
        action: Command = arguments.action
        action.run(arguments)
