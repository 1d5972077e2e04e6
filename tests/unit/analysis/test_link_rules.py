"""The section of link rules: sums as in the answer, tolerances as from a rule's own θ."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace as with_fields

import latitude
from latitude import Analysis, Placement, Rule, Topology
from latitude.model.cluster_file import read_cluster
from latitude.model.network import Network
from latitude.render.charts.chart import Chart
from latitude.render.document import Section, Table
from latitude.render.documents.analysis import analysis_document
from support.oracle.places import random_places, random_rules
from support.oracle.programs import random_parameters, random_program
from support.sections import known
from unit.analysis.test_oracle_rules import network_of
from unit.model.test_rules import RAILS

PROGRAMS = 40


@pytest.fixture(scope="module")
def rails(tmp_path_factory: pytest.TempPathFactory) -> Network:
    path = tmp_path_factory.mktemp("rails") / "rails.toml"
    path.write_text(RAILS)
    return read_cluster(path).network()


@pytest.fixture(scope="module")
def result(rails: Network, lulesh: Path) -> Analysis:
    return latitude.analyze(latitude.load(lulesh), rails)


def test_rules_add_up_to_the_answer(result: Analysis) -> None:
    latencies = {each.rule: each.lambda_L for each in result.link_rules}
    assert sum(latencies.values()) - latencies["inside a node"] == result.baseline.lambda_L
    path = known(result.baseline.path)
    assert sum(each.lambda_o for each in result.link_rules) == path.lambda_o
    for part in ("latency_ns", "bandwidth_ns"):
        total = sum(getattr(each, part) for each in result.link_rules)
        assert total == pytest.approx(getattr(path, part))
    assert sum(each.messages for each in result.link_rules) == result.graph.messages
    assert sum(each.bytes for each in result.link_rules) == result.graph.bytes
    assert sum(each.rank_pairs for each in result.link_rules) == 8 * 7


def test_each_rule_tolerates_what_a_sweep_of_its_latency_says(
    result: Analysis, rails: Network, lulesh: Path
) -> None:
    program = latitude.load(lulesh)
    for each in result.link_rules:
        for parameter, field in (("L", "delta_ns"), ("o", "delta_o_ns")):
            sweep = f"{parameter}:{each.rule}"
            alone = latitude.analyze(program, rails, sweep=sweep, sections=[])
            deltas = [getattr(t, field) for t in each.tolerance]
            assert deltas == [t.delta for t in alone.tolerance]


def test_a_rule_has_the_latency_of_its_nearest_pair(lulesh: Path) -> None:
    network = Network(
        rules=(Rule("same node", 300.0, 0.02),),
        topology=Topology("dragonfly:g=2,a=2,p=2"),
        placement=Placement("round-robin", nodes=4),
    )
    found = latitude.analyze(latitude.load(lulesh), network).link_rules
    classes = network.links(8).classes
    of_rule = {each.rule: [link.L for link in classes if link.rule == each.rule] for each in found}
    assert max(map(len, of_rule.values())) > 1
    assert {each.rule: each.L_ns for each in found} == {
        rule: min(latencies) for rule, latencies in of_rule.items()
    }


def test_there_is_nothing_to_say_where_all_links_cost_the_same(two_ranks: Path) -> None:
    found = latitude.analyze(latitude.load(two_ranks))
    assert found.link_rules == []
    assert not _shown(found)


def test_the_page_tells_of_each_rule(result: Analysis) -> None:
    (section,) = _shown(result)
    (shown,) = section.parts
    assert isinstance(shown, Table)
    assert len(shown.rows) == len(result.link_rules)
    assert "Latency of links between groups" in str(section.reading)
    (chart,) = (
        each for each in _parts(result) if isinstance(each, Chart) and each.id == "link-rules"
    )
    lines = {trace["name"]: trace for trace in chart.figure["data"]}
    assert set(lines) == {each.rule for each in result.link_rules}
    assert len({trace["line"]["color"] for trace in lines.values()}) == len(lines)
    assert lines["between groups"]["y"] == [0, 1, 2, 5]
    assert "Links between groups are the first" in str(chart.reading)
    nothing = [with_fields(each, latency_ns=0.0) for each in result.link_rules]
    (section,) = _shown(with_fields(result, link_rules=nothing))
    assert "No latency of a message" in str(section.reading)


@pytest.mark.thorough
def test_rules_of_random_programs_add_up_with_all_else_switched_on(tmp_path: Path) -> None:
    path = tmp_path / "random.goal"
    for seed in range(PROGRAMS):
        rng = Random(seed)
        path.write_text(random_program(rng).text())
        program = latitude.load(path)
        costs = random_parameters(rng)
        cluster = random_places(rng, program.graph.ranks)
        prices = [(costs.L + rng.choice([0, 1, 8]), costs.G) for _ in range(4)]
        network = network_of(replace(cluster, rules=random_rules(rng, prices, costs.gap)), costs)
        found = latitude.analyze(program, network)
        assert not [each for each in found.left_out if each.what == "link rules"]
        rules = found.link_rules
        if not rules:
            assert len(network.links(program.graph.ranks).classes) == 1
            continue
        assert sum(each.messages for each in rules) == sum(known(found.pairs).all.messages)
        path_of = known(found.baseline.path)
        sums = [
            sum(getattr(each, name) for each in rules)
            for name in ("latency_ns", "bandwidth_ns", "overhead_ns")
        ]
        assert sums[:2] == pytest.approx([path_of.latency_ns, path_of.bandwidth_ns]), seed
        assert sums[2] <= path_of.overhead_ns + 1e-9, "the path has O and g besides"


def _shown(analysis: Analysis) -> list[Section]:
    parts = _parts(analysis)
    return [each for each in parts if isinstance(each, Section) and each.title == "By link rule"]


def _parts(analysis: Analysis) -> Sequence[object]:
    return analysis_document(analysis).parts
