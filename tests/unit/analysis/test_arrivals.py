"""--assume wildcards=arrival: a simulator of its own, closed forms, commands, what cannot be."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import latitude
from latitude import InputError, _core
from latitude.analysis.arrivals import matched
from support.arrivals_oracle import (
    ANY,
    Call,
    Simulator,
    random_polls,
    random_program,
    write_liballprof,
)
from support.dumpi_files import DOUBLE, WORLD, begun, i32, u16
from support.dumpi_files import write as write_dumpi
from support.tiers import first_of

Refused = Callable[..., str]
ASSUME = ["wildcards=arrival"]
L, O, G = 3000.0, 400.0, 0.05


def _network(latency: float = L, S: int = 1_000_000) -> latitude.Network:
    return latitude.Network(L=latency, o=O, G=G, S=S)


def _received(program: latitude.Program, network: latitude.Network, path: Path) -> list[list[int]]:
    """Rank → sizes of its received messages, in the order of completion."""
    _core.graph_format("goal").write(matched(program, network).graph, str(path), 1 << 40)
    ranks: list[list[int]] = []
    for line in path.read_text().splitlines():
        if line.startswith("rank "):
            ranks.append([])
        if found := re.match(r"l\d+: recv (\d+)b", line):
            ranks[-1].append(int(found[1]))
    return ranks


def _as_the_simulator_has_them(folder: Path, programs: list[list[Call]]) -> None:
    """Compares received messages of each rank, and T, at three latencies."""
    path = write_liballprof(folder / "run", programs)
    program = latitude.load(path, assume=ASSUME)
    for latency in (L / 10, L, L * 5):
        network = _network(latency)
        run = Simulator(programs, latency, O, G).run()
        assert _received(program, network, folder / "g.goal") == run.taken
        found = latitude.analyze(program, network).baseline.T_ns
        assert found == pytest.approx(run.T_ns, rel=1e-12, abs=1e-6)


@pytest.mark.parametrize("seed", first_of(range(60), 15))
def test_random_programs_as_a_simulator_of_its_own_has_them(tmp_path: Path, seed: int) -> None:
    draw = Random(seed)
    programs = random_program(draw, draw.randint(3, 6), draw.randint(1, 5))
    _as_the_simulator_has_them(tmp_path, programs)


@pytest.mark.parametrize("seed", first_of(range(200), 15))
def test_polls_complete_what_a_simulator_of_its_own_has_done(tmp_path: Path, seed: int) -> None:
    draw = Random(seed)
    programs = random_polls(draw, draw.randint(2, 5), draw.randint(1, 4))
    _as_the_simulator_has_them(tmp_path, programs)


def _two_senders(first_ns: int = 1000, second_ns: int = 2000) -> list[list[Call]]:
    """Rank 0 takes 100 B of rank 1 or 200 B of rank 2 first, and computes 50 µs between."""
    return [
        [Call("Recv", 0, ANY, 0, 1000), Call("Recv", 50_000, ANY, 0, 1000)],
        [Call("Send", first_ns, 0, 0, 100)],
        [Call("Send", second_ns, 0, 0, 200)],
    ]


@pytest.mark.parametrize(
    ("first_ns", "second_ns", "taken"),
    [(1000, 2000, [100, 200]), (2000, 1000, [200, 100]), (1000, 1000, [100, 200])],
)
def test_who_comes_first_is_taken_first(
    tmp_path: Path, first_ns: int, second_ns: int, taken: list[int]
) -> None:
    path = write_liballprof(tmp_path / "run", _two_senders(first_ns, second_ns))
    program = latitude.load(path, assume=ASSUME)
    assert _received(program, _network(), tmp_path / "g.goal")[0] == taken
    found = latitude.analyze(program, _network())
    first = min(first_ns, second_ns) + O + L + (taken[0] - 1) * G + O
    assert found.baseline.T_ns == pytest.approx(first + 50_000 + O)
    assert found.wildcards is not None
    assert (found.wildcards.assumed, found.wildcards.choices) == ("arrival", 2)
    [warning] = [each for each in found.warnings if each.code == "wildcards-assumed"]
    assert "2 receives from any source" in warning.message


def test_choices_that_other_latencies_make_otherwise_are_counted(tmp_path: Path) -> None:
    """Rank 1 answers rank 3, which takes two latencies; rank 2 sends after 6.5 µs."""
    programs = [
        [Call("Recv", 0, ANY, 0, 1000), Call("Recv", 0, ANY, 0, 1000)],
        [Call("Recv", 0, 3, 9, 10), Call("Send", 0, 0, 0, 100)],
        [Call("Send", 4500, 0, 0, 200)],
        [Call("Send", 0, 1, 9, 10)],
    ]
    path = write_liballprof(tmp_path / "run", programs)
    for latency, taken, otherwise in ((3000, [100, 200], 2), (9000, [200, 100], 0)):
        program = latitude.load(path, assume=ASSUME)
        assert _received(program, _network(latency), tmp_path / "g.goal")[0] == taken
        found = latitude.analyze(program, _network(latency)).wildcards
        assert found is not None
        assert (found.choices, found.otherwise) == (2, otherwise)


def test_what_can_be_known_is_no_choice(tmp_path: Path) -> None:
    programs = [
        [Call("Recv", 0, ANY, 1, 100), Call("Recv", 0, ANY, 2, 100), Call("Recv", 0, 2, 2, 100)],
        [Call("Send", 0, 0, 1, 10), Call("Send", 0, 0, 2, 11)],
        [Call("Send", 0, 0, 2, 12)],
    ]
    path = write_liballprof(tmp_path / "run", programs)
    found = latitude.analyze(latitude.load(path, assume=ASSUME), _network())
    assert found.wildcards is None
    assert found.baseline == latitude.analyze(latitude.load(path), _network()).baseline


def test_messages_of_one_rank_keep_their_order_in_a_rendezvous(tmp_path: Path) -> None:
    """The first is above the threshold: its data come after those of the second."""
    programs = [
        [Call("Recv", 9000, ANY, 0, 200_000), Call("Recv", 0, ANY, 0, 200_000)],
        [Call("Send", 0, 0, 0, 150_000), Call("Send", 0, 0, 0, 10)],
        [Call("Send", 50_000, 0, 5, 7)],
        [Call("Send", 60_000, 0, 0, 8)],
    ]
    programs[0] += [Call("Recv", 0, 2, 5, 10), Call("Recv", 0, ANY, ANY, 200_000)]
    path = write_liballprof(tmp_path / "run", programs)
    network = _network(S=1000)
    program = latitude.load(path, assume=ASSUME)
    assert _received(program, network, tmp_path / "g.goal")[0] == [150_000, 10, 7, 8]


def test_what_leaves_messages_over_is_one_line_with_the_cure(
    tmp_path: Path, refused: Refused
) -> None:
    """Both of rank 1's come first, and the receive that names it gets none."""
    programs = [
        [Call("Recv", 0, ANY, 0, 1000), Call("Recv", 0, ANY, 0, 1000), Call("Recv", 0, 1, 0, 1000)],
        [Call("Send", 0, 0, 0, 100), Call("Send", 0, 0, 0, 100)],
        [Call("Send", 9000, 0, 0, 100)],
    ]
    path = write_liballprof(tmp_path / "run", programs)
    said = refused("analyze", path, "--assume", "wildcards=arrival")
    assert (
        "wildcards=arrival: rank 0, line or record 4 (MPI_Recv) is left without a message" in said
    )
    assert "trace the program again with latitude trace" in said


def test_a_message_that_does_not_fit(tmp_path: Path) -> None:
    programs = _two_senders(1000, 2000)
    programs[0][0].bytes = 50
    path = write_liballprof(tmp_path / "run", programs)
    with pytest.raises(
        InputError, match="takes 50 B at most, and the message that comes first has"
    ):
        latitude.analyze(latitude.load(path, assume=ASSUME), _network())


def _polled(*calls: Call, sends: tuple[int, ...] = (100,), at_ns: int = 0) -> list[list[Call]]:
    """Rank 0 posts one receive per message at place 0, 1 and so on, then makes the calls.

    Rank 1 sends the messages, 10 µs apart from `at_ns` on: they are there 3.4 µs after that.
    """
    posts = [Call("Irecv", 0, 1, tag, 1000, tag) for tag in range(len(sends))]
    sent = [
        Call("Send", at_ns if tag == 0 else 10_000 - int(O), 0, tag, size)
        for tag, size in enumerate(sends)
    ]
    return [[*posts, *calls], sent]


def _analysed(tmp_path: Path, programs: list[list[Call]], S: int = 1_000_000) -> latitude.Analysis:
    path = write_liballprof(tmp_path / "run", programs)
    return latitude.analyze(latitude.load(path, assume=ASSUME), _network(S=S))


def _there(size: int = 100) -> float:
    return O + L + (size - 1) * G


@pytest.mark.parametrize("seed", first_of(range(40), 10))
def test_unrecorded_tests_stand_before_each_call(tmp_path: Path, seed: int) -> None:
    """The program as a recorder has it that leaves tests out, and as the simulator runs it."""
    draw = Random(seed)
    programs = random_polls(draw, draw.randint(2, 5), draw.randint(1, 5))
    posted = [[c for c in calls if c.name in ("Send", "Isend", "Irecv")] for calls in programs]
    without = [[replace(c, request=place) for place, c in enumerate(calls)] for calls in posted]
    path = write_liballprof(tmp_path / "run", without)
    for latency in (L / 10, L, L * 5):
        program = latitude.load(path, assume=ASSUME)
        run = Simulator([_tested(calls) for calls in without], latency, O, G).run()
        assert _received(program, _network(latency), tmp_path / "g.goal") == run.taken
        found = latitude.analyze(program, _network(latency))
        assert found.baseline.T_ns == pytest.approx(run.T_ns, rel=1e-12, abs=1e-6)


def _tested(calls: list[Call]) -> list[Call]:
    """The program with a test of all requests at the end of each gap between calls."""
    every = Call("Testsome", 0, count=len(calls))
    tested = []
    for call in calls:
        tested += [replace(every, before_ns=call.before_ns), replace(call, before_ns=0)]
    return [*tested, every]


def test_an_unrecorded_test_ends_before_the_place_is_used_again(
    tmp_path: Path, refused: Refused
) -> None:
    """Rank 0 posts at one place twice: before the second time, the first message must be there."""
    posts = [Call("Irecv", 0, 1, tag, 1000) for tag in (0, 1)]
    programs = [
        [*posts, Call("Send", 0, 1, 2, 8)],
        [Call("Send", 20_000, 0, 0, 8), Call("Recv", 0, 0, 2, 8), Call("Send", 0, 0, 1, 8)],
    ]
    path = write_liballprof(tmp_path / "run", programs)
    assert "first of 2 requests" in (said := refused("analyze", path))
    assert "--assume wildcards=arrival" in said
    found = latitude.analyze(latitude.load(path, assume=ASSUME), _network())
    assert found.baseline.T_ns == pytest.approx(20_000 + 3 * (_there(8) + O))
    [warning] = [each for each in found.warnings if each.code == "tests-unseen"]
    assert warning.message.startswith("2 requests were completed by tests")


@pytest.mark.parametrize(
    ("name", "count"), [("Test", 1), ("Testall", 1), ("Testany", 1), ("Testsome", 1)]
)
def test_the_first_test_for_which_it_is_done(tmp_path: Path, name: str, count: int) -> None:
    """After 1, 2 and 4 µs, of which 50 ns each are the test's own; the third takes the message."""
    tests = [Call(name, ns, request=0, count=count, lasts_ns=50) for ns in (1000, 950, 1950, 500)]
    found = _analysed(tmp_path, _polled(*tests))
    # The test that completes it takes o in place of its 50 ns, the one behind it finds nothing.
    assert found.baseline.T_ns == pytest.approx(1000 + 50 + 950 + 50 + 1950 + O + 500 + 50)
    assert found.wildcards is not None
    assert (found.wildcards.choices, found.wildcards.completions) == (0, 1)
    assert found.wildcards.completions_otherwise == 1  # the message is there at 2 µs with L/2
    [warning] = [each for each in found.warnings if each.code == "completions-assumed"]
    assert "completed 1 requests" in warning.message


def test_what_the_last_test_must_have_found_is_waited_for(tmp_path: Path) -> None:
    tests = [Call("Test", 1000, lasts_ns=50), Call("Test", 500, lasts_ns=50)]
    found = _analysed(tmp_path, _polled(*tests, at_ns=90_000))
    assert found.baseline.T_ns == pytest.approx(90_000 + _there() + O)


def test_all_or_none(tmp_path: Path) -> None:
    """The second message is there after 13.4 µs: the Testall after 5 µs takes neither."""
    tests = [Call("Testall", 5000, count=2, lasts_ns=10), Call("Testall", 20_000, count=2)]
    found = _analysed(tmp_path, _polled(*tests, sends=(100, 200)))
    assert found.baseline.T_ns == pytest.approx(25_000 + 10 + 2 * O)


@pytest.mark.parametrize(
    ("name", "waits"), [("Waitany", True), ("Waitsome", True), ("Testsome", False)]
)
def test_a_wait_for_one_waits_for_the_first_that_is_done(
    tmp_path: Path, name: str, waits: bool
) -> None:
    """Place 1 is sent to first; the message for place 0 comes 10 µs later."""
    posts = [Call("Irecv", 0, 1, 7, 1000, 0), Call("Irecv", 0, 1, 8, 1000, 1)]
    sends = [Call("Send", 0, 0, 8, 200), Call("Send", 10_000 - int(O), 0, 7, 100)]
    rest = [Call(name, 0, count=2), Call("Waitall", 1000, count=2)]
    found = _analysed(tmp_path, [[*posts, *rest], sends])
    last = 10_000 + _there() + O
    # Without the wait, the Waitall takes both, place 0 first.
    assert found.baseline.T_ns == pytest.approx(last if waits else last + O)
    shown = _received(
        latitude.load(tmp_path / "run", assume=ASSUME), _network(), tmp_path / "g.goal"
    )
    assert shown[0] == ([200, 100] if waits else [100, 200])


def test_a_wait_does_not_wait_for_what_it_may_have_completed_itself(tmp_path: Path) -> None:
    """Here the test takes the first message; in the run the Waitany may have: the second message is
    sent after it, so waiting for that would never end."""
    programs = [
        [
            Call("Irecv", 0, 1, 0, 1000, 0),
            Call("Irecv", 0, 1, 1, 1000, 1),
            Call("Test", 9000, request=0),
            Call("Waitany", 0, request=0, count=2),
            Call("Send", 0, 1, 5, 10),
            Call("Waitall", 0, request=0, count=2),
        ],
        [Call("Send", 0, 0, 0, 100), Call("Recv", 0, 0, 5, 10), Call("Send", 0, 0, 1, 50)],
    ]
    found = _analysed(tmp_path, programs)
    answered = 9000 + O + _there(10) + O
    assert found.baseline.T_ns == pytest.approx(answered + _there(50) + O)


@pytest.mark.parametrize("sends_early", [True, False])
def test_a_send_in_a_rendezvous_is_done_when_it_ends(tmp_path: Path, sends_early: bool) -> None:
    """The result is as if the program had waited in the test that finds the send done."""

    def program(*completes: Call) -> list[list[Call]]:
        late = 1000 if sends_early else 50_000
        return [
            [Call("Isend", 0, 1, 0, 5000, 0), *completes],
            [Call("Recv", late, 0, 0, 5000)],
        ]

    tests = [Call("Test", 20_000), Call("Test", 20_000)]
    waited = [Call("Wait", 20_000 if sends_early else 40_000), Call("Test", 0)]
    waited[1].before_ns = 20_000 if sends_early else 0
    polled = _analysed(tmp_path / "tests", program(*tests), S=1000)
    assert polled.baseline == _analysed(tmp_path / "waits", program(*waited), S=1000).baseline


def test_a_receive_from_any_source_is_polled(tmp_path: Path) -> None:
    programs = [
        [
            Call("Irecv", 0, ANY, 0, 1000, 0),
            Call("Irecv", 0, ANY, 0, 1000, 1),
            Call("Testsome", 6000, count=2),
            Call("Waitall", 20_000, count=2),
        ],
        [Call("Send", 1000, 0, 0, 100)],
        [Call("Send", 9000, 0, 0, 200)],
    ]
    found = _analysed(tmp_path, programs)
    assert found.baseline.T_ns == pytest.approx(6000 + O + 20_000 + O)
    assert found.wildcards is not None
    assert (found.wildcards.choices, found.wildcards.completions) == (2, 2)


@pytest.mark.parametrize("name", ["Test", "Testall", "Testany", "Testsome", "Waitsome"])
def test_a_refused_poll_names_the_assumption(tmp_path: Path, refused: Refused, name: str) -> None:
    program = _polled(Call(name, 9000, count=2), Call("Waitall", 0, count=2), sends=(100, 200))
    path = write_liballprof(tmp_path / "run", program)
    assert "--assume wildcards=arrival" in refused("analyze", path)
    recording = latitude.read(path, assume=ASSUME)
    with pytest.raises(InputError, match="build the graph with the same assumption"):
        recording.program()


def test_without_the_assumption_the_refusal_names_it(tmp_path: Path, refused: Refused) -> None:
    path = write_liballprof(tmp_path / "run", _two_senders())
    assert "--assume wildcards=arrival" in refused("analyze", path)
    with pytest.raises(InputError, match="possible assumptions are wildcards=arrival"):
        latitude.load(path, assume=["wildcards=luck"])


def _dumpi(folder: Path) -> Path:
    """The two senders as a DUMPI trace without statuses."""
    files = [begun(0, statuses=False) for _ in range(3)]

    def message(peer: int) -> bytes:
        return i32(25) + u16(DOUBLE) + i32(peer, 0) + u16(WORLD)

    files[0].call("Recv", 0, 0, message(-1))
    files[0].call("Recv", 50_000, 50_000, message(-1))
    files[1].call("Send", 1000, 1000, message(0))
    files[2].call("Send", 2000, 2000, message(0))
    for file in files:
        file.call("Finalize", 60_000, 60_000)
    return write_dumpi(folder, files)


def _polls(folder: Path) -> Path:
    return write_liballprof(folder, _polled(Call("Test", 1000), Call("Wait", 500)))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda p: write_liballprof(p, _two_senders()), "messages of 2 receives from any source"),
        (_dumpi, "messages of 2 receives from any source"),
        (_polls, "completed 1 requests"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ["analyze"],
        ["lp", "--solve"],
        ["forecast", "--latency", "normal(mean=3us,sd=100ns)", "--samples", "64"],
        ["convert"],
        ["analyze", "--compare", "S=64KiB,256KiB"],
    ],
)
def test_every_command_takes_it(
    tmp_path: Path,
    make: Callable[[Path], Path],
    says: str,
    command: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = make(tmp_path / "run")
    name, *options = command
    if name == "convert":
        options = [str(tmp_path / "out.goal")]
    assert latitude_main([name, str(path), *options, "--assume", "wildcards=arrival"]) == 0
    said = capsys.readouterr()
    assert says in said.out + said.err


@pytest.mark.parametrize(
    "words",
    [
        ["analyze"],
        ["lp", "--solve"],
        ["place", "--nodes", "2", "--cores", "2", "--intra", "L=1us", "--time", "1s"],
    ],
)
def test_its_warnings_are_in_the_json(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    programs = [*_polled(Call("Test", 1000), Call("Wait", 500)), [], []]
    path = write_liballprof(tmp_path / "run", programs)
    name, *options = words
    assume = ["--assume", "wildcards=arrival"]
    assert latitude_main([name, str(path), *options, *assume, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "completions-assumed" in [each["code"] for each in found["warnings"]]


def latitude_main(arguments: list[str]) -> int:
    from latitude.cli.main import main  # noqa: PLC0415

    return main(arguments)
