"""What `latitude explain` says about results, in memory and streamed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from latitude.cli.main import main

RESULT: dict[str, object] = {
    "schema": "latitude.analysis/1",
    "trace": {"ranks": 8},
    "model": {"defaults": []},
    "theta": {"name": "L", "meaning": "network latency", "unit": "ns", "base": 3000.0},
    "tolerance": [
        {"degradation": 0.05, "delta_L_ns": None},
        {"degradation": 0.01, "delta_L_ns": 1500.0},
    ],
    "by_call": [{"call": "MPI_Recv", "lambda_L": 4.0}],
    "by_call_site": [],
    "intervals": None,
}


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    def explain(**changed: object) -> list[str]:
        file = tmp_path / "analysis.json"
        file.write_text(json.dumps(RESULT | changed), encoding="utf-8")
        status = main(["explain", str(tmp_path)])
        captured = capsys.readouterr()
        return (captured.out if status == 0 else captured.err).splitlines()

    return explain


def test_three_sentences_say_what_matters(said: Callable[..., list[str]]) -> None:
    tolerance, sensitivity, trust = said(
        by_call_site=[
            {"where": "halo.c:12", "function": "exchange", "lambda_L": 3.0},
            {"where": "halo.c:40", "function": None, "lambda_L": 1.0},
        ]
    )
    assert tolerance == (
        "The program (8 ranks), at network latency L = 3 µs, runs 1% slower with 1.5 µs more, "
        "never 5% slower."
    )
    assert sensitivity.startswith("75% of the message latencies on the critical path belong to")
    assert "halo.c:12 (exchange)" in sensitivity
    assert trust.startswith("The numbers are exact for this trace and network")


def test_what_follows_from_what_a_result_lacks(said: Callable[..., list[str]]) -> None:
    assert "--tolerance 1%" in said(tolerance=[])[0]
    assert "costs nothing" in said(by_call=[])[1]
    assert "MPI_Recv" in said()[1]
    assert "default L, o" in said(model={"defaults": ["L", "o"]})[2]
    assert "not known: x; y" in said(intervals={"confidence": 0.9, "not_known": ["x", "y"]})[2]
    assert "90% intervals" in said(intervals={"confidence": 0.9, "not_known": []})[2]


def test_other_files_are_refused(said: Callable[..., list[str]]) -> None:
    (line,) = said(schema="latitude.diff/1")
    assert "analysis.json: not a result of latitude analyze" in line
    (line,) = said(trace={"ranks": 0})
    assert "analysis.json: not a result of latitude analyze" in line


def test_a_streamed_result_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, file = tmp_path / "trace", tmp_path / "streamed.json"
    words = ["synthesize", "cg", "--ranks", "2", "--operations", "200", "-o", str(trace)]
    assert main(words) == 0
    assert main(["analyze", str(trace), "--stream", "--json", str(file)]) == 0
    capsys.readouterr()
    assert main(["explain", str(tmp_path), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["tolerance", "sensitivity", "trust"]
    assert "MPI_" in found["sensitivity"]
