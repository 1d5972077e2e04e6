"""What is asked of the history."""

from dataclasses import dataclass

from latitude._core import InputError
from latitude.cluster.history import History
from latitude.units.quantities import format_size


@dataclass(frozen=True, slots=True)
class Question:
    """A run that has not started yet."""

    b: float
    """Now."""
    collective: str
    bytes: int
    placement: str | None = None
    """None while it is not known where the job will lie: any placement of the history."""

    def __post_init__(self) -> None:
        if not 0 <= self.b <= 1:
            raise InputError(f"b = {self.b:g} is not between 0 and 1; write e.g. 0.42 or 42%")

    @property
    def name(self) -> str:
        """In words: `reduce 1 MiB on different islands`."""
        return kind_name(self.collective, self.bytes) + (
            f" on {self.placement}" if self.placement else ""
        )


def kind_name(collective: str, size: int) -> str:
    """`reduce 1 MiB`; without a size where the history has none."""
    return f"{collective} {format_size(size)}" if size else collective


def like(history: History, question: Question) -> History:
    """The past runs of this collective, size and placement, at any b."""
    runs = history.runs
    wanted = (runs["collective"] == question.collective) & (runs["bytes"] == question.bytes)
    if question.placement is not None:
        wanted &= runs["placement"] == question.placement
    return history.select(wanted)
