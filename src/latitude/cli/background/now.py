"""`latitude background now`: b of the queue."""

from dataclasses import dataclass

from latitude.cli.background.queue import Meter, SavedQueueOptions
from latitude.cli.outputs import Outputs, ResultOptions


@dataclass(kw_only=True)
class NowOptions(SavedQueueOptions, ResultOptions):
    """The queue to measure."""


class Now:
    """Measures b once."""

    name = "now"
    summary = "show b of the live queue or of a saved queue"
    description = """\
Prints b = N_c/N_t · N'_c/N_a ([B] eq. 2) and its factors. Only running jobs of two or more nodes
count as traffic. A node that several of these jobs share counts once in N_c, and each time in
N'_c."""
    example = "latitude background now --queue queue.json --nodes 200"
    options = NowOptions

    def run(self, arguments: NowOptions) -> None:
        from latitude.lab.documents.background import now_document  # noqa: PLC0415 - NumPy

        outputs = Outputs.of(arguments)
        outputs.give(now_document(Meter(arguments).result()))
