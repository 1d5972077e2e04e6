"""OTF2 archives, written by OTF2's own package: closed forms, a real run's, and damaged ones."""

import os
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latitude
from latitude import InputError, _core
from latitude.launch.doctor import libraries
from latitude.results.doctor import MISSING, OK
from support.command import started
from support.otf2_archive import WRITER, Archive, Rank, archive
from support.sections import known

_LIBRARY = """
import sys
import latitude
print(latitude.load(sys.argv[1]).graph.ranks)
print(*{line.split()[-1] for line in open("/proc/self/maps") if "tf2" in line})
"""


def _baseline(path: Path) -> tuple[float, float]:
    """T and λ at L = 3 µs, o = 0.5 µs, G = 0.1 ns per byte."""
    network = latitude.Network(L=3000, o=500, G=0.1, S=100_000)
    found = latitude.analyze(latitude.load(path), network).baseline
    return found.T_ns, known(found.lambda_L)


def _begin(rank: Rank) -> None:
    rank.call("MPI_Init", 500, 1000)


def _message(path: Path) -> Path:
    """Rank 0 computes 10 µs and sends 1,000 B; rank 1 computes 5 µs, receives, computes 5 µs."""
    with archive(path, 2) as run:
        first, second = run.ranks
        for rank in run.ranks:
            _begin(rank)
        first.call("MPI_Send", 11000, 12000, ("mpi_send", 1, run.world, 5, 1000))
        second.call("main", 1000, 6000)
        second.call("MPI_Recv", 6000, 13000, ("mpi_recv", 0, run.world, 5, 1000))
        first.call("MPI_Finalize", 12000, 19000)
        second.call("MPI_Finalize", 18000, 19000)
    return path


def test_a_message_between_computations(tmp_path: Path) -> None:
    path = _message(tmp_path / "run")
    # 10 µs, o, L, 999 bytes on the wire, o, 5 µs
    expected = (pytest.approx(10000 + 500 + 3000 + 99.9 + 500 + 5000), 1)
    assert _baseline(path / "traces.otf2") == expected
    assert _baseline(path) == expected
    assert latitude.load(path).trace.calls == dict.fromkeys(
        ("MPI_Finalize", "MPI_Init", "MPI_Recv", "MPI_Send"), 1
    ) | {"MPI_Finalize": 2, "MPI_Init": 2}


def test_receives_are_matched_as_they_were_posted(tmp_path: Path) -> None:
    """The second receive ends first; what each receives is known when it ends."""
    with archive(tmp_path / "run", 2) as run:
        first, second = run.ranks
        for rank in run.ranks:
            _begin(rank)
        first.call("MPI_Isend", 1000, 1100, ("mpi_isend", 1, run.world, 1, 10, 71))
        first.call("MPI_Isend", 1100, 1200, ("mpi_isend", 1, run.world, 1, 2000, 72))
        first.call("MPI_Waitall", 1200, 1300, *(("mpi_isend_complete", i) for i in (71, 72)))
        second.call("MPI_Irecv", 1000, 1100, ("mpi_irecv_request", 8))
        second.call("MPI_Irecv", 1100, 1200, ("mpi_irecv_request", 9))
        second.call("MPI_Test", 1200, 1250, ("mpi_request_test", 8))
        second.call("MPI_Wait", 1300, 1400, ("mpi_irecv", 0, run.world, 1, 2000, 9))
        second.call("MPI_Wait", 1400, 1500, ("mpi_irecv", 0, run.world, 1, 10, 8))
        for rank in run.ranks:
            rank.call("MPI_Finalize", 1500, 1600)
    found = latitude.load(tmp_path / "run")
    assert not found.warnings
    assert found.graph.messages == 2


def test_collectives_of_a_part_of_the_ranks(tmp_path: Path) -> None:
    """A broadcast of 400 B from rank 2 to rank 0, as Score-P counts; rank 1 is no member."""
    with archive(tmp_path / "run", 3) as run:
        part = run.communicator([2, 0])
        for rank in run.ranks:
            _begin(rank)
        run.ranks[2].call("MPI_Bcast", 4000, 5000, run.collective("BCAST", part, 0, 800, 400))
        run.ranks[0].call("MPI_Bcast", 2000, 5000, run.collective("BCAST", part, 0, 0, 400))
        for rank in run.ranks:
            rank.call("MPI_Finalize", 6000, 6100)
    # 3 µs, o, L, 399 bytes, o, 1 µs
    assert _baseline(tmp_path / "run") == (pytest.approx(3000 + 500 + 3000 + 39.9 + 500 + 1000), 1)


def test_what_the_tracer_did_is_no_computation(tmp_path: Path) -> None:
    with archive(tmp_path / "run", 1) as run:
        rank = run.ranks[0]
        _begin(rank)
        rank.events.buffer_flush(2000, 2500)
        rank.call("MPI_Finalize", 6000, 6100)
    found = latitude.load(tmp_path / "run")
    assert [notice.code for notice in found.warnings] == ["tracer-left-out"]
    assert _baseline(tmp_path / "run")[0] == 4500


class _Replay:
    """Records a liballprof rank as Score-P would have recorded it."""

    def __init__(self, run: Archive, number: int) -> None:
        self._run, self._number = run, number
        self._requests = 0
        self._pending: dict[int, tuple[Any, ...]] = {}
        """The record that tells of an operation's end, by the address of its request."""

    def rank(self, lines: list[str]) -> None:
        """Writes the calls of a file."""
        last = 0
        for line in lines:
            name, *fields = line.split(":")
            if not name.startswith("MPI_") or name == "MPI_Initialized":
                continue
            enter, leave = (0 if at == "-" else 1000 * int(at) for at in (fields[0], fields[-1]))
            if name == "MPI_Finalize":  # liballprof synchronises its clocks before
                enter, leave = last, last
            records = self._records(name, fields[1:-1])
            if name == "MPI_Waitall" and not records:
                enter = leave  # of liballprof it counts as computation
            self._run.ranks[self._number].call(name, enter, leave, *records)
            last = leave

    def _records(self, name: str, arguments: list[str]) -> list[tuple[Any, ...]]:
        if name in ("MPI_Isend", "MPI_Irecv"):
            return [self._posted(name, arguments)]
        if name == "MPI_Wait":
            return self._completed(int(arguments[0]), 1)
        if name == "MPI_Waitall":
            return self._completed(int(arguments[1]), int(arguments[0]))
        if name in ("MPI_Allreduce", "MPI_Reduce", "MPI_Barrier"):
            return [self._collective(name, arguments)]
        return []

    def _posted(self, name: str, arguments: list[str]) -> tuple[Any, ...]:
        _, count, kind, peer, tag, _, address = arguments
        self._requests += 1
        message = (int(peer), self._run.world, int(tag), int(count) * int(kind.split(",")[1]))
        if name == "MPI_Isend":
            self._pending[int(address)] = ("mpi_isend_complete", self._requests)
            return ("mpi_isend", *message, self._requests)
        self._pending[int(address)] = ("mpi_irecv", *message, self._requests)
        return ("mpi_irecv_request", self._requests)

    def _completed(self, first: int, count: int) -> list[tuple[Any, ...]]:
        places = range(first, first + 8 * count, 8)
        return [self._pending.pop(place) for place in places if place in self._pending]

    def _collective(self, name: str, arguments: list[str]) -> tuple[Any, ...]:
        run, size = self._run, len(self._run.ranks)
        if name == "MPI_Barrier":
            return run.collective("BARRIER", run.world, None, 0, 0)
        count = int(arguments[2]) * int(arguments[3].split(",")[1])
        if name == "MPI_Allreduce":
            return run.collective("ALLREDUCE", run.world, None, size * count, size * count)
        root = int(arguments[5])
        got = size * count if self._number == root else 0
        return run.collective("REDUCE", run.world, root, count, got)


@pytest.mark.thorough
def test_a_real_run_is_the_same_program(tmp_path: Path, lulesh: Path) -> None:
    """LULESH as liballprof and as OTF2: T, λ and every critical latency are the same."""
    with tarfile.open(lulesh) as tar:
        texts = {}
        for member in tar.getmembers():
            file = tar.extractfile(member)
            if file is not None and "rank-" in member.name:
                texts[int(member.name.split("rank-")[1].split(".")[0])] = file.read().decode()
    with archive(tmp_path / "run", len(texts)) as run:
        for number, text in texts.items():
            _Replay(run, number).rank(text.splitlines())
    network = latitude.Network(L=1000, o=400, G=0.05, S=256)  # most of its messages above S
    expected = latitude.load(lulesh)
    found = latitude.load(tmp_path / "run")
    assert found.trace.ranks == 8
    for name, count in expected.trace.calls.items():
        if name != "MPI_Initialized":
            assert found.trace.calls[name] == count
    a, b = (latitude.analyze(program, network) for program in (expected, found))
    assert b.baseline == a.baseline
    assert b.to_dict()["breakpoints"] == a.to_dict()["breakpoints"] != []


def test_what_is_damaged_is_one_line(tmp_path: Path) -> None:
    path = _message(tmp_path / "run")
    events = path / "traces" / "1.evt"
    whole = events.read_bytes()
    for size in (0, 10, len(whole) // 2):
        events.write_bytes(whole[:size])
        with pytest.raises(InputError) as raised:
            latitude.load(path)
        assert "\n" not in str(raised.value)
        assert "traces.otf2" in str(raised.value)
    events.unlink()
    with pytest.raises(InputError, match=r"traces\.otf2: .* is the archive whole\?"):
        latitude.load(path)
    (path / "traces.def").unlink()
    with pytest.raises(InputError, match=r"traces\.otf2: "):
        latitude.load(path)


def test_what_does_not_fit_is_named_with_its_event(tmp_path: Path) -> None:
    with archive(tmp_path / "run", 1) as run:
        _begin(run.ranks[0])
        run.ranks[0].call("MPI_Wait", 2000, 2100, ("mpi_isend_complete", 7))
        run.ranks[0].call("MPI_Finalize", 6000, 6100)
    with pytest.raises(
        InputError,
        match=r"location 0:3: MPI_Wait completes request 7, which is not pending$",
    ):
        latitude.load(tmp_path / "run")


def test_names_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = _message(tmp_path / "run")
    definitions = path / "traces.def"
    content = definitions.read_bytes()
    definitions.write_bytes(content.replace(b"MPI_Send", b"MPI_Sen\xe5"))
    with pytest.raises(InputError, match=r"traces\.otf2: region \d+ has an invalid name$"):
        latitude.load(path)


def test_calls_outside_the_graph_are_refused_by_name(tmp_path: Path) -> None:
    with archive(tmp_path / "run", 1) as run:
        _begin(run.ranks[0])
        run.ranks[0].call("MPI_Put", 2000, 2100)
        run.ranks[0].call("MPI_Finalize", 6000, 6100)
    with pytest.raises(
        InputError,
        match=r"1 call \(.*% of all ranks' time\) is not supported in an execution graph: "
        r"1 MPI_Put \(.*%\) first at .*location 0:3; --skip-unsupported leaves",
    ):
        latitude.load(tmp_path / "run")
    program = latitude.load(tmp_path / "run", skip_unsupported=True)
    assert program.ranks == 1
    assert [notice.code for notice in program.warnings] == ["unsupported-skipped"]


def _by_call_paths(path: Path) -> Path:
    """The trace as Score-P writes it with unwound stacks: paths to regions, and samples."""
    with archive(path, 2) as run:
        definitions = run.definitions
        line = definitions.source_code_location("solver.c", 17)
        main = definitions.calling_context(run.region("main"), line, None)
        solve = definitions.calling_context(run.region("solve"), line, main)

        def call(rank: Rank, name: str, enter: int, leave: int, *records: tuple[Any, ...]) -> None:
            at = definitions.calling_context(run.region(name), line, solve)
            rank.events.calling_context_enter(enter, at, 2)
            for method, *arguments in records:
                getattr(rank.events, method)(leave, *arguments)
            rank.events.calling_context_leave(leave, at)

        first, second = run.ranks
        interrupt = definitions.interrupt_generator("timer", period=1)
        for rank in run.ranks:
            rank.events.calling_context_enter(400, main, 1)
            call(rank, "MPI_Init", 500, 1000)
            rank.events.calling_context_sample(1500, solve, 2, interrupt)
        call(first, "MPI_Send", 11000, 12000, ("mpi_send", 1, run.world, 5, 1000))
        call(second, "MPI_Recv", 6000, 13000, ("mpi_recv", 0, run.world, 5, 1000))
        second.events.calling_context_sample(14000, main, 2, interrupt)
        call(first, "MPI_Finalize", 12000, 19000)
        call(second, "MPI_Finalize", 18000, 19000)
        for rank in run.ranks:
            rank.events.calling_context_leave(19500, main)
    return path


def test_calls_by_call_paths_are_calls_with_their_callers(tmp_path: Path) -> None:
    """Samples are no events of the program; who calls is known though `solve` was never entered."""
    by_paths = _by_call_paths(tmp_path / "paths")
    assert _baseline(by_paths) == _baseline(_message(tmp_path / "regions"))
    program = latitude.load(by_paths)
    found = latitude.analyze(program, latitude.Network(L=1_000_000)).by_call_site
    assert [(each.function, each.file, each.line) for each in found] == [("solve", "solver.c", 17)]


def test_a_thread_without_calls_is_no_line(tmp_path: Path) -> None:
    with archive(tmp_path / "run", 1) as run:
        (rank,) = run.ranks
        other = run.another_thread(0)
        _begin(rank)
        other.call("work", 2000, 3000)
        rank.call("MPI_Finalize", 5000, 6000)
    program = latitude.load(tmp_path / "run")
    assert set(program.graph.line.tolist()) == {0}
    assert program.warnings == []


def test_threads_that_call_mpi_are_lines_of_their_own(tmp_path: Path) -> None:
    """While rank 0's first thread computes 50 µs, its second one posts a receive, computes 10 µs
    (its tracer writes for 4 µs meanwhile) and sends; a third thread completes the receive."""
    path = tmp_path / "run"
    with archive(path, 2) as run:
        first, peer = run.ranks
        second, third = run.another_thread(0), run.another_thread(0)
        _begin(first)
        _begin(peer)
        second.call("MPI_Irecv", 2000, 2500, ("mpi_irecv_request", 7))
        second.events.buffer_flush(3000, 7000)
        second.call("MPI_Send", 16500, 17000, ("mpi_send", 1, run.world, 1, 100))
        third.call("MPI_Wait", 2200, 40000, ("mpi_irecv", 1, run.world, 2, 100, 7))
        peer.call("MPI_Recv", 1000, 18000, ("mpi_recv", 0, run.world, 1, 100))
        peer.call("MPI_Send", 18000, 19000, ("mpi_send", 0, run.world, 2, 100))
        first.call("MPI_Finalize", 51000, 52000)
        peer.call("MPI_Finalize", 51000, 52000)
    program = latitude.load(path)
    graph = program.graph
    assert [(rank, int(line)) for rank in (0, 1) for line in _lines(graph, rank)] == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
    ]
    kinds = {
        (int(rank), int(kind)): int(line)
        for rank, kind, line in zip(_ranks(graph), graph.kind, graph.line, strict=True)
        if kind != _core.Kind.calc
    }
    send, recv = int(_core.Kind.send), int(_core.Kind.recv)
    assert (kinds[0, send], kinds[0, recv]) == (1, 2)
    computed = graph.value[(graph.kind == _core.Kind.calc) & (graph.line == 1)]
    assert 10_000 in computed.tolist()  # without the 4 µs
    assert [notice.code for notice in program.warnings] == [
        "tracer-left-out",
        "thread-waits-unseen",
    ]
    assert known(latitude.analyze(program).baseline.lambda_L) > 0


def _ranks(graph: _core.Graph) -> Any:
    return np.repeat(np.arange(graph.ranks), np.diff(graph.rank_begin))


def _lines(graph: _core.Graph, rank: int) -> list[int]:
    return sorted(set(graph.line[_ranks(graph) == rank].tolist()))


def test_a_thread_of_no_rank_must_not_call_mpi(tmp_path: Path) -> None:
    with archive(tmp_path / "run", 1) as run:
        (rank,) = run.ranks
        stranger = run.stranger()
        _begin(rank)
        stranger.call("MPI_Barrier", 2000, 3000)
        rank.call("MPI_Finalize", 5000, 6000)
    with pytest.raises(InputError, match="calls MPI, but its process has no rank, or several"):
        latitude.load(tmp_path / "run")


def test_it_is_read_from_disk_only(tmp_path: Path) -> None:
    path = _message(tmp_path / "run")
    with tarfile.open(tmp_path / "run.tar", "w") as tar:
        tar.add(path, "run")
    with pytest.raises(InputError, match="otf2 is read from files on disk only; unpack them first"):
        latitude.load(tmp_path / "run.tar")


def test_doctor_tells_whether_it_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    form = _core.trace_format("otf2")
    assert form.needs_library
    (found,) = libraries.trace_formats()
    assert (found.name, found.state, found.remedy) == ("otf2", OK, "")

    class Without:
        name = "otf2"
        needs_library = True

        def problem(self) -> str:
            return "its library is not installed"

    monkeypatch.setattr(libraries, "formats", lambda: (Without(),))
    (found,) = libraries.trace_formats()
    assert (found.state, found.remedy) == (MISSING, "its library is not installed")


def test_the_python_package_brings_the_library(tmp_path: Path) -> None:
    """Uses the library inside OTF2's package if that can be imported."""
    _message(tmp_path)
    ended = started(
        (sys.executable, "-c", _LIBRARY, str(tmp_path / "traces.otf2")),
        {**os.environ, "PYTHONPATH": str(WRITER)},
    )
    assert ended.returncode == 0, ended.stderr
    ranks, library = ended.stdout.splitlines()
    assert ranks == "2"
    assert Path(library).parent == WRITER / "_otf2"
