"""o and O of a trace: traces whose calls cost what is known, and real ones."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latitude import InputError, Network, analyze, load
from latitude.analysis.overheads import traced_overheads
from latitude.analysis.prediction import not_known
from latitude.model.network import warnings_of
from latitude.model.overheads import TracedOverheads
from latitude.model.rules import Rule
from support.called import CalledRank, written
from support.command import Run
from support.oracle.proved import proof_of
from support.paths import TRACES
from support.schemas import document
from support.sections import known

NETWORK = Network(L=1_000.0, o=400.0, G=0.1, S=4096, given=frozenset({"L", "o", "G", "S"}))
SEND, RECEIVE = 700, 900
STEP, LATE = 10_000, 5_000
COUNT = 200
Costs = Callable[[int], int]


def one_way(
    directory: Path,
    sends: Costs = lambda _: SEND,
    receives: Costs = lambda _: RECEIVE,
    late: int = LATE,
    size: Costs = lambda _: 8,
    **meta: object,
) -> Path:
    """Rank 0 sends, rank 1 receives `late` ns after the send has begun."""
    first, other = CalledRank(0, meta=meta), CalledRank(1, meta=meta)
    for number in range(COUNT):
        at = 1_000 + number * STEP
        first.send(at, sends(number), 1, size(number))
        other.receive(at + late, receives(number), 0, size(number))
    return written(directory, first, other)


def found(path: Path, network: Network = NETWORK) -> TracedOverheads:
    overheads = traced_overheads(network, path).overheads
    assert overheads is not None
    return overheads


def test_undisturbed_it_is_what_calls_cost(tmp_path: Path) -> None:
    overheads = found(one_way(tmp_path / "t"))
    assert (overheads.send_ns, overheads.receive_ns) == (SEND, RECEIVE)
    assert (overheads.o_ns, overheads.low_ns, overheads.high_ns) == (800, 800, 800)
    assert overheads.O_ns_per_byte is None
    assert overheads.one_clock
    rows = [(each.call, each.service, each.ends, each.calls, each.o_ns) for each in overheads.costs]
    assert rows == [
        ("MPI_Send", "send", COUNT, COUNT, SEND),
        ("MPI_Recv", "receive", COUNT, COUNT, RECEIVE),
    ]


def test_what_the_tracer_adds_to_a_call_is_not_the_calls(tmp_path: Path) -> None:
    overheads = found(one_way(tmp_path / "t", null_call_ns=40))
    assert (overheads.send_ns, overheads.receive_ns) == (SEND - 40, RECEIVE - 40)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_calls_that_lose_their_core_do_not_count(tmp_path: Path, share: float) -> None:
    """A share ε of calls that take 100 µs longer puts the median at quantile 0.5 / (1 - ε)."""
    random = np.random.default_rng(7)
    costs = {cost: random.normal(cost, 0.05 * cost, COUNT) for cost in (SEND, RECEIVE)}
    quantile = {cost: np.quantile(own, 0.5 / (1 - share)) for cost, own in costs.items()}
    for own in costs.values():
        own[random.permutation(COUNT)[: round(share * COUNT)]] += 3_000
    path = one_way(
        tmp_path / "t",
        lambda number: int(costs[SEND][number]),
        lambda number: int(costs[RECEIVE][number]),
    )
    overheads = found(path)
    assert overheads.send_ns == pytest.approx(quantile[SEND], rel=0.015)
    assert overheads.receive_ns == pytest.approx(quantile[RECEIVE], rel=0.015)
    assert overheads.o_ns == pytest.approx(800, rel=0.045)
    assert overheads.low_ns < overheads.o_ns < overheads.high_ns


def test_where_every_receive_waits_o_is_that_of_sends(tmp_path: Path) -> None:
    """A message of 8 B travels up to L + 2 o + 7 G = 1,800.7 ns after its send has returned."""
    waiting = one_way(tmp_path / "t", late=SEND + 1_800)
    network = traced_overheads(NETWORK, waiting)
    overheads = network.overheads
    assert overheads is not None
    assert (overheads.o_ns, overheads.send_ns, overheads.receive_ns) == (SEND, SEND, None)
    assert overheads.waited == COUNT
    (notice,) = warnings_of(network)
    assert notice.code == "overheads-of-one-end"
    assert f"{COUNT} receives may have waited" in notice.message
    assert found(one_way(tmp_path / "early", late=SEND + 1_801)).receive_ns == RECEIVE
    based = traced_overheads(NETWORK, tmp_path / "early", base_ns=1.0).overheads
    assert based is not None
    assert based.receive_ns is None


def test_a_cost_per_byte(tmp_path: Path) -> None:
    sizes = [1, 65, 1025, 4001]
    path = one_way(
        tmp_path / "t",
        lambda number: 500 + (sizes[number % 4] - 1) // 4,
        lambda number: 600 + (sizes[number % 4] - 1) // 2,
        size=lambda number: sizes[number % 4],
    )
    overheads = found(path)
    assert overheads.o_ns == pytest.approx(550)
    assert overheads.O_ns_per_byte == pytest.approx(0.375)
    assert overheads.send_ns == pytest.approx(500)
    network = traced_overheads(NETWORK, path)
    assert overheads.O_ns_per_byte == network.O
    assert network.G == 0  # of each byte's 0.1 ns nothing is left for the wire


def test_a_cost_per_byte_is_not_carried_on_to_much_larger_messages(tmp_path: Path) -> None:
    """Sizes of 1 and 65 bytes tell nothing of a message of 16 KiB, which is a rendezvous."""
    for largest, told in ((260, True), (16_384, False)):
        sizes = [largest if number == 50 else 1 + 64 * (number % 2) for number in range(COUNT)]
        path = one_way(
            tmp_path / str(largest),
            lambda number: 500 + 64 * (number % 2),
            size=sizes.__getitem__,
        )
        overheads = found(path)
        assert (overheads.O_ns_per_byte is not None) is told
        assert overheads.send_ns == pytest.approx(500 if told else 532, rel=0.01)


def test_messages_above_the_limit_tell_nothing(tmp_path: Path) -> None:
    path = one_way(tmp_path / "t", size=lambda number: 8 if number % 2 else 5000)
    overheads = found(path)
    assert overheads.rendezvous == COUNT
    assert {each.to_bytes for each in overheads.costs} == {8}
    both = traced_overheads(replace(NETWORK, S=5000), path).overheads
    assert both is not None
    assert both.rendezvous == 0


def test_receives_that_are_posted_and_completed_cost_both(tmp_path: Path) -> None:
    """Three at a time; a wait for four that it served alike costs each its part."""
    first, other = CalledRank(0), CalledRank(1)
    for number in range(COUNT):
        at = 1_000 + number * 10 * STEP
        requests = [other.ireceive(at + 100 * i, 60, 0, 8) for i in range(3)]
        sends = [first.isend(at + 1_000 * i, 300, 1, 8) for i in range(3)]
        first.wait(at + 4_000, 50, *sends)
        other.wait(at + STEP, 1_500, *requests)
    overheads = found(written(tmp_path / "t", first, other))
    assert overheads.receive_ns == 60 + 500
    assert overheads.send_ns == 300  # what completes them may wait for the network
    assert overheads.o_ns == 430


def test_kinds_of_calls_count_by_the_messages_that_they_serve(tmp_path: Path) -> None:
    """Two of three receives belong to exchanges with as many sends; or one of two is early."""
    first, other = CalledRank(0), CalledRank(1)
    for number in range(COUNT):
        at = 1_000 + number * 2 * STEP
        first.send(at, SEND, 1, 8)
        first.exchange(at + 1_000, 600, 1, 8)
        other.receive(at + LATE, RECEIVE, 0, 8)
        other.exchange(at + STEP, 600, 0, 8)  # what it receives has been there for long
    overheads = found(written(tmp_path / "exchanged", first, other))
    assert overheads.send_ns == pytest.approx((SEND + 2 * 300) / 3)
    assert overheads.receive_ns == pytest.approx((RECEIVE + 2 * 300) / 3)
    assert overheads.waited == COUNT  # the first rank's
    first, other = CalledRank(0), CalledRank(1)
    for number in range(COUNT):
        at = 1_000 + number * 2 * STEP
        for i in range(2):
            first.send(at + 1_000 * i, SEND, 1, 8)
        request = other.ireceive(at, 60, 0, 8)
        other.wait(at + LATE, 500, request)
        other.receive(at + STEP, RECEIVE, 0, 8)
    overheads = found(written(tmp_path / "posted", first, other))
    assert overheads.receive_ns == pytest.approx((500 + RECEIVE) / 2 + 60 / 2)


def test_a_large_message_travels_as_long_as_its_bytes_take_to_copy(tmp_path: Path) -> None:
    """One of 1,001 bytes up to L + 2 o + 1,000 (G + O) = 2,800 ns."""
    network = replace(NETWORK, O=0.9)
    for late, received in ((SEND + 2_799, None), (SEND + 2_800, RECEIVE)):
        path = one_way(tmp_path / str(late), late=late, size=lambda _: 1_001)
        assert found(path, network).receive_ns == received


def test_rows_are_of_powers_of_two(tmp_path: Path) -> None:
    sizes = [0, 1, 2, 3, 4, 5, 8, 9, 1024, 1025]
    overheads = found(one_way(tmp_path / "t", size=lambda number: sizes[number % len(sizes)]))
    rows = [(each.from_bytes, each.to_bytes, each.ends) for each in overheads.costs]
    each_size = COUNT // len(sizes)
    assert rows[: len(rows) // 2] == [
        (0, 1, 2 * each_size),
        (2, 2, each_size),
        (3, 4, 2 * each_size),
        (5, 8, 2 * each_size),
        (9, 16, each_size),
        (513, 1024, each_size),
        (1025, 2048, each_size),
    ]


def test_intervals_hold_90_percent_of_the_replicates(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    path = one_way(tmp_path / "t", lambda _: int(random.integers(400, 1_000)))
    every = {"o": tuple(float(o) for o in range(300, 500))}  # each replicate has its own place
    network = traced_overheads(replace(NETWORK, draws=every), path)
    overheads = network.overheads
    assert overheads is not None
    o = np.array(network.draws["o"])
    assert o.size == 200
    assert np.mean(o < overheads.low_ns) == pytest.approx(0.05, abs=0.006)
    assert np.mean(o > overheads.high_ns) == pytest.approx(0.05, abs=0.006)


def test_half_a_round_trip_stays_what_it_was(tmp_path: Path) -> None:
    path = one_way(tmp_path / "t")
    draws = {"L": (990.0, 1_010.0), "o": (405.0, 395.0), "G": (0.1, 0.2)}
    measured = Network.parse(
        {"L": "1000ns", "o": "400ns", "G": "0.1ns/B"},
        rules=[Rule("same node", "900ns")],
        draws={name: [f"{v}{'ns/B' if name == 'G' else 'ns'}" for v in values]
               for name, values in draws.items()},
    )  # fmt: skip
    network = traced_overheads(measured, path)
    assert (network.L, network.o, network.G) == (200, 800, 0.1)
    assert network.rules == (Rule("same node", 100.0),)
    assert network.draws == {"L": (200, 200), "o": (800, 800), "G": (0.1, 0.2)}
    assert network.overheads is not None
    assert network.overheads.excess_ns == 0
    assert not [each for each in not_known(1, network) if each.startswith("how exact")]
    stays = traced_overheads(measured, path, fixed=["L"])
    assert (stays.L, stays.o) == (1_000, 800)
    assert stays.draws["L"] == draws["L"]


def test_what_each_byte_adds_stays_what_it_was(tmp_path: Path) -> None:
    """G + O = 0.7 ns per byte, of which the trace's O is 0.375; in each replicate, too."""
    sizes = [1, 65, 1025, 4001]
    path = one_way(
        tmp_path / "t",
        lambda number: 500 + (sizes[number % 4] - 1) // 4,
        lambda number: 600 + (sizes[number % 4] - 1) // 2,
        late=9_000,
        size=lambda number: sizes[number % 4],
    )
    draws = {"G": (0.5, 0.55, 0.65), "O": (0.2, 0.15, 0.1)}
    measured = replace(
        NETWORK,
        G=0.5,
        O=0.2,
        rules=(Rule("same node", 900.0, 0.4),),
        given=NETWORK.given | {"O"},
        draws=draws,
    )
    network = traced_overheads(measured, path)
    per_byte = (network.O, network.G, network.rules[0].G)
    assert per_byte == pytest.approx((0.375, 0.325, 0.225))
    assert network.draws["O"] == pytest.approx((0.375,) * 3, rel=1e-3)
    assert network.draws["G"] == pytest.approx((0.325, 0.325, 0.375), rel=1e-3)
    stays = traced_overheads(measured, path, fixed=["G"])
    assert (stays.G, stays.draws["G"]) == (0.5, draws["G"])


def test_an_l_that_nobody_measured_with_an_o_stays(tmp_path: Path) -> None:
    network = traced_overheads(Network.parse({"L": "1us"}), one_way(tmp_path / "t", late=9_000))
    assert (network.L, network.o) == (1_000, 800)
    assert set(network.draws) == {"o"}
    assert len(network.draws["o"]) == 50


def test_overheads_beyond_half_a_round_trip_are_told(tmp_path: Path) -> None:
    short = Network.parse({"L": "0ns", "o": "300ns"})
    network = traced_overheads(short, one_way(tmp_path / "t"))
    assert (network.L, network.o) == (0, 800)
    assert network.overheads is not None
    assert network.overheads.excess_ns == 1_000
    assert "overheads-long" in [notice.code for notice in warnings_of(network)]


def test_predictions_are_as_uncertain_as_o(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    path = one_way(tmp_path / "t", lambda _: int(random.integers(400, 1_000)))
    network = traced_overheads(NETWORK, path)
    result = analyze(load(path), network, latency="0us:20us")
    interval = known(result.intervals).T_ns
    assert interval is not None
    assert interval.low < result.baseline.T_ns < interval.high


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: one_way(path, size=lambda _: 9_000), f"{2 * COUNT} ends of rendezvous"),
        (lambda path: one_way(path, mpi="none: synthetic"), "synthesized trace"),
    ],
)
def test_what_does_not_tell_is_said(
    tmp_path: Path, make: Callable[[Path], Path], message: str
) -> None:
    with pytest.raises(InputError, match=message) as refused:
        traced_overheads(NETWORK, make(tmp_path / "t"))
    assert "give --o TIME" in str(refused.value)


def test_goal_files_hold_no_calls(two_ranks: Path) -> None:
    with pytest.raises(InputError, match="has no MPI calls"):
        traced_overheads(NETWORK, two_ranks)


def test_on_the_command_line(
    tmp_path: Path,
    latitude: Run,  # the command
    refused: Callable[..., str],
) -> None:
    def ok(*words: object) -> str:
        ended = latitude(*words)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    path = one_way(tmp_path / "t", late=9_000)
    made = tmp_path / "a.json"
    said = ok("analyze", path, "--o", "trace", "--L", "1us", "--json", made)
    assert "o is the trace’s: send 700 ns, receive 900 ns; o = 800 ns (800 ns … 800 ns)" in said
    assert "MPI_Recv" in said
    model = document(made.read_text(encoding="utf-8"))["model"]
    assert (model["o_ns"], model["L_ns"]) == (800, 1_000)
    assert "o" not in model["defaults"]
    assert model["overheads"]["receive_ns"] == 900
    assert proof_of(path, "--o", "trace", "--L", "1us").rejections == []
    compared = tmp_path / "c.json"
    two = ("--compare", "S=1KiB,2KiB", "--json", compared)
    ok("analyze", path, "--o", "trace", "--L", "1us", *two)
    for each in document(compared.read_text(encoding="utf-8"))["alternatives"]:
        assert each["network"]["o"] == "800 ns"
    refusal = refused("analyze", path, "--o", "trace", "--O", "1ns/B")
    assert "leave out --O" in refusal
    assert "--o trace needs the whole graph" in refused("analyze", path, "--o", "trace", "--stream")


@pytest.mark.traces
@pytest.mark.parametrize("path", sorted(TRACES.glob("*.tar.xz")), ids=lambda path: path.name)
def test_real_traces_tell_or_say_why_not(path: Path) -> None:
    """All of one core each; MPI on such a machine takes some 100 ns to a few µs per message."""
    try:
        overheads = found(path, Network())
    except InputError as error:
        assert "does not show the cost of calls" in str(error)  # noqa: PT017 - either is right
        return
    told = [notice.code for notice in warnings_of(Network(overheads=overheads))]
    assert 100 <= overheads.o_ns <= 6_000 or "overheads-large" in told
    assert overheads.o_ns <= 50_000 or "overheads-large" in told
    assert overheads.low_ns <= overheads.o_ns <= overheads.high_ns
    assert not overheads.one_clock
