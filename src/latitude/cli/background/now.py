"""`latitude background now`: b of the queue."""

import argparse

from latitude.cli.background.queue import Meter, add_queue
from latitude.cli.outputs import Outputs, add_results


class Now:
    """One measurement."""

    name = "now"
    summary = "b of the live queue or of a saved one"
    description = """\
Prints b = N_c/N_t · N'_c/N_a ([B] eq. 2) and what it is made of. Only running jobs of two or more
nodes count as traffic; a node shared by several of them counts once in N_c, each time in N'_c."""
    example = "latitude background now --queue queue.json --nodes 200"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_queue(parser)
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        from latitude.render.documents.background import now_document  # noqa: PLC0415 - NumPy

        outputs = Outputs.of(arguments)
        outputs.give(now_document(Meter(arguments).result()))
