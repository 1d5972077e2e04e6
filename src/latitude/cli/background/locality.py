"""`latitude background locality`: the locality of a job's nodes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.cli.outputs import Outputs, ResultOptions
from latitude.lab.cluster.topology import SwitchTree
from latitude.units.options import argument, option


def topology_option(**more: Any) -> Any:
    """The option --topology, the source of the switches."""
    return option(
        "a topology.conf, or saved output of `scontrol show topology` (default: ask Slurm)",
        "FILE",
        Path,
        **more,
    )


@dataclass(kw_only=True)
class LocalityOptions(ResultOptions):
    """Nodes of which to find the common switches."""

    nodes: str = argument("host list, or number of a running job", "NODES")
    topology: Path | None = topology_option()


class Locality:
    """Tells whether nodes are in the same group, the same island or different islands."""

    name = "locality"
    summary = "show whether nodes share a group, an island, or neither"
    description = """\
Gives the locality of a set of nodes ([B] §4.1): same group (one leaf switch), same island (leaf
switches under one switch), or different islands. NODES is a host list such as node[001-004], or the
number of a running job. Switches come from `scontrol show topology`, or from a file."""
    example = "latitude background locality node[001-004]"
    options = LocalityOptions

    def run(self, arguments: LocalityOptions) -> None:
        outputs = Outputs.of(arguments)
        names = _names(arguments.nodes)
        found = topology_of(arguments.topology).locality(names)
        from latitude.lab.documents.background import locality_document  # noqa: PLC0415 - NumPy

        outputs.give(locality_document(found))


def topology_of(given: Path | None) -> SwitchTree:
    """The switches that the options name."""
    from latitude.lab.cluster.slurm import live_topology  # noqa: PLC0415
    from latitude.lab.cluster.topology import parse_topology, read_topology  # noqa: PLC0415

    if given is not None:
        return read_topology(given)
    return parse_topology(live_topology(), "scontrol show topology")


def _names(text: str) -> frozenset[str]:
    from latitude.lab.cluster.slurm import live_jobs  # noqa: PLC0415
    from latitude.units.host_lists import hosts  # noqa: PLC0415

    if not text.isdecimal():
        return hosts(text, "NODES")
    for job in live_jobs():
        if job.id == text:
            if not job.nodes:
                raise InputError(f"job {text} has no nodes yet; it is {', '.join(job.states)}")
            return job.nodes
    raise InputError(f"job {text}: not in the queue; give a host list such as node[001-004]")
