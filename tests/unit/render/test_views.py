"""Iterations, the map of nodes and links, and call paths, as they are drawn."""

from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from msgspec.structs import replace

import latitude
from latitude import Analysis, Network, Placement
from latitude.model.rules import Rule
from latitude.model.topology import Topology
from latitude.render.charts.chart import Chart
from latitude.render.document import Section
from latitude.sections.by_call_site.call_stacks import call_stacks
from latitude.sections.by_call_site.result import CallPath
from latitude.sections.iterations.show import iterations_parts
from latitude.sections.link_loads.compute import link_loads
from latitude.sections.link_loads.show import network_map
from support.callsites.share import site
from support.sections import known, pairs_in

TREE, TORUS = "fat-tree:k=4,tiers=3", "torus:4x2,p=1"


@pytest.fixture(scope="module")
def result(lulesh: Path) -> Analysis:
    return latitude.analyze(latitude.load(lulesh))


def on(lulesh: Path, spec: str) -> Analysis:
    network = Network.parse({}, topology=Topology.parse(spec))
    return latitude.analyze(latitude.load(lulesh), network)


def figure(chart: Chart) -> go.Figure:
    return go.Figure(data=chart.figure["data"], layout=chart.figure["layout"])


def test_bars_of_iterations_are_the_parts_of_their_time(result: Analysis) -> None:
    (chart,) = iterations_parts(result)
    assert isinstance(chart, Chart)
    figure(chart)
    *bars, points = chart.figure["data"]
    found = result.iterations
    assert found is not None
    heights = np.sum([bar["y"] for bar in bars], axis=0)
    assert heights * 1e3 == pytest.approx(found.shares.path_ns[1:-1], rel=1e-6)
    assert points["y"] == found.shares.lambda_L[1:-1].tolist()
    assert chart.reading.startswith("The program repeats 20 times, from MPI_Irecv on.")
    assert "% of T before the first" in chart.note


def test_a_program_that_does_not_repeat_says_so(result: Analysis) -> None:
    (section,) = iterations_parts(replace(result, iterations=None))
    assert isinstance(section, Section)
    assert "do not repeat" in section.reading


def test_without_calls_nothing_is_said_of_iterations(two_ranks: Path) -> None:
    assert iterations_parts(latitude.analyze(latitude.load(two_ranks))) == []


@pytest.mark.parametrize(
    ("spec", "kinds"), [(TREE, {"node", "switch"}), (TORUS, {"node", "switch"})]
)
def test_links_carry_the_latencies_of_the_path(lulesh: Path, spec: str, kinds: set[str]) -> None:
    found = on(lulesh, spec)
    loads = found.link_loads
    assert loads is not None
    ends = [*loads.one_end, *loads.other_end]
    assert {end.split()[0] for end in ends} == kinds
    crossed = pairs_in(found).lambda_L @ [
        known(found.links).classes[known(found.links).class_of[a, b]].switches + 1  # type: ignore[index, operator]
        for a, b in zip(pairs_in(found).source, pairs_in(found).destination, strict=True)
    ]
    assert loads.lambda_L.sum() == pytest.approx(crossed)
    (chart,) = network_map(found)
    figure(chart)
    assert [len(layer.shown) for layer in chart.layers] == [len(chart.figure["data"])] * 2
    top = int(loads.lambda_L.argmax())
    assert f"{loads.one_end[top]} and {loads.other_end[top]}" in chart.reading


def test_the_map_marks_the_links_of_the_path(lulesh: Path) -> None:
    found = on(lulesh, TREE)
    loads = found.link_loads
    assert loads is not None
    (chart,) = network_map(found)
    shown = [
        trace
        for trace, on_top in zip(chart.figure["data"], chart.layers[0].shown, strict=True)
        if on_top and trace["mode"] == "lines"
    ]
    drawn = {
        critical: sum(
            len(trace["x"]) // 3
            for trace in shown
            if (trace["legendgroup"] == "on the critical path") == critical
        )
        for critical in (True, False)
    }
    critical = int(np.count_nonzero(loads.lambda_L))
    assert drawn == {True: critical, False: len(loads) - critical}
    middles = next(t for t in chart.figure["data"] if t.get("opacity") == 0)
    assert len(middles["text"]) == len(loads)


def test_nodes_alone_are_joined_where_they_exchange_messages(lulesh: Path) -> None:
    placement = Placement.parse("block", ranks_per_node=2)
    network = Network.parse({}, rules=[Rule("same node", "0.4us", "0.05ns")], placement=placement)
    found = latitude.analyze(latitude.load(lulesh), network)
    loads = found.link_loads
    assert loads is not None
    assert len(loads) == 6
    assert {*loads.one_end, *loads.other_end} == {f"node {number}" for number in range(4)}
    node = np.arange(8) // 2
    between = node[pairs_in(found).source] != node[pairs_in(found).destination]
    assert loads.bytes.sum() == pairs_in(found).bytes[between].sum()
    assert loads.lambda_L.sum() == pytest.approx(pairs_in(found).lambda_L[between].sum())
    (chart,) = network_map(found)
    assert "No topology is given" in chart.note


def test_no_map_where_nothing_is_known_of_nodes(result: Analysis, tmp_path: Path) -> None:
    assert result.link_loads is None
    assert network_map(result) == []
    matrix = tmp_path / "hops.txt"
    matrix.write_text(
        "\n".join(" ".join("0" if a == b else "1" for a in range(8)) for b in range(8))
    )
    network = Network.parse({}, topology=Topology.parse(f"hops:{matrix}"))
    links = network.links(8)
    assert link_loads(pairs_in(result), links, network.topology) is None


WAYS = {("send", "solve", "main"): 6.0, ("send", "write", "main"): 1.0, ("reduce", "main"): 3.0}


def called(result: Analysis, ways: dict[tuple[str, ...], float]) -> Analysis:
    """The analysis with one call site, which is reached in these ways."""
    paths = [CallPath(frames=frames, count=1, lambda_L=weight) for frames, weight in ways.items()]
    return replace(result, by_call_site=[replace(site(), paths=paths)])


def test_blocks_of_call_paths_lie_beneath_their_callers(result: Analysis) -> None:
    (chart,) = call_stacks(called(result, WAYS))
    figure(chart)
    (bars,) = chart.figure["data"]
    laid = zip(bars["text"], bars["y"], bars["base"], bars["x"], strict=True)
    assert sorted(laid) == [
        ("main", 1, 0, 10),
        ("reduce", 2, 6, 3),
        ("send", 3, 0, 6),
        ("send", 3, 9, 1),
        ("solve", 2, 0, 6),
        ("write", 2, 9, 1),
    ]
    assert chart.reading == "60% of the 10 latencies with a call path come by main > solve > send."


def test_names_of_functions_are_no_markup(result: Analysis) -> None:
    (chart,) = call_stacks(called(result, {("<b>f</b>", "main"): 1.0}))
    assert chart.figure["data"][0]["text"] == ["main", "&lt;b&gt;f&lt;/b&gt;"]


def test_without_callers_there_is_no_picture_of_them(result: Analysis) -> None:
    assert call_stacks(result) == []
    assert call_stacks(called(result, {})) == []
