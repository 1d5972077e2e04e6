"""Demands: how they are written, and that a result says what the engine would."""

import json
import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import latitude
from latitude import InputError
from latitude.analysis.demands import (
    EfficiencyDemand,
    ToleranceDemand,
    efficiency_at,
    no_worse,
    verdicts,
)
from latitude.cli.main import main
from latitude.render.document import Table
from latitude.render.documents.check import check_document, junit, markdown
from latitude.results.analysis import Analysis
from latitude.results.check import Checked, Verdict
from latitude.results.reading import read_analysis, read_called_by_file
from latitude.trace.load import load
from support.sections import known as there

NETWORK = latitude.Network(o=100)


@pytest.fixture(scope="module")
def analysis(lulesh: Path) -> Analysis:
    return latitude.analyze(load(lulesh), NETWORK)


@pytest.fixture(scope="module")
def known(analysis: Analysis, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    path = tmp_path_factory.mktemp("known") / "analysis.json"
    path.write_text(analysis.to_json())
    return read_analysis(path)


def changed(tmp_path: Path, analysis: Analysis, **change: Any) -> Analysis:
    """The result with other times of one call."""
    data = analysis.to_dict()
    for row in data["waits"]["times"]:
        if row["what"] == "computation" and row["call"] == change["call"]:
            row["ns"] *= change["factor"]
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data))
    return read_analysis(path)


def test_demands_are_read() -> None:
    demand = ToleranceDemand.parse("5us at 1%")
    assert (demand.extra, demand.degradation) == (5000, 0.01)
    found = EfficiencyDemand.parse("transfer >= 0.95 at L=10us")
    assert (found.name, found.least, found.theta, found.value) == ("transfer", 0.95, "L", 10000)
    found = EfficiencyDemand.parse("load_balance ≥ 90%")
    assert (found.name, found.least, found.theta, found.value) == ("load_balance", 0.9, None, None)
    assert EfficiencyDemand.parse("parallel efficiency >= 0.5 at G=0.1ns/B").value == 0.1


@pytest.mark.parametrize(
    ("parse", "text", "said"),
    [
        (ToleranceDemand.parse, "5us", "write e.g. '5us at 1%'"),
        (ToleranceDemand.parse, "5 at 1%", "has no unit"),
        (ToleranceDemand.parse, "5us at much", "is not a share"),
        (EfficiencyDemand.parse, "transfer > 0.9", "write e.g."),
        (EfficiencyDemand.parse, "speed >= 0.9", "unknown efficiency 'speed'"),
        (EfficiencyDemand.parse, "transfer >= 0.9 at M=1us", "unknown parameter 'M'"),
        (EfficiencyDemand.parse, "transfer >= 0.9 at L=1", "has no unit"),
        (EfficiencyDemand.parse, "transfer >= 1.5", "no efficiency is above 1"),
    ],
)
def test_what_is_no_demand_is_said_with_an_example(
    parse: Callable[[str], Any], text: str, said: str
) -> None:
    with pytest.raises(InputError, match=said.replace(".", r"\.")):
        parse(text)


@pytest.mark.parametrize("share", [0.001, 0.01, 0.03, 0.1, 0.5])
def test_a_result_knows_what_the_engine_would_find(
    known: Analysis, lulesh: Path, share: float
) -> None:
    """Tolerances and efficiencies that were not asked for when it was made."""
    direct = latitude.analyze(load(lulesh), NETWORK, tolerance=(share,))
    (tolerance,) = direct.tolerance
    assert known.tolerated(share) == pytest.approx(tolerance.delta, rel=1e-9)
    at = latitude.analyze(load(lulesh), latitude.Network(L=tolerance.value, o=100))
    for name in ("parallel", "communication", "transfer", "load_balance", "serialisation"):
        assert efficiency_at(known, name, tolerance.value) == pytest.approx(
            getattr(there(at.efficiency).predicted, name), rel=1e-9
        )


def test_what_a_result_does_not_know_is_refused(known: Analysis) -> None:
    with pytest.raises(InputError, match="outside the analysed interval"):
        known.runtime_at(1e9)
    with pytest.raises(InputError, match="not in this result"):
        known.tolerated(50.0)
    with pytest.raises(InputError, match="varies L, not G"):
        EfficiencyDemand.parse("transfer >= 0.5 at G=1ns/B").verdict(known)


def test_a_run_is_no_worse_than_itself_whatever_the_margin(known: Analysis) -> None:
    assert all(verdict.holds for verdict in no_worse(known, known, 1e-12))


@pytest.mark.parametrize(("factor", "fails"), [(1.004, False), (1.006, True), (0.9, False)])
def test_a_place_that_computes_longer_is_named(
    known: Analysis, analysis: Analysis, tmp_path: Path, factor: float, fails: bool
) -> None:
    after = changed(tmp_path, analysis, call="MPI_Allreduce", factor=factor)
    failed = [verdict for verdict in no_worse(after, known, 0.005) if not verdict.holds]
    assert [verdict.where for verdict in failed] == ["MPI_Allreduce"] * fails


def test_results_of_other_networks_or_sizes_are_not_compared(
    known: Analysis, lulesh: Path, two_ranks: Path
) -> None:
    with pytest.raises(InputError, match="L = 1 ns, and"):
        no_worse(known, latitude.analyze(load(lulesh), latitude.Network(L=1, o=100)), 0.1)
    with pytest.raises(InputError, match="2 ranks"):
        no_worse(known, latitude.analyze(load(two_ranks), NETWORK), 0.1)


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "latitude.lp/1"}', "\0", "{" * 5000])
def test_what_is_no_result_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "old.json"
    path.write_text(text)
    with pytest.raises(InputError, match="not a result of latitude analyze"):
        read_analysis(path)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("curve", {"value": [], "T_ns": [], "lambda": [], "rho": []}),
        ("curve", {"value": [1.0], "T_ns": [1.0, 2.0], "lambda": [1.0], "rho": [1.0]}),
        ("breakpoints", [{"T_ns": 1.0}]),
        ("baseline", {"T_ns": "long"}),
        ("tolerance", None),
    ],
)
def test_what_does_not_fit_in_a_result_is_refused(
    analysis: Analysis, tmp_path: Path, part: str, value: Any
) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**analysis.to_dict(), part: value}))
    with pytest.raises(InputError, match="not a result of latitude analyze"):
        read_analysis(path)


def test_names_in_a_trace_are_text_in_every_file(analysis: Analysis) -> None:
    verdict = Verdict(
        name="computation",
        demand="a|b <c> \x00",
        found="[x](y) & `z` |\nAll of 2 demands hold.",
        holds=False,
        where="<f>\nThe demand holds.",
    )
    checked = Checked(
        provenance=analysis.provenance, against=None, failed=1, verdicts=[verdict], warnings=[]
    )
    (case,) = ET.fromstring(junit(checked)).iter("testcase")  # noqa: S314 - our own
    assert case.get("name") == "a|b <c> �"
    assert case.find("failure") is not None
    said, *_, row = markdown(checked).splitlines()
    assert said.endswith(r"\<f\>␊The demand holds. became slower.")
    assert row == (
        r"| **fails** | computation | a\|b \<c\> ␀ | \[x\](y) \& \`z\` \|␊All of 2 demands hold. |"
    )
    document = check_document(checked)
    (table,) = document.parts
    assert isinstance(table, Table)
    assert not [text for text in (document.headline, *map(str, table.rows)) if "\n" in text]


def test_a_program_that_does_nothing_passes_nothing(tmp_path: Path) -> None:
    idle = tmp_path / "idle.goal"
    idle.write_text("num_ranks 1\nrank 0 {\n}\n")
    with pytest.raises(InputError, match=r"idle\.goal: takes no time"):
        verdicts(latitude.analyze(load(idle)), [ToleranceDemand.parse("1us at 1%")], None)


def test_a_result_that_does_not_fit_is_told_by_its_file(analysis: Analysis, tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    changed = json.loads(analysis.to_json())
    changed["model"]["L_ns"] = 1.0
    old.write_text(json.dumps(changed))
    with pytest.raises(InputError, match=r"old\.json: was analysed with L = 1 ns, and"):
        no_worse(analysis, read_called_by_file(old), 0.1)


def test_the_exit_status_is_the_answer(
    two_ranks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(*words: object) -> int:
        try:
            return main(["check", *map(str, words)])
        except SystemExit as ended:
            return int(ended.code or 0)

    assert check(two_ranks, "--tolerance", "1us at 50%") == 0
    assert check(two_ranks, "--tolerance", "1s at 1%", "--json", tmp_path / "c.json") == 1
    data = json.loads((tmp_path / "c.json").read_text())
    assert data["failed"] == 1
    assert main(["analyze", str(two_ranks), "-o", str(tmp_path / "kept")]) == 0
    assert check(tmp_path / "kept", "--not-worse-than", two_ranks) == 0
    assert check(two_ranks) == 2
    assert "nothing to check" in capsys.readouterr().err
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    assert check(broken, "--tolerance", "1us at 50%") == 2


def test_a_place_beyond_the_interval_is_looked_at(two_ranks: Path) -> None:
    """Extends a trace's interval as far as the demand requires."""
    demand = "transfer >= 0.0000001 at L=1s"
    assert main(["check", str(two_ranks), "--efficiency", demand]) == 0
    assert math.isfinite(EfficiencyDemand.parse(demand).value or math.inf)
