"""Distances between nodes ([B] §4.1)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from latitude.lab.cluster.topology import parse_topology
from support.command import Run
from support.schemas import document
from support.slurm.cluster import TOPOLOGY

Refused = Callable[..., str]
SHOWN = """\
SwitchName=group1 Level=0 LinkSpeed=1 Nodes=node[001-002]
SwitchName=group2 Level=0 LinkSpeed=1 Nodes=node[003-004]
SwitchName=group3 Level=0 LinkSpeed=1 Nodes=node[005-006]
SwitchName=island1 Level=1 LinkSpeed=1 Nodes=node[001-004] Switches=group[1-2]
SwitchName=island2 Level=1 LinkSpeed=1 Nodes=node[005-006] Switches=group3
SwitchName=core Level=2 LinkSpeed=1 Nodes=node[001-006] Switches=island[1-2]
"""


@pytest.mark.parametrize("text", [TOPOLOGY, SHOWN], ids=["topology.conf", "scontrol"])
@pytest.mark.parametrize(
    ("nodes", "level"),
    [
        (["node001"], "same group"),
        (["node001", "node002"], "same group"),
        (["node001", "node003"], "same island"),
        (["node001", "node002", "node003", "node004"], "same island"),
        (["node002", "node005"], "different islands"),
    ],
)
def test_the_three_levels(text: str, nodes: list[str], level: str) -> None:
    assert parse_topology(text, "test").locality(nodes).level == level


def test_comments_continued_lines_and_letter_case() -> None:
    text = "# ours\nswitchname=s1 \\\n  nodes=n[1-2] # two\nSWITCHNAME=s2 NODES=n3\n"
    found = parse_topology(text, "test").locality(["n1", "n3"])
    assert (found.level, found.groups, found.islands) == ("different islands", ("s1", "s2"), ())


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "no switch with nodes in it"),
        ("BlockName=b1 BlockIndex=0 Nodes=n[1-2]\n", "blocks (topology/block) have no islands"),
        ("SwitchName=s1\n", ":1: 'SwitchName=s1' is not"),
        ("hello\n", "'hello' is not SwitchName="),
        ("SwitchName=s1 Nodes=n[1-\n", "missing bracket"),
        ("SwitchName=s1 Nodes=n1\nSwitchName=s2 Nodes=n1\n", "n1 is on s1 and on s2"),
        (TOPOLOGY, "the topology has no node node009"),
    ],
)
def test_wrong_topologies(refused: Refused, tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "topology.conf"
    path.write_text(text)
    assert advice in refused("background", "locality", "node[001,009]", "--topology", path)


def test_on_the_terminal_and_as_json(latitude: Run, tmp_path: Path) -> None:
    path = tmp_path / "topology.conf"
    path.write_text(TOPOLOGY)
    done = latitude("background", "locality", "node[001,003]", "--topology", path)
    assert "same island: 2 nodes in 2 groups (group1, group2), 1 island (island1)" in done.stdout
    done = latitude("background", "locality", "node[002,006]", "--topology", path, "--json", "-")
    assert document(done.stdout)["level"] == "different islands"
