"""--assume wildcards=arrival: a simulator of its own, closed forms, commands, what cannot be."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import latitude
from latitude import InputError, _core
from latitude.analysis.arrivals import matched
from support.arrivals_oracle import ANY, Call, Simulator, random_program, write_liballprof
from support.dumpi_files import DOUBLE, WORLD, begun, i32, u16
from support.dumpi_files import write as write_dumpi

Refused = Callable[..., str]
ASSUME = ["wildcards=arrival"]
L, O, G = 3000.0, 400.0, 0.05


def _network(latency: float = L, S: int = 1_000_000) -> latitude.Network:
    return latitude.Network(L=latency, o=O, G=G, S=S)


def _received(program: latitude.Program, network: latitude.Network, path: Path) -> list[list[int]]:
    """By rank the sizes of what it receives, in the order in which receives complete."""
    _core.graph_format("goal").write(matched(program, network).graph, str(path), 1 << 40)
    ranks: list[list[int]] = []
    for line in path.read_text().splitlines():
        if line.startswith("rank "):
            ranks.append([])
        if found := re.match(r"l\d+: recv (\d+)b", line):
            ranks[-1].append(int(found[1]))
    return ranks


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_as_a_simulator_of_its_own_has_them(tmp_path: Path, seed: int) -> None:
    draw = Random(seed)
    programs = random_program(draw, draw.randint(3, 6), draw.randint(1, 5))
    path = write_liballprof(tmp_path / "run", programs)
    program = latitude.load(path, assume=ASSUME)
    for latency in (L / 10, L, L * 5):
        network = _network(latency)
        run = Simulator(programs, latency, O, G).run()
        assert _received(program, network, tmp_path / "g.goal") == run.taken
        found = latitude.analyze(program, network).baseline.T_ns
        assert found == pytest.approx(run.T_ns, rel=1e-12, abs=1e-6)


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


def test_without_the_assumption_the_refusal_names_it(tmp_path: Path, refused: Refused) -> None:
    path = write_liballprof(tmp_path / "run", _two_senders())
    assert "--assume wildcards=arrival" in refused("analyze", path)
    with pytest.raises(InputError, match="what can be assumed is wildcards=arrival"):
        latitude.load(path, assume=["wildcards=luck"])


def _dumpi(folder: Path) -> Path:
    """The same two senders as DUMPI has them without statuses."""
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


@pytest.mark.parametrize("make", [lambda p: write_liballprof(p, _two_senders()), _dumpi])
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
    command: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = make(tmp_path / "run")
    name, *options = command
    if name == "convert":
        options = [str(tmp_path / "out.goal")]
    assert latitude_main([name, str(path), *options, "--assume", "wildcards=arrival"]) == 0
    said = capsys.readouterr()
    assert "2 receives from any source got" in said.out + said.err


def latitude_main(arguments: list[str]) -> int:
    from latitude.cli.main import main  # noqa: PLC0415

    return main(arguments)
