"""Archives that we write: the same program to us, and to OTF2's own package."""

import resource
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import latitude as lat
from latitude import _core
from latitude.cli import convert
from latitude.cli.main import main
from latitude.trace.load import load_trace
from support import native_trace
from support.command import Run
from support.epoch import epoch
from support.oracle.threaded_programs import random_threads
from support.otf2_archive import copy, otf2, read
from support.paths import TRACE_NAMES, TRACES

Refused = Callable[..., str]

SMALL = [
    name
    for name in TRACE_NAMES
    if not (TRACES / name).exists() or (TRACES / name).stat().st_size < 250_000
]
"""Traces that OTF2's Python package copies in seconds."""
NETWORK = lat.Network(L=1000, o=400, G=0.05, S=256)
"""Most messages of the shared traces are above S."""


def _write(trace: _core.Trace, folder: Path) -> Path:
    folder.mkdir()
    _core.trace_format("otf2").write(trace, str(folder), 1)
    return folder / "traces.otf2"


def _found(path: Path) -> tuple[Any, Any, dict[str, int]]:
    """T and λ, every critical latency, and how often each call was made."""
    program = lat.load(path)
    analysis = lat.analyze(program, NETWORK)
    return analysis.baseline, analysis.to_dict()["breakpoints"], program.trace.calls


@pytest.mark.thorough
@pytest.mark.parametrize("name", TRACE_NAMES)
def test_every_shared_trace_is_the_same_program(name: str, traces: Path, tmp_path: Path) -> None:
    anchor = _write(load_trace(traces / name), tmp_path / "run")
    assert _found(anchor) == _found(traces / name)


@pytest.mark.thorough
def test_a_paraver_trace_is_the_same_program(tmp_path: Path) -> None:
    """The program is real, with callers that Extrae recorded."""
    traces = epoch()
    path = traces / "epoch_4proc.prv.gz"
    anchor = _write(load_trace(path), tmp_path / "run")
    assert _found(anchor) == _found(path)
    places = [
        {share.where: share.calls for share in lat.analyze(lat.load(run), NETWORK).by_call_site}
        for run in (path, anchor)
    ]
    assert places[0] == places[1]
    assert any("boundary.F90:" in where for where in places[0])


@pytest.mark.thorough
@pytest.mark.parametrize("name", SMALL)
def test_what_otf2_has_fields_for_is_enough(name: str, traces: Path, tmp_path: Path) -> None:
    """Read and written by OTF2's own package, without our attributes."""
    copy(_write(load_trace(traces / name), tmp_path / "run"), tmp_path / "copy")
    baseline, breakpoints, calls = _found(traces / name)
    found_baseline, found_breakpoints, found_calls = _found(tmp_path / "copy")
    if "MPI_Alltoallv" in calls:  # whose pairs get bytes in proportion
        assert found_baseline.T_ns == pytest.approx(baseline.T_ns, rel=1e-4)
        assert found_baseline.lambda_L == baseline.lambda_L
    else:
        assert (found_baseline, found_breakpoints) == (baseline, breakpoints)
    # Local calls, and waits for nothing, are counted in properties, which the copy lacks.
    assert calls["MPI_Init"] == found_calls["MPI_Init"]
    for call, count in found_calls.items():
        assert count == calls[call] or (call.startswith("MPI_Wait") and count < calls[call])


@pytest.mark.thorough
def test_programs_with_threads_are_the_same(tmp_path: Path) -> None:
    for seed in range(60):
        folder = tmp_path / str(seed)
        folder.mkdir()
        random_threads(Random(seed), messages=12, collectives=4).write(folder)
        trace = load_trace(folder)
        anchor = _write(trace, tmp_path / f"{seed}.otf2")
        ours, theirs = lat.load(folder), lat.load(anchor)
        found, expected = (lat.analyze(program, NETWORK) for program in (theirs, ours))
        assert found.baseline == expected.baseline, seed
        assert found.tolerance == expected.tolerance, seed
        lines = [program.graph.line.tolist() for program in (theirs, ours)]
        assert lines[0] == lines[1], seed


def test_otf2s_package_reads_what_we_write(tmp_path: Path) -> None:
    """Each event of a ring, as the format's own library tells it."""
    run = native_trace.write(
        tmp_path / "ring", {rank: native_trace.rank_file(rank) for rank in range(3)}
    )
    trace = load_trace(run)
    trace.set_frames([[("ring", "ring.c", 7)] for _ in trace.site_module])
    events = read(_write(trace, tmp_path / "run"))
    kinds = Counter(type(event).__name__ for _, event in events)
    calls = 2 + 2 * native_trace.MESSAGES
    assert kinds == {
        "Enter": 3 * calls,
        "Leave": 3 * calls,
        "MpiSend": 3 * native_trace.MESSAGES,
        "MpiRecv": 3 * native_trace.MESSAGES,
    }
    names = {location: location.group.name for location, _ in events}
    assert sorted(names.values()) == [f"MPI Rank {rank}" for rank in range(3)]
    rank_of = {location: int(name.split()[-1]) for location, name in names.items()}
    for location, event in events:
        if type(event).__name__ == "MpiSend":
            assert event.receiver == (rank_of[location] + 1) % 3
            assert (event.msg_tag, event.msg_length) == (4, 64)
            assert event.communicator.name == "MPI_COMM_WORLD"
        if type(event).__name__ == "MpiRecv":
            assert event.sender == (rank_of[location] - 1) % 3
            assert (event.msg_tag, event.msg_length) == (4, 64)
        if type(event).__name__ == "Enter" and event.region.name == "MPI_Send":
            assert event.region.paradigm.value == otf2().enums.Paradigm.MPI.value
            ((attribute, path),) = event.attributes.items()
            assert attribute.name == "latitude.call_path"
            assert path.region.name == "ring"
            assert (path.source_code_location.file, path.source_code_location.line_number) == (
                "ring.c",
                7,
            )
    times: dict[Any, int] = {}
    for location, event in events:
        assert event.time >= times.get(location, 0)
        times[location] = event.time


def test_call_sites_are_where_they_were(tmp_path: Path) -> None:
    run = native_trace.write(
        tmp_path / "ring", {rank: native_trace.rank_file(rank) for rank in range(3)}
    )
    trace = load_trace(run)
    trace.set_frames([[("ring", "/src/ring.c", 7)] for _ in trace.site_module])
    program = lat.load(_write(trace, tmp_path / "run"))
    analysis = lat.analyze(program, lat.Network(L=1_000_000))
    (place,) = analysis.by_call_site
    assert (place.where, place.function, place.file, place.line) == (
        "ring.c:7",
        "ring",
        "/src/ring.c",
        7,
    )
    assert place.offsets == ()


def _small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write fails, as on a full disk


def test_what_cannot_be_written_is_one_line_and_leaves_nothing(
    tmp_path: Path, latitude: Run
) -> None:
    ring = native_trace.write(
        tmp_path / "ring", {rank: native_trace.rank_file(rank) for rank in range(3)}
    )
    out = tmp_path / "run.otf2"
    done = latitude("convert", ring, out, preexec_fn=_small_files)
    assert done.returncode == 2
    assert "writing failed" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ring"]


def test_an_archive_makes_way_for_another_and_for_nothing_else(
    tmp_path: Path, latitude: Run, refused: Refused
) -> None:
    ring = native_trace.write(
        tmp_path / "ring", {rank: native_trace.rank_file(rank) for rank in range(3)}
    )
    out = tmp_path / "run.otf2"
    done = latitude("convert", ring, out)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"{out}: 3 ranks, ")
    assert "not-kept" not in done.stderr
    assert "warning: OTF2 has no place for" in done.stderr
    assert sorted(path.name for path in out.iterdir()) == ["traces", "traces.def", "traces.otf2"]
    assert "exists already; pass --force" in refused("convert", ring, out)
    assert latitude("convert", ring, out, "--force").returncode == 0
    (out / "traces" / "notes.txt").write_text("mine")
    assert "holds 'traces/notes.txt', which is kept" in refused("convert", ring, out, "--force")


def test_goal_files_hold_no_calls(two_ranks: Path, tmp_path: Path, refused: Refused) -> None:
    message = refused("convert", two_ranks, tmp_path / "run.otf2")
    assert "only a trace can become one" in message
    assert not (tmp_path / "run.otf2").exists()


def test_without_the_library_nothing_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    class Without:
        name = "otf2"
        folder_suffix = ".otf2"
        written = ()

        def problem(self) -> str:
            return "its library is not installed"

    monkeypatch.setitem(convert.TRACE_FORMATS, "otf2", Without())
    assert main(["convert", str(tmp_path / "absent"), str(tmp_path / "run.otf2")]) == 2
    assert "otf2 cannot be written here: its library is not installed" in capsys.readouterr().err
