"""`latitude background now`: b of the queue."""

import argparse

from rich.console import Console
from rich.text import Text

from latitude.cli.background.queue import Meter, add_queue
from latitude.cli.outputs import Outputs, add_results
from latitude.cluster.clock import now
from latitude.cluster.utilization import Background
from latitude.files.provenance import stamped
from latitude.files.text import json_text
from latitude.render.terminal import plain_table, print_warnings, results_console
from latitude.units.quantities import format_count, format_share

SCHEMA = "latitude.background.now/1"


class Now:
    """One measurement."""

    name = "now"
    summary = "b of the live queue or of a saved one"
    description = """\
Prints b = N_c/N_t · N'_c/N_a ([B] eq. 2) and what it is made of. Only running jobs of two or more
nodes count as traffic; a node shared by several of them counts once in N_c, each time in N'_c."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        add_queue(parser)
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        outputs = Outputs.of(arguments)
        meter = Meter(arguments)
        found = meter()
        saved = arguments.queue is not None
        content = {
            "source": meter.source,
            "time": None if saved else now().isoformat(timespec="seconds"),
            **found.to_dict(),
        }
        outputs.write(json=lambda: json_text(stamped(SCHEMA, content)))
        if not outputs.uses_stdout():
            show(results_console(), found, meter.source)


def show(shown: Console, found: Background, source: str) -> None:
    """B, its parts, the jobs behind it."""
    shown.print(Text(f"b = {found.b:.3f} ({format_share(found.b)})", style="bold"), end="")
    shown.print(f" from {source}", markup=False)
    shown.print()
    parts = plain_table("", "", "", "")
    rows = (
        ("N_c", found.N_c, "different nodes in running jobs of two or more nodes"),
        ("N_t", found.N_t, "nodes of the cluster"),
        ("N'_c", found.N_c_repeated, "as N_c, each node once for each of these jobs"),
        ("N_a", found.N_a, "nodes of all running jobs, once for each job"),
    )
    parts.columns[2].justify = "left"
    for name, count, meaning in rows:
        parts.add_row(name, format_count(count), meaning)
    shown.print(parts)
    shown.print()
    jobs = found.jobs
    counts = (
        (jobs.communicating, "on two or more nodes"),
        (jobs.one_node, "on one node (left out)"),
        (jobs.pending, "pending (left out)"),
        (jobs.other, "neither running nor pending (left out)"),
        (jobs.unknown, "in an unknown state (left out)"),
        (jobs.excluded, "excluded on request"),
    )
    said = ", ".join(f"{format_count(count)} {what}" for count, what in counts if count)
    shown.print(f"Jobs: {said or 'none'}. Nodes shared: {format_count(found.shared)}.")
    shown.print(f"Without shared nodes' weight, eq. (1): b = {found.b_unique:.3f}.")
    print_warnings(shown, found.warnings)
