"""`latitude background locality`: how far apart a job's nodes are."""

import argparse
from pathlib import Path

from latitude._core import InputError
from latitude.cli.outputs import Outputs, add_results
from latitude.cluster.topology import SwitchTree


class Locality:
    """Same group, same island or different islands."""

    name = "locality"
    summary = "whether nodes share a group, an island, or neither"
    description = """\
Says which of the levels of [B] §4.1 a set of nodes has: same group (one leaf switch), same island
(leaf switches under one switch), different islands. NODES is a host list such as node[001-004], or
the number of a running job. Switches come from `scontrol show topology`, or from a file."""
    example = "latitude background locality node[001-004]"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("nodes", metavar="NODES", help="host list, or number of a running job")
        add_topology(parser)
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        outputs = Outputs.of(arguments)
        names = _names(arguments.nodes)
        found = topology_of(arguments).locality(names)
        from latitude.render.documents.background import locality_document  # noqa: PLC0415 - NumPy

        outputs.give(locality_document(found))


def add_topology(parser: argparse._ActionsContainer) -> None:
    """Where the switches come from."""
    parser.add_argument(
        "--topology",
        metavar="FILE",
        type=Path,
        help="a topology.conf, or saved output of `scontrol show topology` (default: ask Slurm)",
    )


def topology_of(arguments: argparse.Namespace) -> SwitchTree:
    """The switches the options name."""
    from latitude.cluster.slurm import live_topology  # noqa: PLC0415
    from latitude.cluster.topology import parse_topology, read_topology  # noqa: PLC0415

    if arguments.topology is not None:
        return read_topology(arguments.topology)
    return parse_topology(live_topology(), "scontrol show topology")


def _names(text: str) -> frozenset[str]:
    from latitude.cluster.slurm import live_jobs  # noqa: PLC0415
    from latitude.units.host_lists import hosts  # noqa: PLC0415

    if not text.isdecimal():
        return hosts(text, "NODES")
    for job in live_jobs():
        if job.id == text:
            if not job.nodes:
                raise InputError(f"job {text} has no nodes yet; it is {', '.join(job.states)}")
            return job.nodes
    raise InputError(f"job {text}: not in the queue; give a host list such as node[001-004]")
