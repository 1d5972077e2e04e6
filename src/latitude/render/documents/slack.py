"""What messages can take before T grows, as a table."""

from latitude.render.document import Table, code
from latitude.results.messages import MessageSlack
from latitude.units.quantities import format_time

_COMMUNICATORS = 12
"""More are in slack.csv."""
SLACK_NOTE = (
    "By the call that posted the receive. Critical: without slack. Less than L: one more L on each "
    "latency of this message alone (a rendezvous has several) delays the program."
)


def slack_table(slack: MessageSlack, *, brief: bool = False) -> Table:
    """A row for each call and communicator; `brief`: on the terminal, too, those of calls."""
    groups = [*slack.by_call, *(slack.by_comm[:_COMMUNICATORS] if len(slack.by_comm) > 1 else ())]
    rows = [
        (
            code(group.name) if "MPI_" in group.name else group.name,
            f"{group.messages:,}",
            f"{group.critical:,}",
            f"{group.tight:,}",
            format_time(group.least_ns),
            format_time(group.mean_ns),
        )
        for group in groups
    ]
    head = ("messages of", "messages", "critical", "less than L", "least slack", "mean slack")
    return Table(head, rows, brief=len(slack.by_call) if brief else 0)
