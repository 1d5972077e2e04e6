"""A list of critical latencies that ends early: its beginning is exact, and T beyond is bounded."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latitude
from latitude import Analysis
from latitude._core import AffineDag, Model
from latitude.cli.main import main
from latitude.model.default_network import network_or_default
from latitude.render.documents.analysis_charts import runtime_chart, sensitivity_chart
from latitude.results.reading import read_analysis
from support.exchange import write_halo
from support.schemas import document
from support.tiers import first_of

BOUND = 1e-4


@pytest.fixture(scope="module")
def halo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("halo") / "halo.goal"
    write_halo(path, 400)
    return path


@pytest.fixture(scope="module", params=["halo", "lulesh"])
def program(request: pytest.FixtureRequest) -> latitude.Program:
    return latitude.load(request.getfixturevalue(request.param))


def dag_of(program: latitude.Program) -> AffineDag:
    network = network_or_default(None)
    return Model(program.graph, network.core_of(network.links(program.ranks))).along()


@pytest.mark.parametrize("most", first_of([3, 1, 20]))
def test_a_short_list_is_the_beginning_and_the_rest_is_bounded(
    program: latitude.Program, most: int
) -> None:
    whole = latitude.analyze(program, critical=None)
    found = latitude.analyze(program, critical=most)
    critical = found.critical
    assert (critical.complete, critical.listed) == (False, most)
    assert critical.until == found.breakpoints.value[-1]
    assert 0 < critical.bound <= BOUND
    for column, exact in whole.breakpoints.columns().items():
        assert found.breakpoints.columns()[column] == exact[:most]

    low, high = found.interval
    where = np.random.default_rng(most).uniform(low, high, 1000)
    runtime = dag_of(program).runtime(where)
    value, above = found.line()
    assert (value[0], value[-1]) == (low, high)
    upper = np.interp(where, value, above)
    points = critical.beyond
    tangents = points.T_ns + points.slope * (where[:, None] - points.value)
    assert (upper >= runtime * (1 - 1e-12)).all()
    assert (tangents.max(axis=1) <= runtime * (1 + 1e-12)).all()
    listed = where <= critical.until
    np.testing.assert_allclose(upper[listed], runtime[listed], rtol=1e-12)
    assert (upper <= runtime * (1 + critical.bound + 1e-12)).all()


def test_all_that_does_not_come_of_the_list_is_as_it_is_with_all(
    program: latitude.Program,
) -> None:
    few = latitude.analyze(program, critical=2).to_dict()
    for whole in (latitude.analyze(program, critical=None), latitude.analyze(program)):
        assert whole.critical.complete
        assert whole.critical.until == whole.interval[1]
        assert len(whole.critical.beyond) == whole.critical.bound == 0
        data = whole.to_dict()
        assert {key for key in data if data[key] != few[key]} - {"provenance"} == {
            "breakpoints", "critical", "warnings",
        }  # fmt: skip
    (notice,) = (each for each in few["warnings"] if each["code"] == "first-critical-values")
    assert "the first 2" in notice["message"]
    assert "--critical all" in notice["hint"]


def test_passes_do_not_grow_with_the_program(tmp_path: Path) -> None:
    most = 32
    # Two ends, the seeds, four tangents per value in passes of 16, and allowances of 64 and 128.
    allowed = 4 + 4 * most // 16 + 64 + 128
    for steps in (300, 3000, 30_000):
        write_halo(tmp_path / "halo.goal", steps)
        dag = dag_of(latitude.load(tmp_path / "halo.goal"))
        found = dag.curve(3e3, 103e3, most=most)
        assert len(found.value) == most
        assert found.bound <= BOUND
        assert found.sweeps <= allowed
    assert dag.curve(3e3, 103e3).sweeps > 2 * allowed


def test_the_json_follows_its_schema_and_is_held_to_demands(halo: Path, tmp_path: Path) -> None:
    """T from a kept result is no shorter than it is, and longer by the bound at most."""
    program = latitude.load(halo)
    found = latitude.analyze(program, critical=3, tolerance=[0.05])
    assert document(found.to_json()) == found.to_dict()
    (tmp_path / "analysis.json").write_text(found.to_json())
    kept = read_analysis(tmp_path)
    where = np.linspace(*found.interval, 200)
    for value, runtime in zip(where, dag_of(program).runtime(where), strict=True):
        assert runtime * (1 - 1e-12) <= kept.runtime_at(value)
        assert kept.runtime_at(value) <= runtime * (1 + found.critical.bound + 1e-12)
    exact = latitude.analyze(program, critical=3, tolerance=[0.2]).tolerance[0]
    assert kept.tolerated(0.2) <= exact.delta * (1 + 1e-12)
    assert kept.tolerated(0.2) == pytest.approx(exact.delta, rel=1e-3)


@pytest.fixture(scope="module")
def cut(halo: Path) -> Analysis:
    return latitude.analyze(latitude.load(halo), critical=5)


def test_charts_of_a_short_list(cut: Analysis, halo: Path) -> None:
    """λ is drawn between its bounds, and is the list's where that is known."""
    whole = latitude.analyze(latitude.load(halo))
    assert "at most" in runtime_chart(cut, "").note
    assert "is exact for this input: " in runtime_chart(whole, "").note
    low, high, drawn, _ = sensitivity_chart(cut).figure["data"]
    exact, _ = sensitivity_chart(whole).figure["data"]

    def at(trace: dict[str, Any], where: float) -> float:
        """λ that a line of steps shows there."""
        (before,) = np.flatnonzero(np.asarray(trace["x"]) <= where)[-1:]
        return float(trace["y"][before])

    until = (cut.critical.until - 3000) / 1000
    for where in np.random.default_rng(1).uniform(0, 100, 300):
        if where <= until:
            assert at(drawn, where) == at(exact, where)
        else:
            assert at(low, where) <= at(exact, where) <= at(high, where)
            assert at(low, where) <= at(drawn, where) <= at(high, where)
    assert drawn["y"][-1] == exact["y"][-1]
    assert np.all(np.diff(drawn["y"]) >= 0)


def test_progress_is_told(halo: Path) -> None:
    class Bar:
        """Adds up what it is told of the critical values."""

        total, done, told = None, 0, ""

        def stage(self, text: str, total: int | None = None) -> None:
            self.told = text
            if text == "Finding breakpoints":
                self.total = total

        def advance(self, amount: int) -> None:
            assert amount >= 0
            if self.told == "Finding breakpoints":
                self.done += amount

    bar = Bar()
    latitude.analyze(latitude.load(halo), critical=None, progress=bar)
    assert bar.total is not None
    assert 0.99 * bar.total <= bar.done <= bar.total


@pytest.mark.parametrize(("asked", "listed"), [("3", 3), ("all", None), ("1,000", None)])
def test_the_command_lists_as_many_as_asked_for(
    halo: Path, asked: str, listed: int | None, tmp_path: Path
) -> None:
    main(["analyze", str(halo), "--critical", asked, "--json", str(tmp_path / "a.json")])
    critical = json.loads((tmp_path / "a.json").read_text())["critical"]
    assert critical["complete"] == (listed is None)
    assert listed in (None, critical["listed"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--critical", "0"], "'0' is not a number of critical latencies, or all"),
        (["--critical", "some"], "'some' is not a number of critical latencies, or all"),
        (["--critical", "5", "--compare", "L=1us,2us"], "a comparison lists no critical latencies"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(
    halo: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", str(halo), *options]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
