"""Switches of a cluster, and the distance between a job's nodes (Salimi Beni and Cosenza §4.1).

The source is the output of `scontrol show topology` or a topology.conf. Their lines differ only in
`Level=`, which Latitude does not read. A leaf switch is a group in the paper's sense, and a switch
above leaves is an island.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from latitude._core import InputError
from latitude.files.provenance import made_now
from latitude.files.reading import read_text
from latitude.lab.cluster.slurm import MOST_BYTES
from latitude.lab.results.background import (
    DIFFERENT_ISLANDS,
    SAME_GROUP,
    SAME_ISLAND,
    JobLocality,
    Level,
)
from latitude.units.host_lists import folded, hosts

LOCALITIES = (SAME_GROUP, SAME_ISLAND, DIFFERENT_ISLANDS)
"""The paper's three levels, nearest first."""

_PAIR = re.compile(r"(?<!\w)(\w+)=(\S*)")
"""A pattern that reads each word once; trying each of its letters as a start would take quadratic
time."""


@dataclass(slots=True)
class SwitchTree:
    """The group of each node, and the switches above each group."""

    group: dict[str, str] = field(default_factory=dict)
    islands: dict[str, set[str]] = field(default_factory=dict)
    """Group → the switches directly above."""

    def locality(self, nodes: Iterable[str]) -> JobLocality:
        """The distance between these nodes. InputError: no nodes, or one is on no switch."""
        names = sorted(set(nodes))
        if not names:
            raise InputError("no nodes; give at least one")
        absent = [name for name in names if name not in self.group]
        if absent:
            raise InputError(
                f"the topology has no node {folded(absent)}; give the topology of this cluster"
            )
        groups = sorted({self.group[name] for name in names})
        above = [self.islands.get(group, set()) for group in groups]
        level: Level
        if len(groups) == 1:
            level = SAME_GROUP
        elif set.intersection(*above):
            level = SAME_ISLAND
        else:
            level = DIFFERENT_ISLANDS
        return JobLocality(
            provenance=made_now(),
            level=level,
            nodes=len(names),
            groups=tuple(groups),
            islands=tuple(sorted(set().union(*above))),
        )


def parse_topology(text: str, where: str) -> SwitchTree:
    """The switches in the text of `scontrol show topology` or of a topology.conf."""
    found = SwitchTree()
    continued = re.sub(r"\\\s*\n", " ", text)
    for number, raw in enumerate(continued.splitlines(), start=1):
        line = raw.partition("#")[0].strip()
        if line:
            _switch(found, line, f"{where}:{number}")
    if not found.group:
        raise InputError(
            f"{where}: no switch with nodes in it; the cluster needs topology/tree (or write a "
            "topology.conf yourself and give it with --topology)"
        )
    return found


def _switch(found: SwitchTree, line: str, where: str) -> None:
    values = {key.lower(): value for key, value in _PAIR.findall(line)}
    if "blockname" in values:
        raise InputError(
            f"{where}: blocks (topology/block) have no islands; write a topology.conf with "
            "SwitchName= lines and give it with --topology"
        )
    name = values.get("switchname")
    if not name or not ("nodes" in values or "switches" in values):
        raise InputError(f"{where}: '{line[:60]}' is not SwitchName=… with Nodes= or Switches=")
    if values.get("switches"):
        for group in hosts(values["switches"], where):
            found.islands.setdefault(group, set()).add(name)
        return
    for node in hosts(values.get("nodes", ""), where):
        if found.group.setdefault(node, name) != name:
            raise InputError(f"{where}: {node} is on {found.group[node]} and on {name}")


def read_topology(path: Path) -> SwitchTree:
    """The switches in a file: a topology.conf, or the output of `scontrol show topology`."""
    return parse_topology(read_text(path, MOST_BYTES, errors="replace"), str(path))
