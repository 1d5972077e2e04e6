"""Follows a real run to the line with most λ_L: `latitude trace`, then `latitude analyze`."""

import csv
import json
import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from latitude._core import read_sites
from support.callsites import SOURCES, line, run
from support.command import LATITUDE, Run
from support.compiling import beside, built, written
from support.html import Html, is_whole
from support.mpi.traced import PROGRAMS
from support.mpi.tracing import Tracing

INPUTS = Path(__file__).parents[1] / "support" / "mpi" / "inputs"
ROUNDS = 25
"""Rounds of one_place.c, each of which sends two messages."""
LONG = ("--L", "1000s")
"""So long that no rank is ever late for a message because the machine was busy."""
SHORT = ("--L", "1us")
NAMED = r"[:;] (\d+) (MPI_\w+) \([\d.e-]+%\) at "
"""Pattern of a function in a message: number of calls, and name."""


def analysed(latitude: Run, tracing: Tracing, ranks: int, source: str) -> dict[str, dict[str, Any]]:
    """Traces a program of tests/data/callsites: rows of `by_call_site` by place."""
    done = tracing.left(ranks, tracing.mpi.program(str(SOURCES / source)))
    assert done.returncode == 0, done.stderr
    result = tracing.directory / "result"
    done = latitude("analyze", tracing.run, *LONG, "-o", result)
    assert done.returncode == 0, done.stderr
    data = json.loads((result / "analysis.json").read_text(encoding="utf-8"))
    rows = data["by_call_site"]
    assert sum(row["lambda_L"] for row in rows) == data["baseline"]["lambda_L"]
    with (result / "call_sites.csv").open(encoding="utf-8", newline="") as file:
        assert [row["where"] for row in csv.DictReader(file)] == [row["where"] for row in rows]
    assert rows[0]["where"] in done.stdout
    assert rows[0]["where"] in (result / "report.html").read_text(encoding="utf-8")
    return {row["where"]: row for row in rows}


@pytest.mark.essential
def test_the_line_with_all_latency_is_named(latitude: Run, tracing: Tracing) -> None:
    rows = analysed(latitude, tracing, 2, "one_place.c")
    first, *others = rows.values()
    assert first["where"] == f"one_place.c:{line('one_place.c', 'A')}"
    assert first["function"] == "take"
    assert first["lambda_L"] == first["count"] == 2 * ROUNDS
    assert first["calls"] == {"MPI_Recv": 2 * ROUNDS}
    assert first["sent_from"]["where"] == f"one_place.c:{line('one_place.c', 'sender')}"
    assert Path(first["file"]) == SOURCES / "one_place.c"
    assert sum(row["lambda_L"] for row in others) == 1  # the exchange: not hidden from so long an L
    hidden = rows[f"one_place.c:{line('one_place.c', 'B')}"]
    assert hidden["calls"] == {"MPI_Irecv": 2}
    done = latitude("analyze", tracing.run, *SHORT, "--json", "-")
    assert done.returncode == 0, done.stderr
    (hidden,) = (
        row for row in json.loads(done.stdout)["by_call_site"] if row["where"] == hidden["where"]
    )
    assert hidden["least_slack_ns"] > 1e7  # computation of 50 ms and more hides it


def where_there_is_no_mpi(tracing: Tracing, gone: Path) -> dict[str, Any]:
    """The analysis of the trace on a machine without the folder `gone`, and without an MPI."""
    paths = read_sites([str(path) for path in sorted(tracing.run.glob("rank-*.lat"))]).module_path
    hidden = [path for path in paths if "mpi" in path.lower() and Path(path).is_file()]
    shutil.rmtree(gone)
    hide = "; ".join(f"mount --bind /dev/null {shlex.quote(path)}" for path in hidden)
    words = shlex.join([*LATITUDE, "analyze", "run", *LONG, "--json", "-"])
    namespace = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    done = tracing.start([*namespace, "sh", "-e", "-c", f"{hide}; exec {words}"])
    assert done.returncode == 0, done.stderr
    return cast("dict[str, Any]", json.loads(done.stdout))


@pytest.mark.parametrize("source", ["one_place.c", "chain.f90", "lines.py"])
def test_a_trace_keeps_its_lines(latitude: Run, open_mpi: Tracing, source: str) -> None:
    gone = open_mpi.directory / "gone"
    gone.mkdir()
    if source.endswith(".py"):
        shutil.copy(INPUTS / source, gone)
        command = ["/usr/bin/python3", str(gone / source)]
        open_mpi.options += ["--stacks", "8"]
    else:
        shutil.copy(SOURCES / source, gone)
        compiler = open_mpi.mpi.mpicc if source.endswith(".c") else open_mpi.mpi.mpifort
        run(compiler, "-g", "-O2", gone / source, "-o", gone / "app", cwd=gone)
        command = [str(gone / "app")]
    done = open_mpi.left(3 if source == "chain.f90" else 2, *command)
    assert done.returncode == 0, done.stderr
    here = latitude("analyze", open_mpi.run, *LONG, "--json", "-")
    assert here.returncode == 0, here.stderr
    known = json.loads(here.stdout)
    elsewhere = where_there_is_no_mpi(open_mpi, gone)
    assert elsewhere["by_call_site"] == known["by_call_site"]
    assert any(row["file"] == str(gone / source) for row in elsewhere["by_call_site"])
    assert elsewhere["warnings"] == known["warnings"]


def test_lines_are_kept_of_a_trace_that_another_way_left(
    latitude: Run, open_mpi: Tracing, refused: Callable[..., str]
) -> None:
    """`latitude env` leaves such a trace, whose places nobody looked up after the run."""
    program = open_mpi.directory / "app"
    shutil.copy(open_mpi.mpi.program(str(SOURCES / "one_place.c")), program)
    done = open_mpi.left(2, program)
    assert done.returncode == 0, done.stderr
    (open_mpi.run / "places.json").unlink()
    done = latitude("trace", "--pack", open_mpi.run)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        f"latitude: {open_mpi.run}: keeps the source lines of its calls of MPI\n"
    )
    program.unlink()
    again = latitude("trace", "--pack", open_mpi.run)  # what is known stays
    assert again.returncode == 0
    done = latitude("analyze", open_mpi.run, *LONG, "--json", "-")
    first, *_ = json.loads(done.stdout)["by_call_site"]
    assert first["where"] == f"one_place.c:{line('one_place.c', 'A')}"
    archive = open_mpi.directory / "run.tar.xz"
    run("tar", "-cJf", archive, "run", cwd=open_mpi.directory)
    done = latitude("analyze", archive, *LONG, "--json", "-")
    assert json.loads(done.stdout)["by_call_site"][0] == first
    (open_mpi.run / "places.json").write_text('{"schema": "latitude.places/1"}')
    assert "places.json: damaged; remove it, or let `latitude trace --pack`" in refused(
        "analyze", open_mpi.run
    )
    assert "no files of latitude trace (rank-*.lat) in it" in refused(
        "trace", "--pack", open_mpi.directory
    )


def test_a_forecast_names_the_line_too(latitude: Run, tracing: Tracing) -> None:
    done = tracing.left(2, tracing.mpi.program(str(SOURCES / "one_place.c")))
    assert done.returncode == 0, done.stderr
    drawn = ("--latency", "lognormal(mean=5us,sd=5us)", "--samples", "40", "--json", "-")
    done = latitude("forecast", tracing.run, *LONG, *drawn)
    assert done.returncode == 0, done.stderr
    site, *others = json.loads(done.stdout)["criticality"]["call_sites"]
    assert site["where"] == f"one_place.c:{line('one_place.c', 'A')}"
    assert site["share"] == 1
    assert site["latencies"] == 2 * ROUNDS
    assert [other["latencies"] for other in others] == [1]  # the exchange, as above


def test_fortran_lines_are_the_program_s_own(latitude: Run, tracing: Tracing) -> None:
    rows = analysed(latitude, tracing, 3, "chain.f90")
    receive = rows[f"chain.f90:{line('chain.f90', 'receive')}"]
    assert receive["function"] == "pass_on"
    assert receive["calls"] == {"MPI_Recv": 2}
    assert f"chain.f90:{line('chain.f90', 'send')}" in rows


def test_a_source_file_s_name_is_text_on_the_page(latitude: Run, open_mpi: Tracing) -> None:
    text = (SOURCES / "one_place.c").read_text(encoding="utf-8")
    source = written("<!--<script>x.c", text)
    where = f"{source.name}:{line('one_place.c', 'A')}"
    done = open_mpi.left(2, open_mpi.mpi.program(source))
    assert done.returncode == 0, done.stderr
    done = latitude("analyze", open_mpi.run, *LONG, "-o", "result", cwd=open_mpi.directory)
    assert done.returncode == 0, done.stderr
    assert where in done.stdout
    text = (open_mpi.directory / "result" / "report.html").read_text(encoding="utf-8")
    assert is_whole(text)
    page = Html(text)
    assert any(
        cell.startswith(where) for table in page.tables for row in table.rows for cell in row
    )
    assert json.loads(page.scripts["data-analysis-json"])["by_call_site"][0]["where"] == where
    assert where in json.loads(page.scripts["data-call_sites-csv"])
    assert page.figures


def test_sends_that_are_never_completed_are_named(latitude: Run, tracing: Tracing) -> None:
    source = "left_open.f90"
    program = tracing.mpi.program(str(SOURCES / source), "-ffree-line-length-none")
    done = tracing.left(2, program)
    assert done.returncode == 0, done.stderr
    done = latitude("analyze", tracing.run, *LONG, "--json", "-")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["trace"]["calls"]["MPI_Isend"] == 24
    assert data["graph"]["messages"] == 24 + 2  # the barrier's
    (notice,) = (each for each in data["warnings"] if each["code"] == "never-completed")
    assert notice["message"] == (
        "no call completes 24 sends, treated as if their requests were freed: "
        f"24 MPI_Isend at {source}:{line(source, 'left')}"
    )


def test_calls_that_no_graph_expresses_are_listed_with_their_lines(
    latitude: Run, tracing: Tracing
) -> None:
    source = PROGRAMS / "one_sided.c"
    done = tracing.left(2, tracing.mpi.program(source, "-O0", "-w"))
    assert done.returncode == 0, done.stderr
    refused = latitude("analyze", tracing.run)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    # Which functions have most time is the machine's to say; the others are counted.
    named = {call: int(calls) for calls, call in re.findall(NAMED, refused.stderr)}
    (others,) = re.findall(
        r"; (\d+) calls? \([\d.e-]+% of all ranks' time\) of (\d+) more functions; --skip",
        refused.stderr,
    )
    skipped = latitude("analyze", tracing.run, "--skip-unsupported", "--json", "-")
    assert skipped.returncode == 0
    (notice,) = (
        each
        for each in json.loads(skipped.stdout)["warnings"]
        if each["code"] == "unsupported-skipped"
    )
    every = {call: int(calls) for calls, call in re.findall(NAMED, notice["message"])}
    assert named.items() < every.items()
    assert len(every) == len(named) + int(others[1])
    assert sum(every.values()) == sum(named.values()) + int(others[0])
    assert f": {sum(every.values())} calls (" in refused.stderr
    lines = source.read_text(encoding="utf-8").splitlines()
    for call, times in (("Win_create", 2), ("Rget", 1)):
        (at,) = [i for i, words in enumerate(lines, 1) if f"MPI_{call}(" in words]
        assert every[f"MPI_{call}"] == times
        assert re.search(rf" MPI_{call} \([\d.e-]+%\) at one_sided.c:{at}\b", notice["message"])
    skipped = latitude("analyze", tracing.run, "--skip-unsupported")
    assert skipped.returncode == 0
    assert skipped.stdout.count("were left out") + skipped.stdout.count(" left out, ") == 1


def _through_a_layer(
    latitude: Run, tracing: Tracing, program: Path, *options: str, stacks: int = 8
) -> list[dict[str, Any]]:
    """Rows of `by_call_site` of layered.c."""
    tracing.options = ["--force", "--stacks", str(stacks)]
    done = tracing.left(2, program)
    assert done.returncode == 0, done.stderr
    result = tracing.directory / "result"
    done = latitude("analyze", tracing.run, *LONG, *options, "-o", result, "--force")
    assert done.returncode == 0, done.stderr
    data = json.loads((result / "analysis.json").read_text(encoding="utf-8"))
    assert data["baseline"]["lambda_L"] == 2 * ROUNDS
    with (result / "call_sites.csv").open(encoding="utf-8", newline="") as file:
        shown = [row["call_path"] for row in csv.DictReader(file)]
    rows: list[dict[str, Any]] = data["by_call_site"]
    assert shown == [" < ".join(row["paths"][0]["frames"]) if row["paths"] else "" for row in rows]
    if rows[0]["paths"]:
        page = (result / "report.html").read_text(encoding="utf-8")
        assert "called by" in page
        assert rows[0]["paths"][0]["frames"][-1] in page
    return rows


def _layered(tracing: Tracing, *options: str | Path) -> Path:
    options = options or (SOURCES / "layer.c",)
    return tracing.mpi.program(str(SOURCES / "layered.c"), f"-I{SOURCES}", *options)


def _at(source: str, mark: str) -> str:
    return f"{source}:{line(source, mark)}"


def test_callers_tell_the_ways_to_a_line(latitude: Run, tracing: Tracing) -> None:
    (first, *_) = _through_a_layer(latitude, tracing, _layered(tracing))
    assert first["where"] == _at("layer.c", "inside")
    receive = f"{_at('layered.c', 'receive')} in take"
    ways = {
        tuple(way["frames"][:3]): (way["count"], way["lambda_L"], way["frames"][3:])
        for way in first["paths"]
    }
    inside = f"{_at('layer.c', 'inside')} in layer_get"
    times = {("first", "answer"): ROUNDS, ("second", "ask"): 13, ("third", "ask_again"): 12}
    assert {way: count for way, (count, _, _) in ways.items()} == {
        (inside, receive, f"{_at('layered.c', mark)} in {function}"): count
        for (mark, function), count in times.items()
    }
    for count, latencies, outer in ways.values():
        assert latencies == count
        assert [frame.partition(" in ")[2] for frame in outer] == ["main"]


def test_a_layer_over_mpi_is_looked_past(latitude: Run, tracing: Tracing) -> None:
    (first, *_) = _through_a_layer(latitude, tracing, _layered(tracing), "--through", "layer.c")
    assert first["where"] == _at("layered.c", "receive")
    assert first["function"] == "take"
    assert first["calls"] == {"MPI_Recv": 2 * ROUNDS}
    assert first["sent_from"]["where"] == _at("layered.c", "send")
    assert first["paths"][0]["frames"][0].startswith(_at("layer.c", "inside"))


def test_without_callers_the_layer_is_the_place(latitude: Run, tracing: Tracing) -> None:
    (first, *_) = _through_a_layer(
        latitude, tracing, _layered(tracing), "--through", "layer.c", stacks=0
    )
    assert first["where"] == _at("layer.c", "inside")
    assert first["paths"] == []


def test_a_layer_in_a_library_of_its_own_is_looked_past(latitude: Run, tracing: Tracing) -> None:
    words = ("-O1", "-g", "-shared", "-fPIC", SOURCES / "layer.c")
    mpi = tracing.mpi
    library = built("liblayer.so", *words, compiler=mpi.mpicc, environment=mpi.compiling)
    program = _layered(tracing, "-Wl,--no-as-needed", *beside(library))
    (first, *_) = _through_a_layer(latitude, tracing, program, "--through", "liblayer*")
    assert first["where"] == _at("layered.c", "receive")


def test_functions_named_like_mpi_s_are_looked_past(latitude: Run, tracing: Tracing) -> None:
    named = ("-Dlayer_get=app_MPI_Recv", SOURCES / "layer.c")
    (first, *_) = _through_a_layer(latitude, tracing, _layered(tracing, *named))
    assert first["where"] == _at("layered.c", "receive")
    (first, *_) = _through_a_layer(
        latitude, tracing, _layered(tracing, *named), "--through", "none"
    )
    assert first["where"] == _at("layer.c", "inside")
