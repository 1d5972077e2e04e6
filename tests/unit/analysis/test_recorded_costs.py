"""Calls that cost what they took in the recorded run: T is that run's, and goes on with L."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latitude import InputError, Network, analyze, load, read
from latitude.analysis.recorded_costs import measured_for, recorded_costs
from latitude.analysis.stream import analyze_stream
from latitude.model.links import AddedLatency
from latitude.model.theta import Sweep
from latitude.results.analysis import Analysis
from latitude.trace.costs import RecordedCosts
from latitude.trace.pieces import open_in_pieces
from latitude.trace.program import Program
from latitude.trace.transports import Transports
from support.called import CalledRank, written
from support.command import Run
from support.oracle.proved import proof_of
from support.paths import EXAMPLES, TRACES

NETWORK = Network(L=1_000.0, o=400.0, G=0.0, S=4096, given=frozenset({"L", "o", "G", "S"}))
STEP, COUNT, SEND, RECEIVE = 10_000, 40, 700, 900
LULESH = EXAMPLES / "lulesh-8-i20-s8.tar.xz"


def costs_of(path: Path, network: Network = NETWORK) -> RecordedCosts:
    return recorded_costs(read(path), network)


def of_recorded(path: Path, network: Network = NETWORK) -> Program:
    return load(path, costs=costs_of(path, network))


def one_way(directory: Path, late: int = 5_000, size: int = 8, cores: int = 8) -> Path:
    """Rank 0 sends, each time for longer, and rank 1 receives `late` ns after that has begun."""
    first, other = CalledRank(0), CalledRank(1)
    for each in (first, other):
        each.meta["cores"] = cores
    for number in range(COUNT):
        at = 1_000 + number * STEP
        first.send(at, SEND + number, 1, size)
        other.receive(at + late, RECEIVE, 0, size)
    return written(directory, first, other)


def overheads_of(found: Analysis) -> float:
    """Number of o on the critical path."""
    assert found.baseline.path is not None
    return found.baseline.path.lambda_o


def test_t_is_what_the_run_took(tmp_path: Path) -> None:
    """The receiver is late each time, so it has computed and received all along."""
    path = one_way(tmp_path / "t")
    program = of_recorded(path)
    recorded = program.run
    assert recorded is not None
    assert analyze(program, NETWORK).T_ns == recorded.runtime_ns
    assert analyze(load(path), NETWORK).T_ns != recorded.runtime_ns


def test_a_message_leaves_when_the_call_that_sends_it_is_over(tmp_path: Path) -> None:
    """Then L comes, and what a receive takes that finds its message there."""
    path = one_way(tmp_path / "t")
    program = of_recorded(path)
    for L in (20_000.0, 30_000.0):
        found = analyze(program, Network(L=L, o=400.0, G=0.0, S=4096))
        sent = 1_000 - 100 + (COUNT - 1) * STEP + SEND + COUNT - 1
        assert found.T_ns == sent + L + RECEIVE + 1_000
        assert found.sensitivity.slope == 1


def test_costs_are_those_of_calls_that_found_all_there(tmp_path: Path) -> None:
    (receive,) = costs_of(one_way(tmp_path / "t")).ends
    assert (receive.call, receive.service, receive.to_bytes) == ("MPI_Recv", "receive", 8)
    assert (receive.calls, receive.ns) == (COUNT, RECEIVE)
    assert costs_of(one_way(tmp_path / "late", late=SEND)).ends == []


def test_one_receive_of_many_that_need_not_wait_tells_no_cost(tmp_path: Path) -> None:
    first, other = CalledRank(0), CalledRank(1)
    for number in range(COUNT):
        at = 1_000 + number * STEP
        first.send(at, SEND, 1, 8)
        other.receive(at + (5_000 if number == 0 else SEND), RECEIVE, 0, 8)
    assert costs_of(written(tmp_path / "t", first, other)).ends == []


def test_what_may_wait_costs_what_the_network_says(tmp_path: Path) -> None:
    """A rendezvous, or a receive of which none found its message there."""
    path = one_way(tmp_path / "t", size=5_000)
    found, plain = (analyze(p, NETWORK) for p in (of_recorded(path), load(path)))
    assert found.T_ns == plain.T_ns
    assert overheads_of(found) == overheads_of(plain) > 0
    late = one_way(tmp_path / "late", late=SEND)
    assert overheads_of(analyze(of_recorded(late), NETWORK)) == 1


def meeting(directory: Path, late: int, took: int, tracer_ns: int = 0) -> Path:
    """Both ranks call MPI_Barrier, rank 0 `late` ns before rank 1."""
    ranks = [CalledRank(number, meta={"null_call_ns": tracer_ns}) for number in range(2)]
    for number in range(COUNT):
        at = 1_000 + number * STEP
        ranks[0].barrier(at, late + took)
        ranks[1].barrier(at + late, took)
    return written(directory, *ranks)


@pytest.mark.parametrize("tracer_ns", [0, 60])
def test_a_collective_costs_what_it_takes_once_all_have_come(
    tracer_ns: int, tmp_path: Path
) -> None:
    path = meeting(tmp_path / "t", late=2_000, took=5_000, tracer_ns=tracer_ns)
    (cost,) = costs_of(path).collectives
    assert (cost.call, cost.members, cost.calls) == ("MPI_Barrier", 2, COUNT)
    assert cost.took_ns == 5_000 - tracer_ns
    assert cost.ns == cost.took_ns - NETWORK.L
    (other,) = recorded_costs(read(path), NETWORK, added=AddedLatency(300)).collectives
    assert other.ns == cost.ns - 300


def test_the_tracers_own_time_does_not_part_the_ranks(tmp_path: Path) -> None:
    """Each gap of rank 0 has 90 ns of the tracer's, and rank 1 has as many calls without."""
    first, other = CalledRank(0, meta={"null_gap_ns": 90}), CalledRank(1)
    for number in range(COUNT):
        at = 1_000 + number * STEP
        first.send(at, SEND, 1, 8)
        other.receive(at + SEND + 1_801, RECEIVE, 0, 8)
    (receive,) = costs_of(written(tmp_path / "t", first, other)).ends
    assert receive.calls == COUNT


def test_a_rank_starts_when_it_left_mpi_init(tmp_path: Path) -> None:
    path = one_way(tmp_path / "t")
    costs = costs_of(path)
    assert costs.starts_ns == [0, 0]
    later = RecordedCosts(costs.ends, costs.collectives, costs.eager_bytes, [0, 7_000])
    found, before = (analyze(load(path, costs=each), NETWORK) for each in (later, costs))
    assert found.T_ns == before.T_ns + 7_000


def test_the_result_says_whose_costs_it_has(tmp_path: Path, latitude: Run) -> None:
    path = one_way(tmp_path / "t")
    assert analyze(load(path), NETWORK).model.costs is None
    assert analyze(of_recorded(path), NETWORK).model.costs == costs_of(path)
    network = ["--L", "1us", "--o", "400ns", "--G", "0", "--S", "4KiB"]
    shown = latitude("analyze", path, *network, "--costs", "recorded")
    assert "Calls cost what they took in the recorded run" in " ".join(shown.stdout.split())


MEASURED = """
[network]
L = "1us"
o = "400ns"
G = "0ns/B"
S = "4KiB"
[network.draws]
L = ["1us", "1.1us"]
o = ["400ns", "350ns"]
"""


@pytest.mark.parametrize(
    ("network", "more", "recorded"),
    [
        (MEASURED, [], True),
        (MEASURED, ["--costs", "loggps"], False),
        (MEASURED, ["--latency", "1us:3us", "--what-if", "balanced"], True),
        (MEASURED, ["--o", "400ns"], False),
        (MEASURED, ["--collective", "barrier=dissemination"], False),
        (MEASURED, ["--compute-scale", "0.5"], False),
        (MEASURED, ["--intra", "L=2us"], False),
        (MEASURED, ["--replay"], False),
        (MEASURED, ["--stream"], False),
        (MEASURED.split("[network.draws]", maxsplit=1)[0], [], False),
    ],
)
def test_one_run_on_its_measured_network_has_its_costs(
    tmp_path: Path, latitude: Run, network: str, more: list[str], recorded: bool
) -> None:
    path, file = one_way(tmp_path / "t"), tmp_path / "cluster.toml"
    file.write_text(network)
    shown = latitude("analyze", path, "--network", file, "--json", "-", *more).stdout
    assert (json.loads(shown)["model"]["costs"] is not None) == recorded


def test_costs_of_another_network_are_not_those_of_the_run(tmp_path: Path) -> None:
    """A network over other transports than the run's keeps its own o."""
    recording = read(one_way(tmp_path / "t"))
    over, other = Transports(used=("tcp",)), Transports(used=("cma", "sysv"))
    draws = {"L": (1e3, 1.1e3)}
    for measured, traced, same in [
        (None, None, True),
        (over, None, True),
        (over, over, True),
        (over, other, False),
    ]:
        network = replace(NETWORK, draws=draws, measured=measured, traced=traced)
        assert measured_for(recording, network) is same
    assert not measured_for(recording, NETWORK)
    assert not measured_for(read(LULESH), replace(NETWORK, draws=draws)), "who had a core?"
    for clock in ("wall", "auto"):
        crowded = read(one_way(tmp_path / clock, cores=1), clock=clock)
        assert not measured_for(crowded, replace(NETWORK, draws=draws)), clock


def test_traces_that_do_not_tell_are_refused(tmp_path: Path) -> None:
    goal = tmp_path / "a.goal"
    goal.write_text("num_ranks 1\nrank 0 {\nl1: calc 5\n}\n")
    with pytest.raises(InputError, match=r"costs: .*a\.goal has no MPI calls"):
        costs_of(goal)
    cpu = next(TRACES.glob("lulesh-8-i20-s8-cpuclock*"), None)
    if cpu is None:
        pytest.skip("no shared traces here")
    assert costs_of(cpu).starts_ns == []


def test_a_comparison_has_no_recorded_costs(tmp_path: Path, refused: Callable[..., str]) -> None:
    said = refused("analyze", tmp_path, "--costs", "recorded", "--compare", "S=1KiB,8KiB")
    assert "leave out --costs recorded" in said


def test_an_analysis_is_proved_by_exact_sums() -> None:
    assert proof_of(LULESH, "--costs", "recorded", "--o", "400ns").rejections == []


def test_streamed_it_says_the_same(tmp_path: Path) -> None:
    path = one_way(tmp_path / "t")
    costs = costs_of(path)
    found: Analysis = analyze_stream(open_in_pieces(path, costs=costs), NETWORK)
    expected = analyze(load(path, costs=costs), NETWORK)
    assert found.T_ns == expected.T_ns
    assert found.sensitivity.slope == expected.sensitivity.slope
    assert found.model.costs == costs
    ours, theirs = found.baseline.path, expected.baseline.path
    assert ours is not None
    assert theirs is not None
    assert ours.overhead_ns == pytest.approx(theirs.overhead_ns)
    assert ours.calc_ns == pytest.approx(theirs.calc_ns)


def test_o_has_no_part_in_it(tmp_path: Path) -> None:
    found = analyze(of_recorded(one_way(tmp_path / "t")), NETWORK, sweep=Sweep.parse("o=0:1us"))
    assert np.unique(found.curve.T_ns).size == 1
