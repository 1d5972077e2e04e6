"""`latitude run`: from a program to its report in one command."""

import json
import re

import pytest

from support.command import LATITUDE
from support.mpi.tracing import Tracing, said


def words(*command: object, options: tuple[str, ...] = ()) -> list[str]:
    return [*LATITUDE, "run", "-o", "result", *options, "--", *map(str, command)]


@pytest.mark.essential
def test_one_command_leaves_trace_page_and_data(tracing: Tracing) -> None:
    program = tracing.mpi.program("behave.c")
    network = ("--L", "2us", "--o", "1us")
    done = tracing.start(words(*tracing.mpi.run(3, program), options=network))
    assert done.returncode == 0, done.stderr
    result = tracing.directory / "result"
    assert "This program tolerates" in done.stdout
    assert "result/report.html" in done.stdout
    assert said(done)[0].startswith("latitude: result/trace: 3 ranks")
    assert (result / "report.html").stat().st_size > 10_000
    analysis = json.loads((result / "analysis.json").read_text(encoding="utf-8"))
    assert analysis["trace"]["ranks"] == 3
    shown = analysis["provenance"]["input"]
    kept = tracing.directory / shown / "trace.json"
    took = json.loads(kept.read_text(encoding="utf-8"))["seconds"]
    wall = analysis["trace"]["wall"]
    assert 0 < analysis["trace"]["wall_ns"] < took * 1e9
    assert analysis["trace"]["wall_ns"] <= sum(wall.values()) < took * 1e9
    assert min(wall["calls_ns"], wall["computing_ns"], wall["tracer_ns"]) > 0
    assert re.search(r"^Recorded .* predicted .* apart", done.stdout, re.MULTILINE)
    assert analysis["model"]["L_ns"] == 2000
    again = tracing.start([*LATITUDE, "analyze", *network, "--json", "-", shown])
    assert json.loads(again.stdout)["baseline"] == analysis["baseline"]


def test_results_are_not_overwritten_and_the_program_is_not_started(open_mpi: Tracing) -> None:
    command = open_mpi.mpi.run(1, open_mpi.mpi.program("behave.c"))
    assert open_mpi.start(words(*command)).returncode == 0
    refused = open_mpi.start(words(*command))
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "result/report.html: exists already; pass --force" in refused.stderr
    assert open_mpi.start(words(*command, options=("--force",))).returncode == 0


def test_the_status_of_a_program_that_fails_is_passed_on(open_mpi: Tracing) -> None:
    command = open_mpi.mpi.run(1, open_mpi.mpi.program("behave.c"), "status")
    done = open_mpi.start(words(*command))
    assert done.returncode == 3
    assert said(done)[-1].endswith(": latitude analyze result/trace"), "it is whole"
    assert not (open_mpi.directory / "result" / "report.html").exists()


def test_what_is_no_mpi_program_ends_with_status_2(open_mpi: Tracing) -> None:
    done = open_mpi.start(words("true"))
    assert done.returncode == 2
    assert said(done)[0].startswith("latitude: warning: ")
    assert not (open_mpi.directory / "result" / "report.html").exists()


def test_several_traces_give_median_and_range(open_mpi: Tracing) -> None:
    command = open_mpi.mpi.run(2, open_mpi.mpi.program("behave.c"))
    done = open_mpi.start(words(*command, options=("--traces", "3", "--L", "2us")))
    assert done.returncode == 0, done.stderr
    result = open_mpi.directory / "result"
    traces = ["result/trace", "result/trace-2", "result/trace-3"]
    found = json.loads((result / "analysis.json").read_text(encoding="utf-8"))
    over = found["over_runs"]
    assert over["traces"] == traces
    each = []
    for trace in traces:
        alone = open_mpi.start([*LATITUDE, "analyze", trace, "--L", "2us", "--json", "-"])
        each.append(json.loads(alone.stdout))
    assert over["T_ns"]["values"] == [one["baseline"]["T_ns"] for one in each]
    assert over["wall_ns"]["values"] == [one["trace"]["wall_ns"] for one in each]
    assert over["lambda"]["values"] == [one["theta"]["lambda"] for one in each]
    for limit, spread in enumerate(over["delta"]):
        assert spread["values"] == [one["tolerance"][limit]["delta"] for one in each]
        low, middle, high = sorted(spread["values"])
        assert (spread["low"], spread["median"], spread["high"]) == (low, middle, high)
    assert found["baseline"] == each[over["shown"]]["baseline"]
    assert found["baseline"]["T_ns"] == over["T_ns"]["median"]
    assert "Over 3 runs" in done.stdout
    assert "Over 3 runs" in (result / "report.html").read_text(encoding="utf-8")
    assert found["provenance"]["input"] == traces[over["shown"]]
