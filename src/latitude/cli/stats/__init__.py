"""`latitude stats`: tails, comparisons, correlations of measured latencies."""

from latitude.cli.command import Action, Group
from latitude.cli.stats.compare import Compare
from latitude.cli.stats.correlate import Correlate
from latitude.cli.stats.fisher import Fisher
from latitude.cli.stats.tail import Tail

ACTIONS: tuple[Action, ...] = (Tail(), Compare(), Correlate(), Fisher())


class StatsCommand(Group):
    """Statistics of Underwood et al. 2018, §5–7, and of Salimi Beni and Cosenza 2022, §4–5."""

    description = """\
Tests and summaries of measured latencies, each with intervals, with what it assumes, and with
when not to trust it. `latitude stats ACTION --help` documents each."""
    example = "latitude stats tail latencies.csv"
    actions = ACTIONS
