"""Pairs of ranks for each link rule of a file."""

from pathlib import Path

import pytest

from latitude import InputError
from latitude.measure.loggps.pairs import RulePairs, rule_pairs
from latitude.model.cluster_file import read_cluster
from latitude.results.measurement import RankPlace

BASE = 'L = "1us"\n'
SITES = """
[[link]]
where = "site A to B"
L = "1ms"

[places.site]
A = "0"
B = "1-9"
"""


def chosen(text: str, tmp_path: Path, nodes: list[int], most: int = 0) -> RulePairs:
    """Chosen pairs for ranks on these nodes."""
    (tmp_path / "rules.toml").write_text(BASE + text)
    places = [
        RankPlace(rank=rank, node=node, core=None, host=f"n{node}")
        for rank, node in enumerate(nodes)
    ]
    return rule_pairs(places, read_cluster(tmp_path / "rules.toml"), most, 1)


def test_a_pair_has_one_rule_in_both_directions(tmp_path: Path) -> None:
    """A way and its way back that cost different things are told from no round trip."""
    pairs = chosen(SITES, tmp_path, [0, 0, 1, 1])
    assert dict(pairs.rule_of) == {(0, 1): "between nodes", (2, 3): "between nodes"}
    assert str(pairs) == "0-1,2-3"
    with pytest.raises(InputError, match="meet over links of one rule both ways"):
        chosen(SITES, tmp_path, [0, 1])


@pytest.mark.thorough
def test_a_part_of_many_pairs_has_some_of_every_rule(tmp_path: Path) -> None:
    """Two thousand ranks have two million pairs."""
    rule = '[[link]]\nwhere = "same node"\nL = "1ns"\n'
    nodes = [rank // 10 for rank in range(2_000)]
    pairs = chosen(rule, tmp_path, nodes, most=9)
    inside = [nodes[a] == nodes[b] for a, b in pairs.rule_of]
    assert sorted(inside) == [False] * 4 + [True] * 4
    assert [name == "inside a node" for name in pairs.rule_of.values()] == inside
    assert all(a < b for a, b in pairs.rule_of)


def test_latencies_of_a_topology_are_not_measured(tmp_path: Path) -> None:
    """Which would be given twice."""
    with pytest.raises(InputError, match="its topology"):
        chosen('[topology]\nspec = "fat-tree:k=4,tiers=2"\n', tmp_path, [0, 1])
