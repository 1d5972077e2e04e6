import math
import os
from pathlib import Path
from typing import Any

import pytest

from latitude import InputError, Network
from latitude.model.cluster_file import Description, read_cluster
from latitude.model.rules import Rule
from latitude.model.topology import Topology


def test_defaults_are_named() -> None:
    assert Network().defaults() == ("L", "o", "G", "S")
    assert Network.parse({"L": "3us", "o": "1us"}).defaults() == ("G", "S")
    assert Network(L=1.0, o=2.0, G=3.0, S=4).defaults() == ()
    tree = Topology.parse("fat-tree:k=4,tiers=2", l_wire="300ns")
    assert Network(topology=tree).defaults() == ("d_switch", "o", "G", "S")


def test_strings_with_units() -> None:
    network = Network.parse({"L": "1.2us", "o": "500ns", "G": "50GB/s", "S": "64KiB"}, "sync")
    assert (network.L, network.o, network.G, network.S) == (1200.0, 500.0, 0.02, 65536)
    assert network.core(2).rendezvous == "sync"


def test_calls_that_return_at_once_may_have_an_eager_limit_of_their_own(tmp_path: Path) -> None:
    assert Network().eager_limits == (Network().S, Network().S)
    both = Network(S="256KiB", S_isend="8KiB")
    assert both.eager_limits == (262_144, 8192)
    assert Network(S=4, S_isend=8).eager_limits == (4, 8)
    assert both.describe()["S_isend"] == "8 KiB"
    assert (both.core(2).S, both.core(2).S_isend) == (262_144, 8192)
    file = tmp_path / "cluster.toml"
    file.write_text('[network]\nS = "256KiB"\nS_isend = "8KiB"\n')
    of_file = read_cluster(file)
    assert of_file.network().S_isend == 8192
    assert Description(values={"S": "64KiB"}).over(of_file).network().S_isend is None
    changed = Description(values={"S": "64KiB", "S_isend": "1KiB"}).over(of_file).network()
    assert (changed.S, changed.S_isend) == (65_536, 1024)
    assert Description(values={"o": "1us"}).over(of_file).network().S_isend == 8192


def test_what_is_told_of_a_network_has_an_order() -> None:
    """Samples that a forecast keeps are known by it, in processes that hash names otherwise."""
    network = Network.parse({"L": "3us", "o": "1us", "G": "0.1ns", "S": "4KiB"})
    assert "given" not in repr(network)
    assert repr(network) == repr(Network(L=3000.0, o=1000.0, G=0.1, S=4096))


def test_arguments_may_carry_units() -> None:
    network = Network(L="1.2us", o=500, G="50GB/s", S="64KiB")
    assert (network.L, network.o, network.G, network.S) == (1200.0, 500.0, 0.02, 65536)
    assert Network(S=2**60 + 1).S == 2**60 + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"L": -1}, "L = -1 ns; give a finite value of 0 or more"),
        ({"o": math.nan}, "o = nan ns; give a finite value"),
        ({"G": math.inf}, "G = inf ns per byte; give a finite value"),
        ({"O": -0.5}, "O = -0.5 ns per byte"),
        ({"L": 10**400}, "L = inf ns; give a finite value"),
        ({"o": -(10**400)}, "o = -inf ns; give a finite value"),
        ({"compute_scale": 10**5000}, "compute_scale = inf is not a finite number"),
        ({"S": 10**400}, "S = inf bytes; give a finite value"),
        ({"S": 2**64}, "S = 1.84467e+19 bytes is out of range; write e.g. '256KiB'"),
        ({"L": "1.2"}, "L: '1.2' has no unit; write e.g. 3us"),
        ({"L": "-3us"}, "L: '-3us' is negative"),
        ({"S_isend": True}, "S_isend = True is not a number"),
        ({"S": 0.5}, "S = 0.5 is not a whole number of bytes; write e.g. '256KiB'"),
        ({"L": None}, "L = None is not a number"),
        ({"o": True}, "o = True is not a number"),
        ({"rendezvous": "twice"}, "rendezvous: 'twice' is unknown; use handshake, put"),
        ({"gap": "receive"}, "gap: 'receive' is unknown; use none, send, both"),
        ({"compute_scale": -1.0}, "compute_scale = -1.0 is not a finite number"),
        ({"compute_scale": "2"}, "compute_scale = '2' is not a finite number"),
        ({"compute_scale": True}, "compute_scale = True is not a finite"),
        ({"rules": [{"L": "1us"}]}, "rules = {'L': '1us'} is not a Rule; write e.g. Rule("),
        (
            {"topology": "fat-tree:k=4,tiers=2"},
            "topology = 'fat-tree:k=4,tiers=2' is not a Topology; write e.g. Topology.parse(",
        ),
        (
            {"placement": "block"},
            "placement = 'block' is not a Placement; write e.g. Placement.parse",
        ),
    ],
)
def test_what_is_no_network_is_refused_at_once(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        Network(**arguments)
    assert str(error.value).startswith(message)


CLUSTER = """
[network]
L = "1.3us"
o = "400ns"
rendezvous = "llamp"

[[link]]
where = "same node"
L = "0.4us"
G = "0.05ns"

[topology]
kind = "fat-tree"
k = 4
tiers = 2
l_wire = "300ns"

[placement]
rule = "file:hosts.txt"
"""


def test_cluster_file(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER.replace('L = "1.3us"\n', "", 1))
    (tmp_path / "hosts.txt").write_text("a slots=2\nb slots=2\n")
    network = read_cluster(path).network()
    assert (network.o, network.rendezvous) == (400.0, "llamp")
    assert network.rules == (Rule("same node", 400.0, 0.05),)
    assert network.topology == Topology("fat-tree:k=4,tiers=2", 300.0, 108.0, frozenset({"l_wire"}))
    links = network.links(4)
    assert links.node_of_rank is not None
    assert links.node_of_rank.tolist() == [0, 0, 1, 1]
    assert network.core(4).classes == [
        ("1 switch", 2 * 300.0 + 108.0, 0.018),
        ("inside a node", 400.0, 0.05),
    ]


def test_keys_of_the_network_may_stand_at_the_top(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text('L = "1us"\ngap = "both"\n[placement]\nranks_per_node = 4\n')
    read = read_cluster(path)
    assert (dict(read.values), read.gap, read.ranks_per_node) == ({"L": "1us"}, "both", 4)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("L = 3", 'must be a string with a unit, e.g. L = "3us"'),
        (
            'latency = "3us"',
            "known are L, o, g, G, O, S, S_isend, rendezvous, gap, reach, draws, measured",
        ),
        ("L = ", "not a TOML file"),
        ("network = 3", "must be a table"),
        (
            '[network]\nL = "1us"\n[nodes]\n',
            "[nodes]: no such table; known are network, link, places, topology",
        ),
        ('[[link]]\nl = "1us"\n', "[[link]] l: no such key; known are where, name, L, G, o, O, g"),
        ("[[link]]\nwhere = 'same node'\nL = 4\n", "must be a string with a unit"),
        ("[topology]\nk = 4\n", '[topology]: needs kind = "fat-tree"'),
        ('[topology]\nspec = "torus:4"\nk = 4\n', "[topology] k: no such key; known are spec"),
        ('[placement]\nnode = "a"\n', "[placement] node: no such key; did you mean nodes?"),
        ("[placement]\nnodes = 0\n", "[placement] nodes: must be a whole number from 1 on"),
    ],
)
def test_wrong_cluster_files(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"cluster\.toml") as error:
        read_cluster(path)
    assert advice in str(error.value)
    with pytest.raises(InputError, match="No such file"):
        read_cluster(tmp_path / "absent.toml")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("L = " + "[" * 100_000, "not a TOML file"),
        ("L = " + "[" * 40 + "]" * 40, "nested more than 32 deep"),
        (".".join("a" * 100_000) + " = 1", "a key of over 64 parts"),
        (f"[{'.'.join('a' * 100_000)}]", "a key of over 64 parts"),
        (f"L = '{'.'.join('aa' * 99_000)}'", "a key of over 64 parts"),
        ("[placement]\nnodes = " + "1" * 5_001, "not a TOML file"),
        ("[placement]\nnodes = 0x" + "f" * 5_001, "an integer has 64 bits"),
        ("L = 9223372036854775808", "an integer has 64 bits"),
        ("#" * ((1 << 20) + 1), "longer than 1 MiB"),
        ("\udcff", "not text in UTF-8"),
    ],
    ids=[
        "unclosed",
        "lists",
        "key",
        "header",
        "text",
        "digits",
        "hexadecimal",
        "over 64 bits",
        "size",
        "UTF-8",
    ],
)
def test_hostile_cluster_files_are_one_error(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match=r"cluster\.toml") as error:
        read_cluster(path)
    assert advice in str(error.value)
    assert len(str(error.value)) < 1_000


def test_a_pipe_is_no_cluster_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cluster.toml")
    with pytest.raises(InputError, match="not a regular file"):
        read_cluster(tmp_path / "cluster.toml")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (CLUSTER, "leave L out"),
        ('[topology]\nkind = "ring"\nk = 4\n', "ring"),
        ('[[link]]\nwhere = "same node"\nG = "1ns"\n', "L is missing; write e.g. L=0.4us,G=0.05ns"),
        ('[topology]\nkind = "fat-tree"\nk = 4\ntiers = 2\nl_wire = "3"\n', "has no unit"),
        ('[placement]\nrule = "random"\n', "use block, round-robin, random:SEED"),
    ],
)
def test_networks_that_cannot_be(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(text)
    (tmp_path / "hosts.txt").write_text("a\n")
    with pytest.raises(InputError) as error:
        read_cluster(path).network()
    assert advice in str(error.value)


def test_options_win_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text('L = "1us"\no = "2us"\n[placement]\nnodes = 2\n')
    read = read_cluster(path)
    given = type(read)(values={"o": "3us"}, topology="fat-tree:k=4,tiers=2", placement="block")
    network = given.over(read).network()
    assert (network.o, network.L) == (3000.0, 3000.0)
    assert network.topology is not None, "and the file's L is that of no wire"
    assert network.placement is not None
    assert network.placement.nodes is None, "a placement of one's own has its own nodes"


@pytest.mark.parametrize(
    ("L", "G", "advice"),
    [
        ("1", None, "'1' has no unit"),
        (-1.0, None, "L = -1 ns; give a finite value"),
        (1.0, math.nan, "G = nan ns per byte; give a finite value"),
        (None, 1.0, "L = None is not a number"),
    ],
)
def test_what_is_no_price_of_a_rule_is_refused_at_once(L: Any, G: Any, advice: str) -> None:
    with pytest.raises(InputError, match="link 'same node'") as error:
        Rule("same node", L, G)
    assert advice in str(error.value)
