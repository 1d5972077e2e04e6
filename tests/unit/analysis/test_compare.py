"""Alternatives side by side agree with analyses one by one."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import latitude
from latitude import Comparison, InputError, Network, _core
from latitude.analysis.variants import Varied, alternatives
from latitude.model.cluster_file import Description
from latitude.model.rules import Rule
from latitude.render.documents.comparison import comparison_document
from latitude.results.comparison import curves_csv, table_csv
from support.command import Run
from support.schemas import document
from support.sections import known

ALGORITHMS = ("recursive-doubling", "ring", "rabenseifner")


@pytest.fixture(scope="module")
def result(lulesh: Path) -> Comparison:
    return latitude.compare(
        latitude.read(lulesh),
        [f"allreduce={','.join(ALGORITHMS)}", "S=1KiB,256KiB"],
        Description(values={"L": "1us", "o": "400ns"}),
        collectives=["reduce=binomial"],
    )


def test_sliders_have_the_path_of_each_alternative(lulesh: Path) -> None:
    found = latitude.compare(latitude.read(lulesh), ["L=1us,30us"])
    for each, mapped in zip(found.alternatives, known(found.sliders).alternatives, strict=True):
        model = _core.Model(latitude.load(lulesh).graph, each.network.core(8))
        path = model.critical_path()
        assert mapped.path == each.path
        assert (mapped.path.latency_ns, mapped.path.lambda_G) == (path.latency_ns, path.byte_count)


def test_equal_alternatives_are_not_compared_with_themselves(two_ranks: Path) -> None:
    equal = latitude.compare(latitude.read(two_ranks), ["S=64KiB,128KiB,256KiB"])
    shown = comparison_document(equal)
    assert shown.headline.startswith("All alternatives take the same time at L = 3 µs: ")
    assert next(line for line in shown.answer if line).startswith("At L = 103 µs all take ")
    readings = [getattr(part, "reading", "") for part in shown.parts]
    assert any(reading.startswith("All take as long as S = 64KiB: ") for reading in readings)
    assert any("All alternatives tolerate the same" in reading for reading in readings)
    assert any(" with each alternative, " in reading for reading in readings)
    for reading in (shown.headline, *shown.answer, *readings):
        assert "1 times as much" not in reading
        assert "S = 64KiB takes as long as S = 64KiB" not in reading


@pytest.mark.thorough
def test_all_combinations_in_order(result: Comparison) -> None:
    labels = [found.label for found in result.alternatives]
    assert labels == [f"{name} · S = {size}" for name in ALGORITHMS for size in ("1KiB", "256KiB")]


@pytest.mark.thorough
def test_each_is_what_an_analysis_of_its_own_gives(result: Comparison, lulesh: Path) -> None:
    for found in result.alternatives:
        choice = found.choices["allreduce"]
        program = latitude.load(lulesh, collectives=["reduce=binomial", f"allreduce={choice}"])
        network = Network.parse({"L": "1us", "o": "400ns", "S": found.choices["S"]})
        single = latitude.analyze(program, network)
        assert found.T_ns == single.baseline.T_ns
        assert (found.slope, found.share) == (single.baseline.lambda_L, single.baseline.rho_L)
        assert found.tolerance == single.tolerance
        assert found.curve.T_ns.tolist() == single.curve.T_ns.tolist()
        assert found.curve.slope.tolist() == single.curve.slope.tolist()
        assert found.graph == single.graph
        assert found.collectives == single.collectives
    assert len({found.T_ns for found in result.alternatives}) == 6, "all of them differ"


@pytest.mark.thorough
def test_topologies_and_placements(lulesh: Path) -> None:
    network = Description(nodes=4, ranks_per_node=2, rules=(Rule("same node", "0.4us"),))
    topologies = ("fat-tree:k=4,tiers=2", "torus:4")
    result = latitude.compare(
        latitude.read(lulesh),
        [f"topology={';'.join(topologies)}", "placement=block,round-robin"],
        network,
        sweep="l_wire=274ns:5us",
    )
    program = latitude.load(lulesh)
    assert result.alternatives[1].label == f"{topologies[0]} · round-robin"
    for found in result.alternatives:
        single = latitude.analyze(program, found.network, sweep="l_wire=274ns:5us")
        assert found.curve.T_ns.tolist() == single.curve.T_ns.tolist()
        assert found.tolerance == single.tolerance
    assert len({found.T_ns for found in result.alternatives}) > 1


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("l-wire=274ns,574ns", ["The machine has 2 ranks on 2 of 16 nodes."]),
        (
            "topology=torus:4x4;torus:4x8",
            ["torus:4x4 has 2 ranks on 2 of 16 nodes; ", "has 2 ranks on 2 of 32 nodes."],
        ),
        ("L=1us,2us", []),
    ],
)
def test_the_used_part_of_a_machine_is_said(two_ranks: Path, spec: str, said: list[str]) -> None:
    network = Description(topology="torus:4x4") if "wire" in spec else Description()
    shown = comparison_document(latitude.compare(latitude.read(two_ranks), [spec], network))
    (*_, places) = shown.answer
    assert all(part in places for part in said)
    assert bool(places) == bool(said)


def test_prices_and_scales(two_ranks: Path) -> None:
    result = latitude.compare(
        latitude.read(two_ranks),
        ["compute-scale=1,0.5", "L=0.5us,1us"],
        Description(values={"o": "0", "G": "5ns"}),
    )
    # T = max(c0 + L + 15, c2) + c3 with c0 = 100, c2 = 500, c3 = 1000 ns ([S] Fig. 4).
    assert [found.T_ns for found in result.alternatives] == [1615, 2115, 1065, 1565]
    assert result.alternatives[0].label == "compute_scale = 1 · L = 0.5us"
    assert result.interval == (500.0, 101_000.0), "from the least to the greatest of all"


def test_json_and_tables(result: Comparison) -> None:
    data = document(result.to_json())
    assert data["alternatives"][2]["choices"] == {"allreduce": "ring", "S": "1KiB"}
    rows = list(csv.DictReader(table_csv(result).splitlines()))
    assert [row["allreduce"] for row in rows[::2]] == list(ALGORITHMS)
    assert float(rows[3]["delta_L_ns_at_0.05"]) == result.alternatives[3].tolerance[-1].delta
    header, *curves = csv.reader(curves_csv(result).splitlines())
    assert header == ["L_ns", *(found.label for found in result.alternatives)]
    assert len(curves) == 101
    assert [float(x) for x in curves[0][1:]] == [found.T_ns for found in result.alternatives]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("allreduce=ring", "has nothing to compare; write e.g. allreduce=recursive-doubling,ring"),
        ("allreduce=ring,", "has nothing to compare"),
        ("topology=torus:4,p=1", "write e.g. topology=fat-tree:k=4,tiers=2;torus:4x4"),
        ("colour=red,blue", "compare: unknown 'colour'"),
    ],
)
def test_things_that_cannot_be_compared(text: str, advice: str) -> None:
    with pytest.raises(InputError) as error:
        Varied.parse(text)
    assert advice in str(error.value)


def test_prices_of_a_rule_are_compared() -> None:
    rule = Rule("different group", L="2us")
    varied = [Varied.parse("L:between groups=3us,4us"), Varied.parse("o:inter=1us,2us")]
    found = alternatives(varied, (), Description(rules=(rule,)))
    assert [each.label for each in found][:2] == [
        "L:between groups = 3us · o:inter = 1us",
        "L:between groups = 3us · o:inter = 2us",
    ]
    networks = [each.network.network() for each in found]
    assert [(each.rules[0].L, each.o) for each in networks] == [
        (3_000, 1_000),
        (3_000, 2_000),
        (4_000, 1_000),
        (4_000, 2_000),
    ]


@pytest.mark.parametrize(
    ("varied", "advice"),
    [
        (["S=1KiB,2KiB", "S=4KiB,8KiB"], "one thing is given twice"),
        (["nodes=1,x"], "'x' is not a number of nodes"),
        (["compute-scale=1,x"], "'x' is not a value of compute_scale"),
        (
            [f"{n}=" + ",".join(f"{i}us" for i in range(1, 6)) for n in ("L", "o", "g")],
            "125 combinations; 64 at most",
        ),
    ],
)
def test_comparisons_that_cannot_be(varied: list[str], advice: str) -> None:
    with pytest.raises(InputError) as error:
        alternatives([Varied.parse(text) for text in varied], (), Description())
    assert advice in str(error.value)


def test_command(latitude: Run, lulesh: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    comparison = ("--compare", "allreduce=recursive-doubling,ring")
    done = latitude("analyze", lulesh, *comparison, "-o", out, "--json", tmp_path / "a.json")
    assert done.returncode == 0, done.stderr
    text = done.stdout
    assert "recursive-doubling is fastest at L = 3 µs" in text
    assert "5% slower at" in text
    names = ["compare.csv", "compare.json", "curves.csv", "report.html"]
    assert sorted(path.name for path in out.iterdir()) == names
    page = (out / "report.html").read_text()
    assert "Tolerance zones" in page
    data: dict[str, Any] = json.loads((tmp_path / "a.json").read_text())
    assert [found["label"] for found in data["alternatives"]] == ["recursive-doubling", "ring"]
    done = latitude("analyze", lulesh, *comparison, "--csv", "-")
    assert done.stdout.startswith("alternative,allreduce,L_ns,T_ns,lambda_L,rho_L,delta_L_ns_at")


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (("--compare", "allreduce=ring,magic"), "magic"),
        (("--compare", "S=64KiB"), "has nothing to compare"),
        (("--compare", "L=1us,2"), "L: '2' has no unit"),
        (("--compare", "topology=torus:8;ring:8"), "unknown topology 'ring:8'"),
        (("--compare", "L=1us,2us", "--limit", "1s"), "use --tolerance"),
        (("--compare", "L=1us,2us", "--sections", "waits"), "sections: a comparison has no such"),
        (("--compare", "L=1us,2us", "--without", "waits"), "without: a comparison has no such"),
        (("--compare", "rendezvous=sync,eager"), "rendezvous: 'eager' is unknown"),
    ],
)
def test_wrong_options(
    refused: Callable[..., str], lulesh: Path, options: tuple[str, ...], advice: str
) -> None:
    assert advice in refused("analyze", lulesh, *options)


def test_collectives_of_a_goal_file_are_fixed(refused: Callable[..., str], two_ranks: Path) -> None:
    message = refused("analyze", two_ranks, "--compare", "allreduce=ring,rabenseifner")
    assert "collectives are already point-to-point" in message
