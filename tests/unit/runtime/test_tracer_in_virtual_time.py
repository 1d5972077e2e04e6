"""The tracer in virtual time: what a program computes between its calls, to the ns.

Whatever the tracer takes itself (looks at the clock, calls of its own, writing) is nobody's
computation. The trace is read as the product reads it.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest

from latitude import _core
from support.compiling import STRICT, beside, built
from support.mpi.lat_format import read_rank
from support.needed import needed
from support.paths import RUNTIME
from support.virtual import building

TRACER = RUNTIME / "tracer"
VIRTUAL = TRACER / "tests" / "virtual"
MPICC = "mpicc.mpich"
"""Only its mpi.h is used: the MPI is one of virtual time, by the same binary interface."""
CALC, MS, SECOND = 0, 1_000_000, 1_000_000_000
LOOKS = [1, 25, 400]


@pytest.fixture(scope="session")
def program() -> Path:
    """The program, between it and an MPI the tracer."""
    needed(MPICC, "need-mpi.sh")
    flags = [*STRICT, *building.flags("tracer"), *building.declared_flags(MPICC)]
    common = [*STRICT, "-O1", "-g"]
    tracer = built("libtracer.so", *flags, *building.sources("tracer"), compiler=MPICC)
    mpi = built("libvirtual.so", *common, "-shared", "-fPIC", VIRTUAL / "virtual_pmpi.c")
    sources = (VIRTUAL / "virtual_calls.c", building.CLOCK)
    libraries = (*beside(tracer), *beside(mpi), "-Wl,--as-needed")
    return built("calls", *common, "-rdynamic", *sources, *libraries, compiler=MPICC)


class Traced:
    """Runs of the program, and what is read of them."""

    def __init__(self, program: Path, directory: Path) -> None:
        self.program, self.trace = program, directory / "trace"

    def __call__(
        self,
        actions: str,
        look: int = 25,
        own: int = 0,
        write: int = 0,
        clock: str = "wall",
        **environment: str,
    ) -> list[int]:
        """The computations between messages, ns, in their order."""
        shutil.rmtree(self.trace, ignore_errors=True)
        environment |= {"LATITUDE_TRACE_DIR": str(self.trace), "LATITUDE_CLOCK": clock}
        words = [look, own, write, *actions.split()]
        assert building.ran(self.program, *words, environment=environment) == []
        trace = _core.trace_format("latitude").read([str(self.trace / "rank-0000000.lat")])
        self.wall_ns, self.events = trace.wall_ns, trace.events
        graph = _core.build_graph(trace)
        found: list[int] = graph.value[(graph.kind == CALC) & (graph.value > 0)].tolist()
        return found


@pytest.fixture
def traced(program: Path, tmp_path: Path) -> Traced:
    return Traced(program, tmp_path)


@pytest.mark.parametrize("look", LOOKS)
def test_a_gap_is_the_computation(traced: Traced, look: int) -> None:
    actions = "pass:1000 send:300 pass:1 recv:20 pass:123456789 send:5000 pass:77 recv:1 pass:9"
    assert traced(actions, look=look) == [1000, 1, 123456789, 77, 9]


@pytest.mark.parametrize("look", LOOKS)
def test_calls_that_follow_at_once_have_nothing_between_them(traced: Traced, look: int) -> None:
    assert traced("send:300 recv:20 send:300 recv:20", look=look) == []


def test_a_call_that_was_not_done_is_computation(traced: Traced) -> None:
    """A test that finds nothing, where no test finds something: the program did something else."""
    actions = "pass:1000 isend:10 pass:5 test:30:0 test:31:0 pass:2 recv:1 pass:7 wait:1 pass:3"
    computed = traced(actions, look=1)
    assert computed == [1000, pytest.approx(5 + 30 + 31 + 2, abs=3), 7, 3]


@pytest.mark.parametrize("clock", ["wall", "cpu"])
def test_polls_until_one_finds_something_are_a_wait(traced: Traced, clock: str) -> None:
    """The first poll, and what the program does between polls, are computation."""
    polls = "test:30:0 pass:4 " * 200
    actions = f"pass:1000 isend:10 pass:5 {polls}test:30:1 pass:7 recv:1 pass:3"
    computed = traced(actions, look=1, clock=clock)
    assert computed == [1000, pytest.approx(5 + 30 + 200 * 4, abs=15), 7, 3]
    rank = read_rank(traced.trace / "rank-0000000.lat")
    assert rank.poll_ns == 30
    (failed,) = (each for each in rank.events if each.call == "latitude_polls")
    assert failed.fields == [("n", 2 * 200)]
    assert rank.counts["MPI_Test"] == 201


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("own", [1, 700, MS])
def test_what_the_tracer_asks_mpi_itself_is_not_computed(
    traced: Traced, own: int, look: int
) -> None:
    """Members of a new communicator agree on its name after the call; the call is no message."""
    computed = traced("pass:1000 dup:300 pass:50 send:10 recv:10 pass:4", look=look, own=own)
    assert computed == [1000 + 50, 4]
    (made,) = read_rank(traced.trace / "rank-0000000.lat").named("Comm_dup")
    assert made.leave - made.enter == 300 + look  # the call's own time, and one look in it


@pytest.mark.parametrize("look", LOOKS)
def test_what_the_tracer_adds_to_a_call_is_known(traced: Traced, look: int) -> None:
    """Subtracts the one clock reading in virtual time; without it, calls take their true time."""
    traced("pass:1000 send:300 pass:50 recv:20 pass:4", look=look)
    rank = read_rank(traced.trace / "rank-0000000.lat")
    added = rank.meta["null_call_ns"]
    assert added == look
    took = [each.leave - each.enter - added for each in rank.named("Send", "Recv")]
    assert took == [300, 20]


def test_what_the_tracer_measures_of_itself_is_not_in_the_trace(traced: Traced) -> None:
    """Takes longer, on a busy machine, than a chunk waits to be written."""
    assert traced("pass:1000 send:300 pass:50 recv:20", look=2 * MS) == [1000, 50]
    assert traced.events == 2 + 2


def test_writing_is_not_computed(traced: Traced) -> None:
    """A chunk is written once a second; here that takes 5 ms."""
    actions = f"pass:{SECOND // 4} send:100 pass:1000 recv:100 " * 20
    computed = traced(actions, write=5 * MS)
    assert computed == [SECOND // 4, 1000] * 20
    assert traced.events == 2 + 40
    chunks = (traced.trace / "rank-0000000.lat").read_bytes().count(b"LTCK")
    traced(actions.replace(str(SECOND // 4), "1000"), write=5 * MS)
    at_once = (traced.trace / "rank-0000000.lat").read_bytes().count(b"LTCK")
    assert chunks - at_once == 5


@pytest.mark.parametrize("count", [1, 1017])
def test_a_file_that_takes_the_tracers_descriptor_is_left_alone(
    traced: Traced, tmp_path: Path, count: int
) -> None:
    """Opens 1,017 files, so that every number below 1,020 is taken, the tracer's among them."""
    actions = f"pass:{2 * SECOND} send:100 recv:1 " * 3
    computed = traced(f"{actions} seize:{count} {actions}", SEIZED=str(tmp_path / "mine"))
    assert computed == [2 * SECOND] * 6
    files = sorted(tmp_path.glob("mine-*"))
    assert len(files) == count
    assert {path.read_bytes() for path in files} == {b"mine"}


def test_a_full_chunk_is_written(traced: Traced) -> None:
    """64 KiB of events; the pause that follows is nobody's time."""
    calls = 6_000
    computed = traced("pass:200 send:100 pass:3 recv:1 " * (calls // 2), write=3 * MS)
    np.testing.assert_array_equal(computed, [200, 3] * (calls // 2))


def test_requests_keep_their_numbers_in_later_chunks(traced: Traced) -> None:
    """Each chunk tells its requests apart from the run's first one on, whatever came before it."""
    computed = traced(f"pass:{SECOND // 2} isend:10 pass:7 wait:10 recv:10 " * 12, write=5 * MS)
    assert computed == [SECOND // 2, 7] * 12
    assert (traced.trace / "rank-0000000.lat").read_bytes().count(b"LTCK") > 3


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("clock", ["wall", "cpu"])
def test_sleep_is_time_and_waiting_for_a_core_is_not(traced: Traced, look: int, clock: str) -> None:
    """`cpu`: as on a host with more ranks than cores. All clocks' looks are subtracted."""
    actions = f"pass:1000 sleep:{MS} pass:30 send:300 keep:{4 * MS} pass:9 recv:10 pass:2 "
    both = f"send:10 pass:{MS} keep:{3 * MS} sleep:{2 * MS} pass:5 recv:10"

    least = 0 if clock == "wall" else 2 * look  # the CPU clock is read after the wall clock
    found = np.array(traced(actions + both, look=look, clock=clock))
    off = found - (MS + 1030, 9, 2, 3 * MS + 5)
    # A wait that may lie in the call before the gap, or in a look, is not taken from the gap.
    assert (-least <= off).all()
    assert (off <= 310 + 10 * look).all()
    told = np.array(traced("blind:0 " + actions, look=look, clock=clock))
    off = told - ((MS if clock == "wall" else 0) + 1030, 9, 2)
    assert (-least <= off).all()
    assert (off <= 310 + 10 * look).all()


@pytest.mark.parametrize("clock", ["wall", "cpu"])
@pytest.mark.parametrize("what", ["keep", "steal"])
def test_a_thread_that_never_sleeps_waits_for_its_core(
    traced: Traced, what: str, clock: str
) -> None:
    """Also where the kernel does not count it: the processor ran another machine."""
    begin = f"pass:{2 * MS} send:30 "
    found = traced(begin + f"{what}:{4 * MS} pass:{MS} recv:10 sleep:{MS}", look=1, clock=clock)
    assert found == pytest.approx((2 * MS, MS, MS), abs=100)
    # A thread that has slept may have slept all the time that nobody counted.
    found = traced(begin + f"sleep:{2 * MS} {what}:{4 * MS} pass:{MS} recv:10", look=1, clock=clock)
    assert found == pytest.approx((2 * MS, (3 if what == "keep" else 7) * MS), abs=100)


def test_by_the_wall_clock_all_is_time(traced: Traced) -> None:
    traced(f"pass:{MS} keep:{4 * MS} pass:9 send:10 pass:3 recv:10", clock="wall")
    path = str(traced.trace / "rank-0000000.lat")
    graph = _core.build_graph(_core.trace_format("latitude").read([path], {"clock": "wall"}))
    computed = graph.value[(graph.kind == CALC) & (graph.value > 0)].tolist()
    assert computed == [5 * MS + 9, 3]


@pytest.mark.parametrize("blind", [False, True])
def test_what_the_rank_had_of_its_core_is_recorded(traced: Traced, blind: bool) -> None:
    words = "blind:0 " if blind else ""
    traced(f"{words}pass:{10 * MS} send:10 sleep:{2 * MS} recv:10 keep:{3 * MS} pass:{MS}", look=1)
    begin, end = read_rank(traced.trace / "rank-0000000.lat").usage
    wall, cpu = end[0] - begin[0], end[1] - begin[1]
    assert wall - cpu == pytest.approx(5 * MS, abs=5)
    assert end[6] == (0 if blind else begin[6] + 3 * MS)
    trace = _core.trace_format("latitude").read([str(traced.trace / "rank-0000000.lat")])
    assert trace.core_times is not None
    assert trace.core_times["waited_ns"] == (None if blind else 3 * MS)
    assert ("without-core" in [each.code for each in trace.warnings]) == (not blind)


def test_a_quiet_machine_has_no_absences(traced: Traced) -> None:
    """Gaps of 0.2 and 2 ms: what the looks cost is a short record, and none of the computation."""
    computed = traced(f"pass:{MS // 5} send:300 pass:{2 * MS} recv:10 " * 20)
    assert computed == [MS // 5, 2 * MS] * 20
    names = [each.call for each in read_rank(traced.trace / "rank-0000000.lat").events]
    assert "latitude_absence" not in names
    assert names.count("latitude_pause") <= 2 * 20 + 2


def test_what_starts_and_ends_a_rank_is_in_its_calls(traced: Traced) -> None:
    """The rank's time begins with MPI_Init, in which the tracer sets itself up."""
    assert traced("pass:1000", own=9_000, write=5 * MS) == [1000]
