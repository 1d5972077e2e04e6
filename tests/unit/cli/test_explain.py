"""Sentences of `latitude explain` about results, in memory and streamed."""

import json
import math
from pathlib import Path

import pytest
from msgspec.structs import replace

import latitude
from latitude.cli.explain import explained
from latitude.cli.main import main
from latitude.sections.by_call_site.result import CallSiteShare
from support.paths import EXAMPLES


@pytest.fixture(scope="module")
def result() -> latitude.Analysis:
    """Result for a program whose latencies belong to one call, on a chosen network."""
    network = latitude.Network.parse({"L": "3us", "o": "0us", "G": "0.018ns", "S": "256KiB"})
    return latitude.analyze(latitude.load(EXAMPLES / "two-ranks.goal"), network)


def test_three_sentences_say_what_matters(result: latitude.Analysis) -> None:
    never = replace(result.tolerance[0], degradation=0.5, delta=math.inf)
    found = explained(replace(result, tolerance=[never, *result.tolerance]))
    assert found.tolerance == (
        "The program (2 ranks), at network latency L = 3 µs, runs 1% slower with 41 ns more, "
        "2% slower with 82 ns more, 5% slower with 205 ns more."
    )
    assert "100% of the message latencies" in found.sensitivity
    assert "belong to recv" in found.sensitivity
    assert found.trust.startswith("The numbers are exact for this trace and network")
    assert "never 50% slower" in explained(replace(result, tolerance=[never])).tolerance


def site(where: str, function: str | None, latencies: float) -> CallSiteShare:
    """A place in the source with so many latencies on the critical path."""
    return CallSiteShare(
        where=where,
        function=function,
        file=None,
        line=None,
        inlined_into=(),
        module="app",
        offsets=(1,),
        calls={},
        path_vertices=1,
        before_ns=0.0,
        calc_ns=0.0,
        overhead_ns=0.0,
        latency_ns=0.0,
        network_ns=0.0,
        lambda_L=latencies,
        share=0.0,
        bytes_sent=0,
        bytes_received=0,
        sent_from=None,
        count=1,
        paths=[],
        least_slack_ns=0.0,
    )


def test_lines_come_before_calls(result: latitude.Analysis) -> None:
    sites = [site("halo.c:40", None, 1.0), site("halo.c:12", "exchange", 3.0)]
    found = explained(replace(result, by_call_site=sites)).sensitivity
    assert found.startswith("75% of the message latencies")
    assert "belong to halo.c:12 (exchange): start" in found


def test_what_follows_from_what_a_result_lacks(result: latitude.Analysis) -> None:
    assert "--tolerance 1%" in explained(replace(result, tolerance=[])).tolerance
    assert "is not known" in explained(replace(result, by_call=[])).sensitivity
    none = [replace(row, lambda_L=0.0) for row in result.by_call]
    assert "costs nothing" in explained(replace(result, by_call=none)).sensitivity
    defaults = replace(result.model, defaults=["L", "o"])
    assert "default L, o" in explained(replace(result, model=defaults)).trust
    assert result.intervals is not None
    unknown = replace(result.intervals, not_known=["x", "y"])
    assert "not known: x; y" in explained(replace(result, intervals=unknown)).trust
    known = replace(result.intervals, not_known=[], confidence=0.9)
    assert "90% intervals" in explained(replace(result, intervals=known)).trust


def test_a_streamed_result_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, file = tmp_path / "trace", tmp_path / "analysis.json"
    words = ["synthesize", "cg", "--ranks", "2", "--calls", "200", "-o", str(trace)]
    assert main(words) == 0
    assert main(["analyze", str(trace), "--stream", "--json", str(file)]) == 0
    capsys.readouterr()
    assert main(["explain", str(tmp_path), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["tolerance", "sensitivity", "trust"]
    assert "MPI_" in found["sensitivity"]
