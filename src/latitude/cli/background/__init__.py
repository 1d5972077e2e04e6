"""`latitude background`: the load of other jobs on the network, and its effect on latency."""

from latitude.cli.background.advise import Advise
from latitude.cli.background.around import Around
from latitude.cli.background.correlate import CorrelateBackground
from latitude.cli.background.locality import Locality
from latitude.cli.background.now import Now
from latitude.cli.background.synthetic import Synthetic
from latitude.cli.background.watch import Watch
from latitude.cli.command import Action, Group

ACTIONS: tuple[Action, ...] = (
    Now(),
    Watch(),
    Around(),
    Locality(),
    CorrelateBackground(),
    Advise(),
    Synthetic(),
)


class BackgroundCommand(Group):
    """Commands about b, the background network utilisation of the Slurm queue."""

    description = """\
Estimates how busy other jobs keep the network: b of Salimi Beni and Cosenza, Bench'22. b is the
share of the cluster's nodes that run jobs of two or more nodes (0 to 1). The command needs no
privileges."""
    example = "latitude background now"
    actions = ACTIONS
