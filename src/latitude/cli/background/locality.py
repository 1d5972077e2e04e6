"""`latitude background locality`: how far apart a job's nodes are."""

import argparse
from dataclasses import asdict
from pathlib import Path

from rich.text import Text

from latitude._core import InputError
from latitude.cli.outputs import Outputs, add_results
from latitude.cluster.topology import Topology
from latitude.files.provenance import stamped
from latitude.files.text import json_text
from latitude.render.terminal import results_console
from latitude.units.quantities import counted

SCHEMA = "latitude.background.locality/1"


class Locality:
    """Same group, same island or different islands."""

    name = "locality"
    summary = "whether nodes share a group, an island, or neither"
    description = """\
Says which of the levels of [B] §4.1 a set of nodes has: same group (one leaf switch), same island
(leaf switches under one switch), different islands. NODES is a host list such as node[001-004], or
the number of a running job. Switches come from `scontrol show topology`, or from a file."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        parser.add_argument("nodes", metavar="NODES", help="host list, or number of a running job")
        add_topology(parser)
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        outputs = Outputs.of(arguments)
        names = _names(arguments.nodes)
        found = topology_of(arguments).locality(names)
        outputs.write(json=lambda: json_text(stamped(SCHEMA, asdict(found))))
        if outputs.uses_stdout():
            return
        shown = results_console()
        shown.print(Text(found.level, style="bold"), end="")
        said = "1 node" if found.nodes == 1 else f"{found.nodes:,} nodes"
        shown.print(
            f": {said} in {_listed('group', found.groups)}, {_listed('island', found.islands)}",
            markup=False,
        )


def add_topology(parser: argparse._ActionsContainer) -> None:
    """Where the switches come from."""
    parser.add_argument(
        "--topology",
        metavar="FILE",
        type=Path,
        help="a topology.conf, or saved output of `scontrol show topology` (default: ask Slurm)",
    )


def topology_of(arguments: argparse.Namespace) -> Topology:
    """The switches the options name."""
    from latitude.cluster.slurm import live_topology  # noqa: PLC0415
    from latitude.cluster.topology import parse_topology, read_topology  # noqa: PLC0415

    if arguments.topology is not None:
        return read_topology(arguments.topology)
    return parse_topology(live_topology(), "scontrol show topology")


def _names(text: str) -> frozenset[str]:
    from latitude.cluster.hosts import hosts  # noqa: PLC0415
    from latitude.cluster.slurm import live_jobs  # noqa: PLC0415

    if not text.isdecimal():
        return hosts(text, "NODES")
    for job in live_jobs():
        if job.id == text:
            if not job.nodes:
                raise InputError(f"job {text} has no nodes yet; it is {', '.join(job.states)}")
            return job.nodes
    raise InputError(f"job {text}: not in the queue; give a host list such as node[001-004]")


def _listed(what: str, names: tuple[str, ...]) -> str:
    return f"{counted(len(names), what)} ({', '.join(names)})" if names else f"no {what}"
