"""The Python API and the JSON."""

import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latitude
from latitude import Analysis, InputError, Network, Topology
from latitude.render.documents.analysis import analysis_document
from support.schemas import document
from support.sections import known, pairs_in


@pytest.fixture(scope="module")
def result(lulesh: Path) -> Analysis:
    return latitude.analyze(latitude.load(lulesh), latency="3us:103us", limit=[1e9])


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-9)


def test_json_follows_its_schema(result: Analysis) -> None:
    assert document(result.to_json()) == result.to_dict()


def test_parts_add_up(result: Analysis) -> None:
    base = result.baseline
    parts = (
        known(base.path).calc_ns
        + known(base.path).overhead_ns
        + known(base.path).latency_ns
        + known(base.path).bandwidth_ns
    )
    assert parts == close(base.T_ns)
    lambda_L = known(base.lambda_L)
    assert known(base.lambda_L_left) <= known(base.lambda_L_right) == lambda_L
    assert base.rho_L == close(base.L_ns * lambda_L / base.T_ns)
    assert known(base.path).latency_ns <= base.L_ns * lambda_L + 1e-6
    assert sum(share.lambda_L for share in result.by_call) == close(
        known(base.path).latency_ns / base.L_ns
    )
    assert pairs_in(result).lambda_L.sum() == close(known(base.path).latency_ns / base.L_ns)
    by_call = sum(s.calc_ns + s.overhead_ns + s.network_ns for s in result.by_call)
    assert by_call == close(base.T_ns)
    stays = result.critical_path
    assert stays[0].start_ns == 0
    assert stays[-1].end_ns == close(base.T_ns)
    for before, after in itertools.pairwise(stays):
        assert after.start_ns == before.end_ns
        assert after.rank != before.rank
    assert known(result.by_rank).path_ns.sum() == close(base.T_ns)
    assert known(result.by_rank).end_ns.max() == close(base.T_ns)


def test_curve_is_convex_and_meets_its_parts(result: Analysis) -> None:
    curve, found = result.curve, result.breakpoints
    assert curve.value.size == 101
    assert curve.T_ns[0] == close(result.baseline.T_ns)
    assert (np.diff(curve.slope) >= 0).all()
    assert (found.lambda_right > found.lambda_left).all()
    assert (found.lambda_left[1:] == found.lambda_right[:-1]).all()
    ends = [curve.value[0], *found.value, curve.value[-1]]
    values = [curve.T_ns[0], *found.T_ns, curve.T_ns[-1]]
    np.testing.assert_allclose(np.interp(curve.value, ends, values), curve.T_ns, rtol=1e-9)


def test_tolerances_lie_on_the_curve(result: Analysis, lulesh: Path) -> None:
    program = latitude.load(lulesh)
    limits = [t.T_limit_ns for t in result.tolerance]
    assert limits == sorted(limits)
    for tolerance in result.tolerance:
        at_limit = latitude.analyze(program, Network(L=tolerance.value))
        assert at_limit.baseline.T_ns == close(tolerance.T_limit_ns)
        assert tolerance.delta == close(tolerance.value - 3000.0)


def test_frames(result: Analysis) -> None:
    frame = result.to_dataframe()
    assert list(frame.columns) == ["L_ns", "delta_L_ns", "T_ns", "lambda_L", "rho_L"]
    assert len(frame) == 101
    data = result.to_xarray()
    assert data["T_ns"].attrs["units"] == "ns"
    assert data.sizes == {"L_ns": 101}


def test_plot_and_report(result: Analysis, tmp_path: Path) -> None:
    figure = result.plot()
    assert figure.layout.xaxis.title.text.startswith("extra network latency ΔL")
    path = tmp_path / "new" / "report.html"
    assert result.report(path) == path
    with pytest.raises(InputError, match="exists already"):
        result.report(str(path))
    result.report(path, force=True)
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


def test_a_program_without_messages(tmp_path: Path) -> None:
    path = tmp_path / "calc.goal"
    path.write_text("num_ranks 1\nrank 0 {\na: calc 100\n}\n")
    result = latitude.analyze(latitude.load(path))
    assert result.baseline.T_ns == 100
    assert result.baseline.lambda_L == result.baseline.rho_L == 0
    assert all(math.isinf(t.delta) for t in result.tolerance)
    data = result.to_dict()
    assert data["tolerance"][0]["value"] is None
    assert data["slack"] == {
        "pairs": 0,
        "critical_pairs": 0,
        "least_ns": None,
        "mean_ns": None,
        "by_call": [],
        "by_comm": [],
        "by_size": [],
        "by_call_site": [],
        "by_pair": [],
    }


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"latency": (5.0, 3.0)}, "is not an interval"),
        ({"latency": (0.0, math.inf)}, "is not an interval"),
        ({"latency": "3us"}, "not an interval"),
        ({"tolerance": [0.0]}, "not a positive share"),
        ({"tolerance": [math.nan]}, "not a positive share"),
        ({"limit": [1.0]}, "needs a lower L"),
    ],
)
def test_wrong_options(two_ranks: Path, options: dict[str, Any], advice: str) -> None:
    with pytest.raises(InputError) as error:
        latitude.analyze(latitude.load(two_ranks), **options)
    assert advice in str(error.value)


@pytest.mark.parametrize(
    ("ask", "remedy"),
    [
        (latitude.analyze, "program = 'run' is not a Program; write e.g. latitude.load("),
        (lambda path: latitude.map(path, vary=["L=1us:2us"]), "latitude.load("),
        (lambda path: latitude.scaling([path, path]), "latitude.load("),
        (lambda path: latitude.compare(path, ["S=1,2"]), "latitude.read("),
    ],
)
def test_a_path_in_place_of_a_program_is_to_be_loaded_first(
    ask: Callable[[Any], object], remedy: str
) -> None:
    with pytest.raises(InputError, match=re.escape(remedy)):
        ask("run")
    for other in (Path("run"), None):
        with pytest.raises(InputError, match="is no"):
            ask(other)


def test_default_parameters_are_a_warning(two_ranks: Path) -> None:
    program = latitude.load(two_ranks)
    codes = [notice.code for notice in latitude.analyze(program).warnings]
    assert codes == ["default-network"]
    chosen = Network.parse({"L": "3us", "o": "5us", "G": "0.018ns", "S": "256KiB"})
    assert latitude.analyze(program, chosen).warnings == []


def test_long_paths_are_merged_and_keep_their_sums(
    lulesh: Path, result: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("latitude.sections.critical_path.compute.MAX_STAYS", 10)
    merged = latitude.analyze(latitude.load(lulesh)).critical_path
    assert len(merged) <= 10
    for name in ("calc_ns", "overhead_ns", "network_ns", "vertices"):
        whole = sum(getattr(stay, name) for stay in result.critical_path)
        assert sum(getattr(stay, name) for stay in merged) == pytest.approx(whole)


def test_an_extra_latency_costs_what_a_network_with_it_takes(lulesh: Path) -> None:
    program = latitude.load(lulesh)

    def wired(l_wire: int) -> Network:
        topology = Topology.parse("dragonfly:g=128,a=8,p=1", l_wire=f"{l_wire}ns")
        return Network(topology=topology)

    network, dearer = wired(274), wired(574)
    found = latitude.analyze(program, network, cost=["300ns"])
    (cost,) = found.cost
    expected = latitude.analyze(program, dearer).T_ns
    assert (cost.delta, cost.T_ns) == (300.0, close(expected))
    assert cost.share == close(expected / found.T_ns - 1)
    said = [line for line in analysis_document(found).answer if line.startswith("+300 ns of ")]
    assert len(said) == 1
    assert said[0].endswith(": 8 ranks on 8 of 1,024 nodes.")
    with pytest.raises(InputError, match="time per byte"):
        latitude.analyze(program, network, sweep="G", cost=["300ns"])
