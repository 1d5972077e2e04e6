"""Past runs of the kind that is asked about."""

from latitude.cluster.history import History
from latitude.results.background import TailQuestion


def like(history: History, question: TailQuestion) -> History:
    """The past runs of this collective, size and placement, at any b."""
    runs = history.runs
    wanted = (runs["collective"] == question.collective) & (runs["bytes"] == question.bytes)
    if question.placement is not None:
        wanted &= runs["placement"] == question.placement
    return history.select(wanted)
