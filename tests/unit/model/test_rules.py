"""Link rules and places: what they say by hand, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

import latitude
from latitude import InputError, Network, Placement, PlaceSizes, Rule, Topology
from latitude.analysis.lp.model import model_of
from latitude.analysis.lp.program import program_of
from latitude.analysis.lp.solver import solver_named
from latitude.analysis.place.find import place
from latitude.model.cluster_file import Description, read_cluster
from latitude.model.links import Links
from latitude.model.rules import LinkChange
from latitude.model.theta import theta_of
from support.sections import known

RAILS = """\
L = "1.3us"
o = "400ns"
G = "0.1ns"
[[link]]
where = "same node"
L = "0.4us"
o = "150ns"
[[link]]
where = "different group"
L = "2.5us"
G = "0.2ns"
o = "700ns"
O = "0.01ns"
[[link]]
where = "same rail"
name = "own rail"
L = "0.9us"
[places]
nodes_per_group = 2
rails_per_node = 2
[placement]
ranks_per_node = 2
"""


def named(links: Links, source: int, destination: int) -> str:
    """The class of the message from one rank to another."""
    assert links.place_of_rank is not None
    assert links.class_of is not None
    at = links.place_of_rank
    return links.classes[int(links.class_of[at[source], at[destination]])].name


@pytest.fixture
def rails(tmp_path: Path) -> Network:
    path = tmp_path / "rails.toml"
    path.write_text(RAILS)
    return read_cluster(path).network()


def test_the_first_rule_that_fits_holds(rails: Network) -> None:
    links = rails.links(8)
    assert [named(links, 0, rank) for rank in range(8)] == [
        "inside a node",
        "inside a node",
        "own rail",
        "between nodes",
        *["between groups"] * 4,
    ]
    assert [(c.name, c.L, c.G, c.rule, c.between, c.pairs) for c in links.classes] == [
        ("between nodes", 1300.0, 0.1, "between nodes", True, 8),
        ("inside a node", 400.0, 0.1, "inside a node", False, 8),
        ("between groups", 2500.0, 0.2, "between groups", True, 32),
        ("own rail", 900.0, 0.1, "own rail", True, 8),
    ]


def test_what_rules_have_on_the_path_is_what_all_have(rails: Network, lulesh: Path) -> None:
    program = latitude.load(lulesh)
    result = latitude.analyze(program, rails)
    slopes, overheads = {}, {}
    for rule in known(result.links).rules:
        found = latitude.analyze(program, rails, sweep=f"L:{rule}", sections=[])
        slopes[rule] = found.sensitivity.slope
        found = latitude.analyze(program, rails, sweep=f"o:{rule}", sections=[])
        overheads[rule] = found.sensitivity.slope
    assert sum(overheads.values()) == known(result.baseline.path).lambda_o
    between = sum(slope for rule, slope in slopes.items() if rule != "inside a node")
    assert between == result.baseline.lambda_L
    assert min(slopes.values()) > 0, "a rule without a latency on the path tests nothing"
    prices = {link.rule: link.L for link in known(result.links).classes}
    latency = sum(slope * prices[rule] for rule, slope in slopes.items())
    assert latency == pytest.approx(known(result.baseline.path).latency_ns)


def test_both_ends_pay_the_overhead_of_their_link(tmp_path: Path) -> None:
    """A message in a node, one between nodes, one of a rank to itself."""
    path = tmp_path / "three.goal"
    path.write_text(
        "num_ranks 3\n"
        "rank 0 {\na: send 5b to 1 tag 0\nb: send 5b to 2 tag 0\nb requires a\n"
        "c: send 5b to 0 tag 0\nc requires b\nd: recv 5b from 0 tag 0\nd requires c\n}\n"
        "rank 1 {\nr: recv 5b from 0 tag 0\n}\nrank 2 {\nr: recv 5b from 0 tag 0\n}\n"
    )
    rule = Rule("same node", L=10.0, o=3.0, O=2.0)
    inside, between = 3.0 + 2.0 * 4, 10.0
    nodes = Placement.explicit([0, 0, 1])
    network = Network(L=0.0, o=between, G=0.0, rules=[rule], placement=nodes)
    found = latitude.analyze(latitude.load(path), network)
    assert known(found.baseline.path).lambda_o == 4
    assert found.T_ns == inside + between + inside + inside
    others = {each.rule: each.lambda_o for each in found.link_rules}
    assert others == {"between nodes": 1, "inside a node": 3}


def test_the_nic_is_taken_for_as_long_as_the_link_of_its_message_says(tmp_path: Path) -> None:
    path = tmp_path / "three.goal"
    path.write_text(
        "num_ranks 3\n"
        "rank 0 {\na: send 1b to 1 tag 0\nb: send 1b to 2 tag 0\nb requires a\n}\n"
        "rank 1 {\nr: recv 1b from 0 tag 0\n}\nrank 2 {\nr: recv 1b from 0 tag 0\n}\n"
    )
    program = latitude.load(path)
    nodes = Placement.explicit([0, 0, 1])
    for inside, second_starts in ((0.0, 5.0), (None, 70.0), (500.0, 500.0)):
        rule = Rule("same node", L=0.0, g=inside)
        network = Network(L=0.0, o=5.0, g=70.0, G=0.0, rules=[rule], placement=nodes)
        assert latitude.analyze(program, network).T_ns == second_starts + 2 * network.o


def test_a_rule_changes_for_one_command(rails: Network, tmp_path: Path) -> None:
    path = tmp_path / "rails.toml"

    def changed(*texts: str) -> Network:
        changes = tuple(map(LinkChange.parse, texts))
        return Description(changes=changes).over(read_cluster(path)).network()

    assert changed() == rails
    first = changed("between groups:L=3us,G=0.1ns/B", "same node:o=1us").rules
    assert [(rule.L, rule.G, rule.o) for rule in first[:2]] == [
        (400.0, None, 1000.0),
        (3000.0, 0.1, 700.0),
    ]
    assert changed("intra:L=1us").rules[0].L == 1000
    assert changed("own rail:S=4KiB").rules[2].S == 4096
    assert changed("inter:o=1us").o == 1000
    added = changed("same rail and different site:L=9us").rules
    assert (len(added), added[0].L) == (4, 9000.0)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("between groups", "write e.g. 'between groups:L=3us,G=0.1ns/B'"),
        ("between groups:L", "write e.g."),
        ("intra:Latency=1us", "unknown parameter 'Latency'; use L, G, o, O, g, S, per_hop"),
        ("rack:L=1us", "the network has intra, between groups, own rail, inter, but not this rule"),
        ("same site:o=1us", "link 'same site': L is missing"),
        ("own rail:o=1kg", "unknown unit 'kg'"),
        ("inter:per_hop=1us", "unknown parameter 'per_hop'"),
    ],
)
def test_a_change_of_a_rule_that_cannot_be(
    rails: Network, tmp_path: Path, text: str, advice: str
) -> None:
    def changed() -> Network:
        changes = (LinkChange.parse(text),)
        return Description(changes=changes).over(read_cluster(tmp_path / "rails.toml")).network()

    assert rails.rules
    with pytest.raises(InputError) as error:
        changed()
    assert advice in str(error.value)


def test_a_rule_that_leaves_nodes_and_does_not_is_two_classes() -> None:
    network = Network(
        rules=[Rule("same group", L=5.0)],
        places=PlaceSizes({"group": 2}),
        placement=Placement(ranks_per_node=2),
    )
    links = network.links(8)
    assert [(c.name, c.between, c.pairs) for c in links.classes] == [
        ("between nodes", True, 32),
        ("inside a group", True, 16),
        ("inside a group, inside a node", False, 8),
    ]
    theta = theta_of("L", network, links)
    assert theta.weight == (1.0, 1.0, 0.0)
    assert theta_of("L:inside a group", network, links).weight == (0.0, 1.0, 1.0)


def test_latency_of_a_rule_by_the_switches_on_the_way() -> None:
    network = Network(
        rules=[Rule("at most 3 switches and different node", L=100.0, per_hop=10.0, name="pod")],
        topology=Topology("fat-tree:k=4,tiers=3"),
        placement=Placement.explicit([0, 1, 2, 4]),
    )
    links = network.links(4)
    assert [(c.name, c.L, c.switches) for c in links.classes] == [
        ("5 switches", 6 * 274.0 + 5 * 108.0, 5),
        ("pod, 1 switch", 110.0, 1),
        ("pod, 3 switches", 130.0, 3),
    ]
    theta = theta_of("L:pod", network, links)
    assert (theta.base, theta.fixed, theta.weight) == (110.0, (2184.0, 0.0, 20.0), (0.0, 1.0, 1.0))
    assert theta_of("l_wire", network, links).weight == (6.0, 0.0, 0.0)


def test_places_have_names_and_rules_a_direction() -> None:
    network = Network(
        L=1.0,
        rules=[Rule("site Bonn to Kiel", L=9.0), Rule("different site", L=7.0)],
        places=PlaceSizes(named={"site": {"Bonn": "0, 2", "Kiel": "1"}}),
    )
    links = network.links(3)
    assert named(links, 0, 1) == "from site Bonn to Kiel"
    assert named(links, 1, 2) == "between sites"
    assert named(links, 0, 2) == "between nodes"


def test_ranks_fill_the_parts_of_their_node_evenly() -> None:
    placement = Placement.explicit([0, 1, 0, 0, 0, 0, 1])
    places = PlaceSizes({"socket": 2, "rail": 2})
    nodes = placement.of(7)
    assert places.of(nodes, "rail").tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert places.of(nodes, "socket").tolist() == [0, 2, 0, 0, 1, 1, 3]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('[[link]]\nwhere = "near"\nL = "1us"\n', "[[link]]: link: 'near' is not understood"),
        ('[[link]]\nL = "1us"\n', "[[link]]: where is missing"),
        ('[[link]]\nwhere = "same node"\nL = "1"\n', "L: '1' has no unit"),
        ('[[link]]\nwhere = "same node"\nLatency = "1us"\n', "Latency: no such key"),
        ('[link]\nwhere = "same node"\n', "'link' must be tables: [[link]]"),
        ("[places]\nracks_per_node = 2\n", "racks_per_node: no such key"),
        ("[places]\nnodes_per_group = 0\n", "must be a whole number from 1 on"),
        ('[places.site]\nA = "x"\n', "places.site: A: 'x' names no nodes; write e.g. 0-63, 80"),
        ('[places]\nnodes_per_site = 1\n[places.site]\nA = "0"\n', "leave one out"),
        (
            '[[link]]\nwhere = "same node"\nL = "1us"\nname = "between nodes"\n',
            "'between nodes' is the name of links without a rule",
        ),
    ],
)
def test_wrong_rules_in_a_file(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"cluster\.toml") as error:
        read_cluster(path)
    assert advice in str(error.value)


@pytest.mark.parametrize(
    ("given", "advice"),
    [
        ({"rules": [Rule("same socket", L=1.0)]}, "give sockets_per_node = 2 in [places]"),
        ({"rules": [Rule("same group", L=1.0)]}, "or a table [places.group]"),
        ({"rules": [Rule("site A to B", L=1.0)]}, "no key defines the site of nodes"),
        ({"rules": [Rule("at most 3 switches", L=1.0)]}, "needs a topology"),
        ({"rules": [Rule("same node", L=1.0, per_hop=1.0)]}, "per_hop needs a topology"),
        (
            {
                "places": PlaceSizes(named={"site": {"A": "0-1"}}),
                "rules": [Rule("same site", L=1.0)],
            },
            "node 2 is in none of A; name a site for it",
        ),
        (
            {
                "places": PlaceSizes(named={"site": {"A": "0-2", "B": "2"}}),
                "rules": [Rule("same site", L=1.0)],
            },
            "a node of it has another site",
        ),
        (
            {
                "places": PlaceSizes(named={"site": {"A": "0-9"}}),
                "rules": [Rule("site A to C", L=1.0)],
            },
            "unknown site 'C'; known are A",
        ),
    ],
)
def test_rules_that_ask_for_what_is_not_known(given: dict[str, Any], advice: str) -> None:
    network = Network(**given, placement=Placement(ranks_per_node=1))
    with pytest.raises(InputError) as error:
        network.links(4)
    assert advice in str(error.value)


def test_there_are_no_more_rules_or_parts_than_can_be() -> None:
    with pytest.raises(InputError, match="65 rules; 64 at most"):
        Network(rules=[Rule("same node", L=1.0, name=str(i)) for i in range(65)])
    with pytest.raises(InputError, match="sockets_per_node = 1,048,577; give 1,048,576 at most"):
        PlaceSizes({"socket": (1 << 20) + 1})


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two rules have this name"):
        Network(rules=[Rule("same node", L=1.0), Rule("same node", L=2.0)])


def test_ranks_are_not_placed_on_parts_of_nodes(lulesh: Path) -> None:
    network = Network(rules=[Rule("same socket", L=1.0)], places=PlaceSizes({"socket": 2}))
    with pytest.raises(InputError, match="not on parts of them"):
        place(latitude.load(lulesh), network, 4)


def test_messages_of_a_rule_may_have_an_eager_limit_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "two.goal"
    path.write_text(
        "num_ranks 2\nrank 0 {\na: send 9b to 1 tag 0\n}\n"
        "rank 1 {\nc: calc 1000\nb: recv 9b from 0 tag 0\nb requires c\n}\n"
    )
    program = latitude.load(path)
    inside = Placement(ranks_per_node=2)
    for S, expected in ((None, 1000 + 1), (8, 1000 + 2 * 10 + 2 + 1)):
        rule = Rule("same node", L=10.0, G=0.0, S=S)
        network = Network(L=1.0, o=1.0, G=0.0, S=64, rules=[rule], placement=inside)
        assert latitude.analyze(program, network).T_ns == expected
        linear = program_of(program.graph, network.core(2))
        solved = solver_named("highs")(model_of(linear)).minimise_t(linear.latency)
        assert solved.t_ns == pytest.approx(expected)


@pytest.mark.parametrize("sweep", ["L:rack", "G:between racks"])
def test_a_rule_that_is_not_there_cannot_be_varied(
    rails: Network, lulesh: Path, sweep: str
) -> None:
    with pytest.raises(InputError, match="intra, between groups, own rail"):
        latitude.analyze(latitude.load(lulesh), rails, sweep=sweep)
