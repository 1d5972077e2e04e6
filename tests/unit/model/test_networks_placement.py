"""Which node each rank runs on."""

from pathlib import Path

import pytest

from latitude import InputError, Placement


def nodes(placement: Placement, ranks: int) -> list[int]:
    return [int(node) for node in placement.of(ranks)]


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        (Placement(), [0, 1, 2, 3, 4]),
        (Placement(ranks_per_node=2), [0, 0, 1, 1, 2]),
        (Placement(nodes=2), [0, 0, 0, 1, 1]),
        (Placement(nodes=2, ranks_per_node=4), [0, 0, 0, 0, 1]),
        (Placement(nodes=9), [0, 1, 2, 3, 4]),
        (Placement("round-robin", nodes=2), [0, 1, 0, 1, 0]),
        (Placement("round-robin", ranks_per_node=2), [0, 1, 2, 0, 1]),
        (Placement.explicit([7, 7, 3, 3, 7]), [7, 7, 3, 3, 7]),
        (Placement.explicit([1, 2, 3, 4, 5, 6]), [1, 2, 3, 4, 5]),
    ],
)
def test_rules(placement: Placement, expected: list[int]) -> None:
    assert nodes(placement, 5) == expected


def test_random_shuffles_blocks_and_depends_on_the_seed_alone() -> None:
    first = nodes(Placement.parse("random:7", ranks_per_node=4), 32)
    assert first == nodes(Placement.parse("random:7", ranks_per_node=4), 32)
    assert first != nodes(Placement.parse("random:8", ranks_per_node=4), 32)
    assert sorted(first) == nodes(Placement(ranks_per_node=4), 32) != first
    assert first[:8] == [7, 2, 4, 2, 7, 1, 1, 5], "the same in every version of Python"


HOSTS = {
    "one host a rank": "node3\nnode1\nnode1 # twice\n\nnode3\n",
    "slots": "node3 slots=1\nnode1 slots=2 max-slots=8\nnode3 slots=1\n",
    "counts": "node3:1\nnode1:2\nnode3:1\n",
    "rank file": "rank 1=node1 slot=0\nrank 0=node3 slot=0\nrank 3=node3 slot=1\nrank 2=node1\n",
}


@pytest.mark.parametrize("text", HOSTS.values(), ids=HOSTS)
def test_host_files(tmp_path: Path, text: str) -> None:
    path = tmp_path / "hosts"
    path.write_text(text)
    assert nodes(Placement.parse(f"file:{path}"), 4) == [0, 1, 1, 0], "in order of appearance"
    assert nodes(Placement.parse(f"numbered:1:{path}"), 4) == [2, 0, 0, 2], "node1 is the first"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "has no host; write one host per line"),
        ("a b c\n", ":1: 'a b c' names no host"),
        ("rank 0=a\nrank 0=b\n", ":2: rank 0 is placed twice"),
        ("rank 0=a\nrank 2=b\n", "no line for rank 1"),
        ("rank 0=a\nb\n", "lines without a rank"),
    ],
)
def test_wrong_host_files(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "hosts"
    path.write_text(text)
    with pytest.raises(InputError, match="hosts") as error:
        Placement.parse(f"file:{path}")
    assert advice in str(error.value)


def test_hosts_without_a_number(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("node1\nlogin\n")
    with pytest.raises(InputError, match="host 'login' does not end in a number of 1 or more"):
        Placement.parse(f"numbered:1:{path}")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("ring", "placement: 'ring' is unknown; use block, round-robin"),
        ("random", "'random' is unknown"),
        ("random:x", "'random:x' is unknown"),
        ("block:2", "'block:2' is unknown"),
        ("numbered:hosts", "write e.g. numbered:1:hosts.txt"),
        ("file:absent", "absent: No such file"),
    ],
)
def test_wrong_rules(text: str, advice: str) -> None:
    with pytest.raises(InputError) as error:
        Placement.parse(text)
    assert advice in str(error.value)


def test_ranks_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--ranks-per-node 4 or --nodes 4"):
        Placement(nodes=2, ranks_per_node=2).of(8)
    with pytest.raises(InputError, match="the topology has 4; give --ranks-per-node 2"):
        Placement().of(8, available=4)
    with pytest.raises(InputError, match="places 2 ranks, but the program has 3"):
        Placement.explicit([0, 1]).of(3)
    path = tmp_path / "hosts"
    path.write_text("a\n")
    with pytest.raises(InputError, match="leave out the number of nodes"):
        Placement.parse(f"file:{path}", nodes=2)


def test_in_words() -> None:
    assert Placement(nodes=2).describe(5) == "block, 2 nodes, at most 3 ranks each"
    assert Placement("random", seed=3).describe(1) == "random:3, 1 node, at most 1 rank each"
    assert Placement.explicit([4, 4, 9]).describe(3) == "as given, 2 nodes, at most 2 ranks each"
