"""Any parameter may be varied; what is found agrees with analyses at single values."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latitude
from latitude import Analysis, InputError, Network, Placement, Program, Rule, Topology
from latitude.results.analysis import curve_csv
from latitude.sections.slack.result import slack_csv
from support.schemas import document
from support.sections import known, pairs_in, slack_in

Run = Callable[..., str]

BASE = Network(
    o=400.0,
    G=0.05,
    g=50.0,
    rules=(Rule("same node", 300.0, 0.02, o=150.0, g=20.0),),
    topology=Topology("dragonfly:g=2,a=2,p=2"),
    placement=Placement("round-robin", nodes=4),
)


@pytest.fixture(scope="module")
def program(lulesh: Path) -> Program:
    return latitude.load(lulesh)


def moved(name: str, value: float) -> Network:
    """BASE with one parameter at another value."""
    assert BASE.topology is not None
    change: dict[str, Any] = {name.removesuffix(":intra"): value}
    if name in ("l_wire", "d_switch"):
        return replace(BASE, topology=replace(BASE.topology, **change))
    if name.endswith(":intra"):
        return replace(BASE, rules=(replace(BASE.rules[0], **change),))
    more: dict[str, Any] = {price: change[price] - getattr(BASE, price) for price in change}
    rule = BASE.rules[0]
    if name in ("o", "g"):  # which are of every message
        others = {price: getattr(rule, price) + by for price, by in more.items()}
        return replace(BASE, rules=(replace(rule, **others),), **change)
    return replace(BASE, **change)


@pytest.mark.parametrize(
    ("name", "interval"),
    [
        pytest.param("l_wire", "274ns:40us", marks=pytest.mark.thorough),
        pytest.param("d_switch", "108ns:40us", marks=pytest.mark.thorough),
        pytest.param("G", "0.05ns:20ns", marks=pytest.mark.thorough),
        pytest.param("o", "400ns:9us", marks=pytest.mark.thorough),
        ("L:intra", "300ns:90us"),
        pytest.param("G:intra", "0.02ns:20ns", marks=pytest.mark.thorough),
        pytest.param("o:intra", "150ns:9us", marks=pytest.mark.thorough),
        pytest.param("g", "50ns:40us", marks=pytest.mark.thorough),
        pytest.param("g:intra", "20ns:40us", marks=pytest.mark.thorough),
    ],
)
def test_the_curve_is_what_single_analyses_give(program: Program, name: str, interval: str) -> None:
    result = latitude.analyze(program, BASE, sweep=f"{name}={interval}")
    assert result.theta.name == name
    assert result.curve.T_ns[0] == pytest.approx(result.baseline.T_ns, rel=1e-12)
    for i in (20, 57, 100):
        single = latitude.analyze(program, moved(name, float(result.curve.value[i])), sweep=name)
        assert single.baseline.T_ns == pytest.approx(result.curve.T_ns[i], rel=1e-12)
        assert single.sensitivity.slope == pytest.approx(result.curve.slope[i], abs=1e-6)
    for tolerance in result.tolerance:
        if np.isfinite(tolerance.value):
            at_limit = latitude.analyze(program, moved(name, tolerance.value), sweep=name)
            assert at_limit.baseline.T_ns == pytest.approx(tolerance.T_limit_ns, rel=1e-9)
    found = result.breakpoints
    assert (np.diff(found.lambda_right) > 0).all()
    assert found.value.size > 0, "an interval in which nothing bends tests little"


def test_L_of_a_topology_is_more_latency_on_every_message_between_nodes(program: Program) -> None:
    result = latitude.analyze(program, BASE, sweep="L=1us:30us")
    nearest = known(result.links).classes[0].L
    assert result.theta.base == result.baseline.L_ns == nearest
    assert result.sensitivity.slope == result.baseline.lambda_L
    by_class = [link.L - nearest for link in known(result.links).classes if link.between]
    assert by_class == sorted(by_class)
    assert by_class[-1] > 0
    along = latitude.analyze(program, BASE, sweep=f"L={nearest}ns:30us")
    assert along.curve.T_ns[0] == pytest.approx(result.baseline.T_ns, rel=1e-12)


def test_latency_is_a_sweep_of_L(program: Program) -> None:
    one = latitude.analyze(program, Network(), latency="3us:50us")
    other = latitude.analyze(program, Network(), sweep="L=3us:50us")
    assert one.to_dict()["curve"] == other.to_dict()["curve"]
    with pytest.raises(InputError, match="both set the parameter to vary"):
        latitude.analyze(program, Network(), latency="3us:50us", sweep="o")


@pytest.mark.parametrize(
    ("sweep", "network", "advice"),
    [
        ("l_wire", Network(), "l_wire needs a topology; give e.g. --topology"),
        ("L:intra", Network(), "L:intra needs --intra"),
        ("g", Network(), "g changes nothing without a gap; give --gap send"),
        ("S", Network(), "unknown parameter 'S'; use one of L, l_wire"),
        ("G=1us:2us:3us", Network(), "unknown unit"),
        ("L=3us", Network(), "is not an interval; write e.g. L=3us:103us"),
        ("G=2ns:1ns", Network(), "is empty; the first end must be smaller, e.g. G=0.018ns:1ns"),
    ],
)
def test_wrong_sweeps(program: Program, sweep: str, network: Network, advice: str) -> None:
    with pytest.raises(InputError) as error:
        latitude.analyze(program, network, sweep=sweep)
    assert advice in str(error.value)


@pytest.fixture(scope="module")
def wires(program: Program) -> Analysis:
    return latitude.analyze(program, BASE)


@pytest.mark.thorough
def test_json_of_another_parameter_follows_the_schema(wires: Analysis) -> None:
    data = document(wires.to_json())
    assert data["theta"]["name"] == "l_wire"
    assert data["theta"]["base"] == 274.0
    assert set(data["curve"]) == {"value", "T_ns", "lambda", "rho"}
    assert set(data["tolerance"][0]) == {"degradation", "T_limit_ns", "value", "delta"}
    assert [link["switches"] for link in data["model"]["classes"]] == [1, 2, None]
    assert sum(link["rank_pairs"] for link in data["model"]["classes"]) == 8 * 7
    assert data["model"]["mapping"] == "round-robin, 4 nodes, at most 2 ranks each"


def test_tables_name_the_parameter(wires: Analysis) -> None:
    header = next(csv.reader(curve_csv(wires).splitlines()))
    assert header == ["l_wire_ns", "delta_l_wire_ns", "T_ns", "lambda_l_wire", "rho_l_wire"]
    assert list(wires.to_dataframe().columns) == header
    assert wires.to_xarray()["lambda_l_wire"].dims == ("l_wire_ns",)


def test_pairs_share_out_what_the_critical_path_has(wires: Analysis) -> None:
    pairs, base = pairs_in(wires), wires.baseline
    assert pairs.lambda_G.sum() == pytest.approx(known(base.path).lambda_G)
    assert known(wires.links).node_of_rank is not None
    by_node = pairs.by_node(known(known(wires.links).node_of_rank))
    assert by_node.messages.sum() == pairs.messages.sum() == wires.graph.messages
    inside = by_node.source == by_node.destination
    assert by_node.lambda_L[~inside].sum() == pytest.approx(base.lambda_L)
    assert by_node.lambda_L.sum() == pytest.approx(pairs.lambda_L.sum())


def test_slack_of_groups_is_that_of_their_messages(wires: Analysis) -> None:
    slack, pairs = slack_in(wires), pairs_in(wires)
    slack_ns = known(slack.slack_ns)
    assert slack_ns.size == wires.graph.messages
    for groups in (slack.by_call, slack.by_comm, slack.by_size):
        assert sum(group.messages for group in groups) == wires.graph.messages
        assert sum(group.critical for group in groups) == np.sum(slack_ns == 0)
        mean = sum(group.mean_ns * group.messages for group in groups) / wires.graph.messages
        assert mean == pytest.approx(slack_ns.mean())
    first = (slack.source == pairs.source[0]) & (slack.destination == pairs.destination[0])
    assert slack_ns[first].min() == pytest.approx(pairs.least_slack_ns[0])
    assert slack_ns[first].mean() == pytest.approx(pairs.mean_slack_ns[0])
    written = slack_csv(slack)
    rows = list(csv.DictReader(written.splitlines()))
    assert {row["by"] for row in rows} == {"pair", "call", "communicator", "bytes"}
    of_pairs = [row for row in rows if row["by"] == "pair"]
    assert sum(int(row["critical"]) for row in of_pairs) == np.sum(slack_ns == 0)


def test_messages_are_grouped_by_the_powers_of_two_above_their_sizes(tmp_path: Path) -> None:
    path, sizes = tmp_path / "sizes.goal", (0, 1, 2, 3, 4, 5, 1 << 20, (1 << 20) + 1)
    sends = "".join(f"s{i}: send {size}b to 1 tag {i}\n" for i, size in enumerate(sizes))
    receives = "".join(f"r{i}: recv {size}b from 0 tag {i}\n" for i, size in enumerate(sizes))
    path.write_text(f"num_ranks 2\nrank 0 {{\n{sends}}}\nrank 1 {{\n{receives}}}\n")
    groups = slack_in(latitude.analyze(latitude.load(path))).by_size
    counts = {int(group.name): group.messages for group in groups}
    assert list(counts.items()) == [
        (0, 1),
        (1, 1),
        (2, 1),
        (4, 2),
        (8, 1),
        (1 << 20, 1),
        (1 << 21, 1),
    ]


def test_more_latency_than_its_slack_on_one_message_delays_the_program(tmp_path: Path) -> None:
    path = tmp_path / "two.goal"
    path.write_text(
        "num_ranks 2\n"
        "rank 0 {\na: calc 100\ns: send 1b to 1 tag 0\ns requires a\n}\n"
        "rank 1 {\nb: calc 5000\nr: recv 1b from 0 tag 0\nr requires b\n}\n"
    )
    result = latitude.analyze(latitude.load(path), Network(L=1000.0, o=0.0))
    assert result.baseline.T_ns == 5000
    assert known(slack_in(result).slack_ns).tolist() == [5000 - 100 - 1000]
    (group,) = slack_in(result).by_call
    assert (group.name, group.critical, group.tight) == ("recv", 0, 0)


def test_command(latitude: Callable[..., object], lulesh: Path, tmp_path: Path) -> None:
    options = ("--topology", "fat-tree:k=4,tiers=2", "--ranks-per-node", "2")
    intra = ("--intra", "L=0.4us,G=0.05ns", "--l-wire", "300ns")
    done = latitude(
        "analyze", lulesh, *options, *intra, "--compute-scale", "0.5", "-o", tmp_path / "out"
    )
    assert done.returncode == 0, done.stderr  # type: ignore[attr-defined]
    out = " ".join(done.stdout.split())  # type: ignore[attr-defined]
    assert "of extra wire latency before it runs 1% slower" in out
    assert "At l_wire = 300 ns" in out
    assert "computation = × 0.5" in out
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Runtime against wire latency" in page
    assert "Latencies by node pair" in page
    assert "block, 4 nodes, at most 2 ranks each" in page


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (("--topology", "ring:4"), "unknown topology 'ring:4'"),
        (("--topology", "torus:2x2", "--L", "3us"), "leave L out"),
        (("--l-wire", "3us"), "l_wire: there is no topology"),
        (("--intra", "L=4", "--nodes", "2"), "link 'same node': L: '4' has no unit"),
        (("--intra", "4us", "--nodes", "2"), "write e.g. L=0.4us,G=0.05ns"),
        (("--nodes", "0"), "'0' is not a number of nodes; write a whole number from 1"),
        (("--placement", "file:absent"), "absent: No such file"),
        (("--sweep", "x"), "unknown parameter 'x'"),
        (("--compute-scale", "-2"), "'-2' is not a factor; write a number from 0"),
        (("--latency", "1us:2us", "--sweep", "G"), "both set the parameter to vary"),
    ],
)
def test_wrong_options(
    refused: Run, two_ranks: Path, options: tuple[str, ...], advice: str
) -> None:
    assert advice in refused("analyze", two_ranks, *options)


@pytest.mark.parametrize(
    ("sweep", "shares", "interval"),
    [
        ("L", (0.01, 0.05), (3_000, 103_000)),
        ("L", (0.01, 0.05, 1.0), (3_000, 123_000)),
        ("L=3us:5us", (0.01, 1.0), (3_000, 5_000)),
        ("G", (), (0.018, 0.18)),
        ("G", (0.01, 0.05), (0.018, 9.218)),
    ],
)
def test_tolerances_lie_in_the_interval_that_nobody_chose(
    program: Program, sweep: str, shares: tuple[float, ...], interval: tuple[float, float]
) -> None:
    analysis = latitude.analyze(program, sweep=sweep, tolerance=shares)
    assert analysis.interval == pytest.approx(interval)
    if "=" not in sweep:
        assert all(t.value <= analysis.interval[1] for t in analysis.tolerance)
    assert (analysis.curve.value[0], analysis.curve.value[-1]) == pytest.approx(interval)


def test_a_tolerance_without_limit_moves_no_end(two_ranks: Path) -> None:
    analysis = latitude.analyze(latitude.load(two_ranks), sweep="G", tolerance=(0.5,))
    assert np.isfinite(analysis.interval[1])
