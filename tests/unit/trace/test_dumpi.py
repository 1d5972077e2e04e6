"""DUMPI traces: closed forms, the same program as liballprof text, communicators, damage."""

import itertools
import random
import struct
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import latitude
from latitude import InputError
from support.dumpi_files import (
    COMM_NULL,
    DOUBLE,
    INT,
    NAMES,
    REQUEST_NULL,
    SELF,
    SUM,
    WORLD,
    RankFile,
    begun,
    i32,
    ints,
    statuses,
    texts,
    types,
    u8,
    u16,
    write,
)
from support.dumpi_files import text as chars
from support.dumpi_text import FromText
from support.sections import known
from support.tiers import first_of

Refused = Callable[..., str]
NETWORK = latitude.Network(L=3000, o=500, G=0.1, S=100_000)
ANY, NULL = -1, -2
"""Numbers in a file that Open MPI's libdumpi wrote."""


def _ended(file: RankFile, at: int) -> RankFile:
    file.call("Finalize", at, at)
    return file


def _message(count: int, datatype: int, peer: int, tag: int, comm: int = WORLD) -> bytes:
    return i32(count) + u16(datatype) + i32(peer, tag) + u16(comm)


def _baseline(path: Path) -> tuple[float, float]:
    found = latitude.analyze(latitude.load(path), NETWORK).baseline
    return found.T_ns, known(found.lambda_L)


def _codes(path: Path) -> list[str]:
    return [warning.code for warning in latitude.load(path).warnings]


def _pair(**options: bool) -> list[RankFile]:
    """Rank 0 computes 10 µs and sends 1,000 B; rank 1 computes 4 µs, receives, computes 5 µs."""
    sender, receiver = begun(1000, **options), begun(2000, **options)
    sender.call("Send", 11000, 12000, _message(125, DOUBLE, 1, 5))
    got = statuses([(1000, 0, 5)]) if options.get("statuses", True) else b""
    receiver.call("Recv", 6000, 13000, _message(250, INT, 0, 5), got)
    return [_ended(sender, 12000), _ended(receiver, 18000)]


PAIR = (pytest.approx(10000 + 500 + 3000 + 99.9 + 500 + 5000), 1)


@pytest.mark.parametrize("options", [{}, {"statuses": False}, {"cpu": False}])
def test_a_message_between_computations(tmp_path: Path, options: dict[str, bool]) -> None:
    path = write(tmp_path / "run", _pair(**options))
    assert _baseline(path) == PAIR
    assert latitude.load(path).trace.calls == {
        "MPI_Finalize": 2,
        "MPI_Init": 2,
        "MPI_Recv": 1,
        "MPI_Send": 1,
    }
    archive = tmp_path / "run.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(path, "run")
    assert _baseline(archive) == PAIR


def test_without_a_wall_clock_cpu_time_counts(tmp_path: Path) -> None:
    path = write(tmp_path, _pair(wall=False))
    assert _baseline(path)[0] == pytest.approx(5000 + 500 + 3000 + 99.9 + 500 + 2500)
    assert "cpu-clock" in _codes(path)


def test_without_any_clock_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"0000\.bin: byte \d+: no time was recorded"):
        latitude.load(write(tmp_path, _pair(wall=False, cpu=False)))


def test_seconds_begin_again_after_65536(tmp_path: Path) -> None:
    long = begun(65_000 * 10**9)
    for at in range(66, 140, 10):
        long.call("Barrier", at * 10**12, at * 10**12, u16(WORLD))
    assert _baseline(write(tmp_path, [_ended(long, 140 * 10**12)]))[0] == 75_000 * 10**9


# The same program as liballprof text and as DUMPI has it.

_HANDLE = 94901252943424


class _Both:
    """One rank of a program, in both formats. Every call takes 1 µs, 2 µs after the one before."""

    def __init__(self, rank: int, ranks: int) -> None:
        self.rank, self.ranks, self.at = rank, ranks, 10
        self.file = begun(self.at * 1000)
        self.lines = [f"MPI_Init:-:1:1:{self.at}"]
        self.comm = f"{_HANDLE},{rank},{ranks}"

    def call(self, name: str, line: str, *fields: bytes) -> None:
        self.at += 2 + self.rank
        self.lines.append(f"MPI_{name}:{self.at}:{line}:{self.at + 1}")
        self.file.call(name, self.at * 1000, self.at * 1000 + 1000, *fields)
        self.at += 1

    def end(self) -> None:
        self.lines.append(f"MPI_Finalize:{self.at}:-")
        _ended(self.file, self.at * 1000)


_Fields = tuple[str, tuple[bytes, ...]]
"""Fields of a call, in the form of each format."""

_D, _BLOCK = "10,8,8", 11
_DOUBLE, _WORLD = u16(DOUBLE), u16(WORLD)
_BOTH = i32(_BLOCK) + _DOUBLE


def _reduction(at: _Both, root: int | None) -> _Fields:
    text_root, root_field = ("", b"") if root is None else (f"{root}:", i32(root))
    line = f"1000:2000:{_BLOCK}:{_D}:3:{text_root}{at.comm}"
    return line, (_BOTH, u8(SUM), root_field, _WORLD)


def _all(at: _Both, _root: int) -> _Fields:
    return f"1000:{_BLOCK}:{_D}:2000:{_BLOCK}:{_D}:{at.comm}", (_BOTH, _BOTH, _WORLD)


def _rooted(at: _Both, root: int) -> _Fields:
    line = f"1000:{_BLOCK}:{_D}:2000:{_BLOCK}:{_D}:{root}:{at.comm}"
    others = _BOTH if at.rank == root else b""
    return line, (i32(at.rank), _BOTH, i32(root), _WORLD, others)


def _blocks(at: _Both) -> list[int]:
    return [((rank + 1) * 13) % 29 for rank in range(at.ranks)]


def _listed(at: _Both, root: int) -> tuple[str, bytes]:
    """Counts and displacements, which the root alone has."""
    if at.rank != root:
        return f"5000:{_blocks(at)[at.rank]}:6000:0", b""
    listed = ",".join(map(str, _blocks(at)))
    return f"5000:{listed}:6000:{listed}", ints(_blocks(at)) + ints(_blocks(at))


def _gatherv(at: _Both, root: int) -> _Fields:
    own = _blocks(at)[at.rank]
    counts, lists = _listed(at, root)
    line = f"1000:{own}:{_D}:2000:{counts}:{_D}:{root}:{at.comm}"
    head = i32(at.rank, at.ranks, own) + _DOUBLE + i32(root) + _WORLD
    return line, (head, lists, _DOUBLE)


def _scatterv(at: _Both, root: int) -> _Fields:
    own = _blocks(at)[at.rank]
    counts, lists = _listed(at, root)
    line = f"1000:{counts}:{_D}:2000:{own}:{_D}:{root}:{at.comm}"
    head = i32(at.rank, at.ranks) + _DOUBLE + i32(own) + _DOUBLE + i32(root) + _WORLD
    return line, (head, lists)


def _allgatherv(at: _Both, _root: int) -> _Fields:
    blocks = _blocks(at)
    listed = ",".join(map(str, blocks))
    line = f"1000:{blocks[at.rank]}:{_D}:2000:5000:{listed}:6000:{listed}:{_D}:{at.comm}"
    head = i32(at.ranks, blocks[at.rank]) + _DOUBLE + ints(blocks) + ints(blocks)
    return line, (head, _DOUBLE, _WORLD)


def _reduce_scatter(at: _Both, _root: int) -> _Fields:
    listed = ",".join(map(str, _blocks(at)))
    fields = (i32(at.ranks), ints(_blocks(at)), _DOUBLE, u8(SUM), _WORLD)
    return f"1000:2000:5000:{listed}:{_D}:3:{at.comm}", fields


def _alltoallv(at: _Both, _root: int) -> _Fields:
    """Each rank receives from each rank the same amount that it sends."""
    each = [((at.rank + other) * 5) % 37 for other in range(at.ranks)]
    sent = ",".join(map(str, each))
    line = f"1000:5000:{sent}:6000:{sent}:{_D}:2000:7000:{sent}:8000:{sent}:{_D}:{at.comm}"
    half = ints(each) + ints(each) + _DOUBLE
    return line, (i32(at.ranks), half, half, _WORLD)


COLLECTIVES: dict[str, Callable[[_Both, int], _Fields]] = {
    "Barrier": lambda at, _: (at.comm, (_WORLD,)),
    "Bcast": lambda at, root: (
        f"1000:{_BLOCK}:{_D}:{root}:{at.comm}",
        (_BOTH, i32(root), _WORLD),
    ),
    "Allreduce": lambda at, _: _reduction(at, None),
    "Scan": lambda at, _: _reduction(at, None),
    "Exscan": lambda at, _: _reduction(at, None),
    "Reduce": _reduction,
    "Allgather": _all,
    "Alltoall": _all,
    "Gather": _rooted,
    "Scatter": _rooted,
    "Gatherv": _gatherv,
    "Scatterv": _scatterv,
    "Allgatherv": _allgatherv,
    "Reduce_scatter": _reduce_scatter,
    "Alltoallv": _alltoallv,
}


def _same(tmp_path: Path, program: Sequence[_Both]) -> None:
    """Both formats give the same, to the bit."""
    texts_of = tmp_path / "text"
    texts_of.mkdir()
    for rank in program:
        rank.end()
        (texts_of / f"pmpi-trace-rank-{rank.rank}.txt").write_text("\n".join(rank.lines) + "\n")
    binary = write(tmp_path / "dumpi", [rank.file for rank in program])
    one, other = latitude.load(texts_of), latitude.load(binary)
    assert one.trace.calls == other.trace.calls
    found = [latitude.analyze(each, NETWORK, latency=(0, 100_000)) for each in (one, other)]
    assert found[0].baseline == found[1].baseline
    assert found[0].breakpoints.value.tolist() == found[1].breakpoints.value.tolist()


@pytest.mark.parametrize("ranks", first_of([3, 1, 2, 5]))
def test_all_collectives_as_in_liballprof_text(tmp_path: Path, ranks: int) -> None:
    program = [_Both(rank, ranks) for rank in range(ranks)]
    for name, root in itertools.product(COLLECTIVES, range(ranks)):
        for rank in program:
            line, fields = COLLECTIVES[name](rank, root)
            rank.call(name, line, *fields)
    _same(tmp_path, program)


def test_messages_of_every_kind_as_in_liballprof_text(tmp_path: Path) -> None:
    program = [_Both(rank, 3) for rank in range(3)]
    d = "10,8,8"
    for step, name in enumerate(("Send", "Ssend", "Bsend", "Rsend")):
        for rank in program:
            right, left = (rank.rank + 1) % 3, (rank.rank + 2) % 3
            rank.call(
                "Irecv",
                f"1:{step}:{d}:{left}:{step}:{rank.comm}:80000",
                _message(step, DOUBLE, left, step) + i32(7),
            )
            rank.call(
                name,
                f"1:{step}:{d}:{right}:{step}:{rank.comm}",
                _message(step, DOUBLE, right, step),
            )
            rank.call("Wait", "80000:1", i32(7), statuses(None))
    for step, name in enumerate(("Isend", "Issend", "Ibsend", "Irsend", "Isend")):
        for rank in program:
            right, left = (rank.rank + 1) % 3, (rank.rank + 2) % 3
            count = 20_000 * step
            comm = rank.comm
            rank.call(
                "Irecv",
                f"1:{count}:{d}:{left}:9:{comm}:80000",
                _message(count, DOUBLE, left, 9) + i32(7),
            )
            rank.call(
                name,
                f"1:{count}:{d}:{right}:9:{comm}:80008",
                _message(count, DOUBLE, right, 9) + i32(8),
            )
            rank.call("Waitall", "2:80000:1", i32(2), ints([7, 8]), statuses(None))
    for rank in program:
        right, left = (rank.rank + 1) % 3, (rank.rank + 2) % 3
        rank.call(
            "Sendrecv",
            f"1:5:{d}:{right}:1:2:6:{d}:{left}:1:{rank.comm}:3",
            i32(5) + u16(DOUBLE) + i32(right, 1, 6) + u16(DOUBLE) + i32(left, 1) + u16(WORLD),
            statuses([(40, left, 1)]),
        )
        rank.call(
            "Sendrecv_replace",
            f"1:5:{d}:{right}:1:{left}:1:{rank.comm}:3",
            i32(5) + u16(DOUBLE) + i32(right, 1, left, 1) + u16(WORLD),
            statuses(None),
        )
    for rank in program:
        right, left = (rank.rank + 1) % 3, (rank.rank + 2) % 3
        rank.call(
            "Send_init",
            f"1:5:{d}:{right}:1:{rank.comm}:90000",
            _message(5, DOUBLE, right, 1),
            i32(3),
        )
        rank.call(
            "Recv_init", f"1:5:{d}:{left}:1:{rank.comm}:90008", _message(5, DOUBLE, left, 1), i32(4)
        )
        for _ in range(3):
            rank.call("Startall", "2:90000", i32(2), ints([3, 4]))
            rank.call("Waitall", "2:90000:1", i32(2), ints([3, 4]), statuses(None))
        rank.call("Start", "90000", i32(3))
        rank.call("Wait", "90000:1", i32(3), statuses(None))
        rank.call("Start", "90008", i32(4))
        rank.call("Wait", "90008:1", i32(4), statuses(None))
        for number, address in ((3, 90000), (4, 90008)):
            rank.call("Request_free", f"{address}", i32(number))
    _same(tmp_path, program)


@pytest.mark.thorough
def test_a_real_program_as_in_liballprof_text(tmp_path: Path, lulesh: Path) -> None:
    with tarfile.open(lulesh) as tar:
        texts_of = {m.name: tar.extractfile(m).read().decode() for m in tar if m.isfile()}  # type: ignore[union-attr]
    files = [FromText(texts_of[f"pmpi-trace-rank-{rank}.txt"]).file for rank in range(8)]
    path = write(tmp_path, files)
    found = [latitude.analyze(latitude.load(each), NETWORK) for each in (lulesh, path)]
    assert found[0].baseline == found[1].baseline
    assert found[0].breakpoints.value.tolist() == found[1].breakpoints.value.tolist()
    assert latitude.load(lulesh).trace.calls == latitude.load(path).trace.calls


# Facts in DUMPI that liballprof lacks: outcomes, statuses, handles of communicators.


def _exchange(
    ranks: int, made: Callable[[int, RankFile], int | None], groups: Sequence[Sequence[int]]
) -> list[RankFile]:
    """Ranks that make a communicator each, whose members then send along their ranks in it.

    `made` adds the calls and returns the communicator's number, None for a rank in none. Sizes
    tell the ranks apart, so that wrong groups cannot match.
    """
    files = []
    for rank in range(ranks):
        file = begun(0)
        number = made(rank, file)
        group = next((g for g in groups if rank in g), None)
        assert (group is None) == (number is None)
        if group is not None and number is not None:
            me, at = list(group).index(rank), 10_000
            for step in (1, len(group) - 1):
                to, source = (me + step) % len(group), (me - step) % len(group)
                file.call(
                    "Irecv", at, at, _message(100 + group[source], INT, source, 1, number), i32(9)
                )
                file.call("Send", at, at, _message(100 + rank, INT, to, 1, number))
                file.call("Wait", at, at, i32(9), statuses(None))
            file.call("Allgather", at, at, i32(2), u16(INT), i32(2), u16(INT), u16(number))
        files.append(_ended(file, 20_000))
    return files


def _world_group(file: RankFile) -> None:
    file.call("Comm_group", 1, 1, u16(WORLD), u16(5))


def _split(rank: int, file: RankFile) -> int | None:
    colour = -32766 if rank == 4 else rank % 2
    made = COMM_NULL if rank == 4 else 7
    file.call("Comm_split", 2, 3, u16(WORLD), i32(colour, -rank), u16(made))
    return None if rank == 4 else made


def _dup_of_dup(_rank: int, file: RankFile) -> int:
    file.call("Comm_dup", 2, 3, u16(WORLD), u16(7))
    file.call("Comm_dup", 4, 5, u16(7), u16(8))
    file.call("Comm_free", 6, 7, u16(7))
    file.call("Comm_dup", 8, 9, u16(8), u16(7))  # the handle is used again
    return 7


def _incl(rank: int, file: RankFile) -> int | None:
    _world_group(file)
    file.call("Group_incl", 2, 2, u16(5), i32(3), ints([5, 0, 3]), u16(6))
    made = 7 if rank in (0, 3, 5) else COMM_NULL
    file.call("Comm_create", 3, 4, u16(WORLD), u16(6), u16(made))
    return made if made != COMM_NULL else None


def _set_of_groups(rank: int, file: RankFile) -> int | None:
    """((0 … 5 less {1}) without {0, 2}) and {2, 4, 5} first, then {3}: (4, 5, 3)."""
    _world_group(file)
    file.call("Group_excl", 2, 2, u16(5), i32(1), ints([1]), u16(6))
    file.call("Group_range_incl", 2, 2, u16(5), i32(1), i32(1) + ints([0, 2, 2]), u16(7))
    file.call("Group_difference", 2, 2, u16(6), u16(7), u16(8))  # 3 4 5
    file.call(
        "Group_range_excl",
        2,
        2,
        u16(5),
        i32(2),
        i32(2) + ints([1, 0, -1]) + ints([3, 3, 1]),
        u16(9),
    )  # 2 4 5
    file.call("Group_intersection", 2, 2, u16(9), u16(8), u16(10))  # 4 5
    file.call("Group_union", 2, 2, u16(10), u16(8), u16(11))  # 4 5 3
    made = 7 if rank in (3, 4, 5) else COMM_NULL
    file.call("Comm_create", 3, 4, u16(WORLD), u16(11), u16(made))
    return made if made != COMM_NULL else None


def _doubled(_rank: int, file: RankFile) -> int:
    """A union of a group with itself, 200 times over."""
    _world_group(file)
    for group in range(5, 205):
        file.call("Group_union", 2, 2, u16(group), u16(group), u16(group + 1))
    file.call("Comm_create", 3, 4, u16(WORLD), u16(205), u16(7))
    return 7


def _cart(rank: int, file: RankFile, reorder: int = 0) -> int:
    made = 7 if rank < 6 else COMM_NULL
    file.call(
        "Cart_create", 2, 3, u16(WORLD), i32(2), ints([2, 3]), ints([0, 0]), i32(reorder), u16(made)
    )
    return made


def _columns(rank: int, file: RankFile) -> int:
    _cart(rank, file)
    file.call("Comm_dup", 4, 5, u16(7), u16(9))
    file.call("Cart_sub", 6, 7, i32(2), u16(9), ints([1, 0]), u16(8))
    return 8


def _reordered(rank: int, file: RankFile) -> int:
    _cart(rank, file, 1)
    file.call("Comm_rank", 4, 4, u16(7), i32(5 - rank))
    return 7


def _graph(rank: int, file: RankFile) -> int | None:
    made = 7 if rank < 4 else COMM_NULL
    file.call(
        "Graph_create", 2, 3, i32(0), u16(WORLD), i32(4), ints([0] * 4), ints([]), i32(0), u16(made)
    )
    return made if made != COMM_NULL else None


def _itself(_rank: int, _file: RankFile) -> int:
    return SELF


@pytest.mark.parametrize(
    ("ranks", "made", "groups"),
    [
        (6, _split, [(2, 0), (5, 3, 1)]),
        (3, _dup_of_dup, [(0, 1, 2)]),
        (6, _incl, [(5, 0, 3)]),
        (6, _set_of_groups, [(4, 5, 3)]),
        (6, _doubled, [(0, 1, 2, 3, 4, 5)]),
        (6, _cart, [(0, 1, 2, 3, 4, 5)]),
        (6, _columns, [(0, 3), (1, 4), (2, 5)]),
        (6, _reordered, [(5, 4, 3, 2, 1, 0)]),
        (6, _graph, [(0, 1, 2, 3)]),
        (2, _itself, [(0,), (1,)]),
    ],
)
def test_communicators(
    tmp_path: Path,
    ranks: int,
    made: Callable[[int, RankFile], int | None],
    groups: list[tuple[int, ...]],
) -> None:
    program = latitude.load(write(tmp_path, _exchange(ranks, made, groups)))
    members = sum(len(group) for group in groups)
    assert program.trace.calls["MPI_Send"] == 2 * members


def test_a_communicator_whose_ranks_are_not_proven_is_refused(tmp_path: Path) -> None:
    files = _exchange(6, lambda rank, file: _cart(rank, file, 1), [range(6)])
    with pytest.raises(
        InputError, match=r"0000\.bin:3: MPI_Irecv uses the communicator that MPI_C"
    ):
        latitude.load(write(tmp_path, files))


def _completing(name: str, *fields: bytes) -> list[RankFile]:
    """Rank 1 posts three receives (1,000, 2,000, 3,000 B), and the call completes the second."""
    sender, receiver = begun(0), begun(0)
    for tag in (0, 1, 2):
        sender.call(
            "Send", 100 * tag + 100, 100 * tag + 100, _message(125 * (tag + 1), DOUBLE, 1, tag)
        )
        receiver.call("Irecv", 100, 100, _message(125 * (tag + 1), DOUBLE, 0, tag), i32(20 + tag))
    receiver.call(name, 200, 200, *fields)
    receiver.call("Waitall", 50_200, 50_200, i32(3), ints([20, REQUEST_NULL, 22]), statuses(None))
    return [_ended(sender, 300), _ended(receiver, 50_200)]


_ALL = i32(3) + ints([20, 21, 22])


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("Wait", (i32(21), statuses(None))),
        ("Test", (i32(21), i32(1), statuses(None))),
        ("Waitany", (_ALL, i32(1), statuses(None))),
        ("Testany", (_ALL, i32(1), i32(1), statuses(None))),
        ("Waitsome", (_ALL, i32(1), ints([1]), statuses(None))),
        ("Testsome", (_ALL, i32(1), ints([1]), statuses(None))),
        ("Testall", (i32(1), ints([21]), i32(1), statuses(None))),
    ],
)
def test_what_a_call_completed_is_recorded(
    tmp_path: Path, name: str, fields: tuple[bytes, ...]
) -> None:
    T_ns, _ = _baseline(write(tmp_path, _completing(name, *fields)))
    # The second message leaves when the first is on its way and 100 ns are computed; when it is
    # received, 50 µs are, and the others are there.
    second = 100 + 500 + 100 + 500 + 3000 + 199.9 + 500
    assert T_ns == pytest.approx(second + 50_000 + 2 * 500)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("Test", (i32(21), i32(0), statuses(None))),
        ("Testany", (_ALL, i32(-32766), i32(0), statuses(None))),
        ("Testsome", (_ALL, i32(0), ints([]), statuses(None))),
        ("Testall", (_ALL, i32(0), statuses(None))),
    ],
)
def test_what_a_call_did_not_complete(tmp_path: Path, name: str, fields: tuple[bytes, ...]) -> None:
    files = _completing(name, *fields)
    with pytest.raises(InputError, match=r"MPI_Irecv is never completed"):
        latitude.load(write(tmp_path, files))


def _wild(posted: tuple[int, int], got: bytes | None, how: str) -> list[RankFile]:
    """Ranks 1 and 2 send to rank 0, whose receives name nobody; the statuses say who it was."""
    files = [begun(0, statuses=got is not None) for _ in range(3)]
    status = got or b""
    me = files[0]
    for at in (1000, 2000):
        peer, tag = posted
        if how == "Recv":
            me.call("Recv", at, at, _message(10, INT, peer, tag), status)
        elif how == "Sendrecv":
            fields = i32(0) + u16(INT) + i32(NULL, 0, 10) + u16(INT) + i32(peer, tag) + u16(WORLD)
            me.call("Sendrecv", at, at, fields, status)
        elif how == "Irecv":
            me.call("Irecv", at, at, _message(10, INT, peer, tag), i32(4))
            me.call("Wait", at, at, i32(4), status)
        else:
            if at == 1000:
                me.call("Recv_init", at, at, _message(10, INT, peer, tag), i32(4))
            me.call("Start", at, at, i32(4))
            me.call("Wait", at, at, i32(4), status)
        got = got and statuses([(40, 1, 6)])
        status = got or b""
    files[1].call("Send", 100_000, 100_000, _message(10, INT, 0, 6))
    files[2].call("Send", 1000, 1000, _message(10, INT, 0, 6))
    return [_ended(file, 200_000) for file in files]


@pytest.mark.parametrize("how", ["Recv", "Sendrecv", "Irecv", "Recv_init"])
@pytest.mark.parametrize("posted", [(ANY, ANY), (ANY, 6)])
def test_wildcards_are_read_from_statuses(
    tmp_path: Path, posted: tuple[int, int], how: str
) -> None:
    path = write(tmp_path / "with", _wild(posted, statuses([(40, 2, 6)]), how))
    assert _baseline(path)[0] == pytest.approx(100_000 + 198_000 + 3000 + 2 * 500 + 3.9)
    assert "wildcard-matches" in _codes(path)
    path = write(tmp_path / "without", _wild(posted, None, how))
    with pytest.raises(InputError, match="takes a message from any source"):
        latitude.load(path)


@pytest.mark.parametrize("with_statuses", [False, True])
@pytest.mark.parametrize("null", [-1, -2])
def test_nobody_under_either_kind_of_mpi(tmp_path: Path, null: int, *, with_statuses: bool) -> None:
    """A chain of ranks, whose ends send to and receive from nobody."""
    files = []
    for rank in range(4):
        left, right = (rank - 1 if rank else null), (rank + 1 if rank < 3 else null)
        file = begun(0, statuses=with_statuses)
        got = statuses([(8, left, 0)]) if with_statuses else b""
        file.call("Irecv", 10, 10, _message(1, DOUBLE, left, 0), i32(5))
        file.call("Send", 20, 20, _message(1, DOUBLE, right, 0))
        file.call("Wait", 30, 30, i32(5), got)
        file.call(
            "Sendrecv",
            40,
            40,
            i32(1) + u16(DOUBLE) + i32(right, 0, 1) + u16(DOUBLE) + i32(left, 0) + u16(WORLD),
            got,
        )
        file.call("Recv_init", 50, 50, _message(1, DOUBLE, left, 0), i32(5))
        file.call("Start", 50, 50, i32(5))
        file.call("Send", 50, 50, _message(1, DOUBLE, right, 0))
        file.call("Wait", 50, 50, i32(5), got)
        files.append(_ended(file, 60))
    program = latitude.load(write(tmp_path, files))
    assert [warning.code for warning in program.warnings] == []
    assert latitude.analyze(program, NETWORK).baseline.lambda_L == 9 / 3 * 1


def test_minus_one_that_may_be_nobody_or_anybody_is_refused(tmp_path: Path) -> None:
    """Two receives from −1, one message, and a send to −1: one of them is from nobody."""
    files = [begun(0, statuses=False) for _ in range(2)]
    files[0].call("Send", 10, 10, _message(1, DOUBLE, -1, 0))
    files[0].call("Send", 10, 10, _message(1, DOUBLE, 1, 0))
    for at in (20, 30):
        files[1].call("Recv", at, at, _message(1, DOUBLE, -1, 0))
    with pytest.raises(InputError, match=r"0001\.bin:2: MPI_Recv receives from -1, which is MPI_P"):
        latitude.load(write(tmp_path, [_ended(file, 60) for file in files]))


@pytest.mark.parametrize("sent", [0, 2])
def test_an_empty_status_is_no_proof_under_mpich(tmp_path: Path, sent: int) -> None:
    """MPICH gives receives from nobody a status of an empty message from rank 0."""
    files = [begun(0) for _ in range(2)]
    files[0].call("Send", 10, 10, _message(1, DOUBLE, -1, 0))
    for at in range(sent):
        files[0].call("Send", 20 + at, 20 + at, _message(0, DOUBLE, 1, 0))
    for _ in range(2):
        files[1].call("Irecv", 10, 10, _message(1, DOUBLE, -1, 0), i32(2))
    got = statuses([(0, 0, 0), (0, 0, 0)])
    files[1].call("Waitall", 20, 20, i32(2), ints([2, 2]), got)
    path = write(tmp_path, [_ended(file, 60) for file in files])
    assert latitude.analyze(latitude.load(path), NETWORK).baseline.lambda_L == (1 if sent else 0)


def test_one_handle_for_sends_that_end_at_once(tmp_path: Path) -> None:
    """Open MPI and MPICH give one handle to such sends; the oldest is completed first."""
    files = [begun(0), begun(0)]
    for tag in range(3):
        files[0].call("Isend", 10 + tag, 10 + tag, _message(tag, INT, 1, tag), i32(2))
        files[1].call("Recv", 10 + tag, 10 + tag, _message(tag, INT, 0, tag), statuses(None))
    files[0].call("Waitall", 20, 20, i32(3), ints([2, 2, 2]), statuses(None))
    path = write(tmp_path, [_ended(file, 60) for file in files])
    assert _codes(path) == []


def test_a_receive_whose_completion_is_missing_is_refused(tmp_path: Path) -> None:
    files = [begun(0), begun(0)]
    for tag in range(2):
        files[0].call("Send", 10 + tag, 10 + tag, _message(tag, INT, 1, tag))
        files[1].call("Irecv", 10 + tag, 10 + tag, _message(tag, INT, 0, tag), i32(2))
    with pytest.raises(InputError, match=r"0001\.bin:3: MPI_Irecv makes request 2, which stands"):
        latitude.load(write(tmp_path, [_ended(file, 60) for file in files]))


def test_requests_that_nobody_recorded(tmp_path: Path, refused: Refused) -> None:
    """DUMPI does not record the requests of MPI-3's nonblocking collectives."""
    file = begun(0)
    file.call("Wait", 10, 20, i32(33), statuses(None))
    path = write(tmp_path, [_ended(file, 60)])
    assert "of a request that no recorded call has made" in refused("analyze", path)
    program = latitude.load(path, skip_unsupported=True)
    assert latitude.analyze(program, NETWORK).baseline.T_ns == 10 + 40


def test_what_was_cancelled_never_was(tmp_path: Path) -> None:
    def run(status: bytes) -> Path:
        file = begun(0)
        file.call("Irecv", 10, 10, _message(1, INT, 0, 3), i32(2))
        file.call("Cancel", 20, 20, i32(2))
        file.call("Wait", 30, 30, i32(2), status)
        return write(tmp_path, [_ended(file, 60)])

    assert _baseline(run(statuses([(0, -2, -1)], cancelled=True)))[0] == 60
    with pytest.raises(InputError, match="not supported in an execution graph: 1 MPI_Irecv"):
        latitude.load(run(statuses(None)))


def test_datatypes_are_followed_where_handles_are_used_again(tmp_path: Path) -> None:
    """The table at the end of the file knows the first type of a handle only."""
    sender, receiver = begun(0), begun(0)
    sender.sizes = {**sender.sizes, 30: 12}
    constructors: list[tuple[str, int, tuple[bytes, ...]]] = [
        ("Type_contiguous", 12, (i32(3), u16(INT), u16(30))),
        ("Type_vector", 40, (i32(5, 1, 9), u16(DOUBLE), u16(30))),
        ("Type_indexed", 24, (i32(2), ints([1, 2]), ints([0, 5]), u16(DOUBLE), u16(30))),
        ("Type_struct", 36, (i32(2), ints([1, 4]), ints([0, 8]), types([INT, DOUBLE]), u16(30))),
        ("Type_create_indexed_block", 32, (i32(2, 4), ints([0, 9]), u16(INT), u16(30))),
        (
            "Type_create_subarray",
            48,
            (i32(2), ints([9, 9]), ints([3, 2]), ints([0, 0]), u8(1), u16(DOUBLE), u16(30)),
        ),
        ("Type_create_resized", 4, (u16(INT), i32(0, 64), u16(30))),
        ("Type_dup", 8, (u16(DOUBLE), u16(30))),
    ]
    total = 0
    for name, size, fields in constructors:
        sender.call(name, 10, 10, *fields)
        sender.call("Type_commit", 10, 10, u16(30))
        sender.call("Send", 10, 10, _message(1, 30, 1, 0))
        sender.call("Type_free", 10, 10, u16(30))
        receiver.call("Recv", 10, 10, _message(size, 5, 0, 0), statuses(None))  # bytes: no more
        total += size
    sender.call("Send", 10, 10, _message(1, 30, 1, 0))
    receiver.call("Recv", 10, 10, _message(12, 5, 0, 0), statuses(None))
    path = write(tmp_path, [_ended(sender, 20), _ended(receiver, 20)])
    assert latitude.analyze(latitude.load(path), NETWORK).trace.calls["MPI_Send"] == 9


def test_no_elements_have_no_bytes_whatever_their_size(tmp_path: Path) -> None:
    """A datatype of 16 TiB, of which nothing is sent and reduced."""
    files = []
    for rank in range(2):
        file = begun(0)
        file.call("Type_contiguous", 10, 10, i32(1 << 20), u16(DOUBLE), u16(30))
        file.call("Type_contiguous", 10, 10, i32(1 << 21), u16(30), u16(31))
        file.call("Allreduce", 10, 10, i32(0) + u16(31) + u8(SUM) + u16(WORLD))
        if rank == 0:
            file.call("Send", 10, 10, _message(0, 31, 1, 0))
        else:
            file.call("Recv", 10, 10, _message(0, 31, 0, 0), statuses(None))
        files.append(_ended(file, 20))
    assert latitude.analyze(latitude.load(write(tmp_path, files)), NETWORK).graph.bytes == 0


# Records that are not read.

_LOCAL = {
    "Get_processor_name": (chars("node01"), i32(6)),
    "Comm_get_name": (u16(WORLD), chars("world"), i32(5)),
    "Type_get_contents": (i32(1, 1, 1), u16(30), i32(1, 1, 1), ints([1]), ints([2]), types([3])),
    "Group_translate_ranks": (u16(5), i32(1), ints([0]), u16(5), ints([0])),
    "Info_set": (u16(2), chars("key"), chars("value")),
    "Wtime": (),
    "Get_count": (statuses([(4, 0, 0)]), u16(INT), i32(1)),
    "Comm_get_parent": (u16(COMM_NULL),),
}


def test_local_calls_are_computation(tmp_path: Path) -> None:
    file = RankFile(counters=2)
    file.call("Init_thread", 0, 0, texts(["./program"]), u8(1), u8(2))
    for step, (name, fields) in enumerate(_LOCAL.items()):
        file.call(name, 10 * step, 10 * step + 2, *fields)
        file.entered(10 * step + 2, 0x400000)
        file.call(name, 10 * step + 4, 10 * step + 10, *fields)
    path = write(tmp_path, [_ended(file, 1000)])
    assert latitude.load(path).trace.calls["MPI_Wtime"] == 2
    assert _baseline(path)[0] == 1000


_REFUSED = {
    "File_open": (u16(WORLD), chars("a"), u8(1), u16(0), u16(2)),
    "File_write_at_all": (u16(2), struct.pack(">q", 9), i32(1), u16(INT), statuses(None)),
    "File_iread": (u16(2), i32(1), u16(INT), i32(2)),
    "Put": (i32(1), u16(INT), i32(0, 0, 1), u16(INT), u16(2)),
    "Win_create": (i32(8, 1), u16(0), u16(WORLD), u16(2)),
    "Intercomm_create": (u16(WORLD), i32(0), u16(WORLD), i32(0, 1), u16(9)),
    "Comm_spawn": (i32(0, 0), u16(WORLD, 9), chars("a"), texts(["b"]), i32(1), u16(0), ints([0])),
    "Comm_spawn_multiple": (
        i32(1, 0, 0),
        u16(WORLD, 9),
        i32(1),
        texts(["a"]),
        i32(1) + texts(["b"]),
        ints([1]),
        i32(1) + u16(0),
        ints([0]),
    ),
    "Grequest_start": (i32(7),),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_what_has_no_part_in_a_graph_is_refused_by_name(
    tmp_path: Path, refused: Refused, name: str
) -> None:
    file = begun(0)
    file.call(name, 10, 20, *_REFUSED[name])
    file.call("Barrier", 30, 30, u16(WORLD))
    path = write(tmp_path, [_ended(file, 60)])
    assert f"MPI_{name}" in refused("analyze", path)
    assert latitude.load(path, skip_unsupported=True).trace.calls[f"MPI_{name}"] == 1


def test_several_threads_are_refused(tmp_path: Path) -> None:
    file = begun(0)
    file.call("Barrier", 10, 20, u16(WORLD), thread=1)
    with pytest.raises(InputError, match=r"0000\.bin:2: MPI_Barrier is called by thread 1, others"):
        latitude.load(write(tmp_path, [_ended(file, 60)]))


def test_a_communicator_out_of_nowhere_is_refused(tmp_path: Path) -> None:
    file = begun(0)
    file.call("Barrier", 10, 20, u16(6))
    with pytest.raises(InputError, match=r"0000\.bin:2: MPI_Barrier uses communicator 6, which no"):
        latitude.load(write(tmp_path, [_ended(file, 60)]))


def test_what_was_made_and_not_recorded_is_told(tmp_path: Path) -> None:
    file = begun(0)
    at = NAMES.index("Bcast")
    file.made[at] += 3
    file.ignored[at] += 3
    path = write(tmp_path, [_ended(file, 60)])
    [warning] = latitude.load(path).warnings
    assert warning.code == "calls-not-recorded"
    assert "3 MPI_Bcast" in warning.message


# Files that are not whole.


def test_the_number_of_ranks_must_be_known(tmp_path: Path) -> None:
    path = write(tmp_path / "without", _pair(), meta=False)
    with pytest.raises(
        InputError, match=r"0000\.bin: there is no \.meta file next to it, and no rank ask"
    ):
        latitude.load(path)
    files = _pair()
    files[0].call("Comm_size", 12000, 12000, u16(WORLD), i32(2))
    files[0].records[-1], files[0].records[-2] = files[0].records[-2], files[0].records[-1]
    assert _baseline(write(tmp_path / "asked", files, meta=False)) == PAIR
    path = write(tmp_path / "more", _pair())
    next(path.glob("*.meta")).write_text("numprocs=3\n")
    with pytest.raises(InputError, match=r"0000\.bin: the \.meta file says that the run had 3 ran"):
        latitude.load(path)
    next(path.glob("*.meta")).write_text("hostname=x\nnumprocs=-3\n")
    with pytest.raises(InputError, match=r"\.meta: says no number of ranks"):
        latitude.load(path)


def test_files_that_a_killed_run_left_empty(tmp_path: Path) -> None:
    path = write(tmp_path, _pair())
    for file in path.glob("*.bin"):
        file.write_bytes(b"")
    with pytest.raises(InputError, match=r"0000\.bin: byte 0: too short for a DUMPI file: it"):
        latitude.load(path)


def test_files_of_two_runs_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, _pair())
    (path / "other.meta").write_text("numprocs=2\n")
    with pytest.raises(InputError, match="are of two runs"):
        latitude.load(path)


def test_a_rank_that_is_missing_or_given_for_another(tmp_path: Path) -> None:
    path = write(tmp_path / "missing", _pair())
    next(path.glob("*0000.bin")).unlink()
    with pytest.raises(InputError, match="rank 0 is missing"):
        latitude.load(path)
    files = _pair()
    for rank, file in enumerate(files):
        file.call("Comm_rank", 20_000, 20_000, u16(WORLD), i32(1 - rank))
    with pytest.raises(
        InputError, match=r"0000\.bin: this is the file of rank 1, given as that of rank 0"
    ):
        latitude.load(write(tmp_path / "swapped", files))


def test_counts_that_contradict_the_stream(tmp_path: Path) -> None:
    files = _pair()
    files[0].made[0] += 1
    with pytest.raises(InputError, match=r"0000\.bin: byte \d+: it counts 2 records of MPI_Send"):
        latitude.load(write(tmp_path, files))


def test_an_old_version_is_refused(tmp_path: Path) -> None:
    files = _pair()
    files[0].version = (0, 6, 8)
    with pytest.raises(InputError, match=r"0000\.bin: byte \d+: written by a DUMPI before 0\.6\.9"):
        latitude.load(write(tmp_path, files))


def test_a_file_cut_anywhere_is_one_line_with_file_and_byte(tmp_path: Path) -> None:
    path = write(tmp_path, _pair())
    file = next(path.glob("*0000.bin"))
    whole = file.read_bytes()
    assert len(whole) > 2000
    for length in [*range(8, 300, 7), *range(300, len(whole), 101), len(whole) - 1]:
        file.write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"^[^\n]*0000\.bin: byte \d+: [^\n]*$"):
            latitude.load(path)


@pytest.mark.thorough
def test_a_file_with_wrong_bytes_never_does_harm(tmp_path: Path) -> None:
    """Each of 2,000 files with one to three changed bytes gives a trace or one line."""
    draw = random.Random(5)
    path = write(tmp_path, _pair())
    file = next(path.glob("*0001.bin"))
    whole = file.read_bytes()
    wrong = right = 0
    for _ in range(2000):
        changed = bytearray(whole)
        for _ in range(draw.randint(1, 3)):
            part = draw.choice([(0, 300), (0, len(whole)), (len(whole) - 64, len(whole))])
            changed[draw.randrange(*part)] = draw.randrange(256)
        file.write_bytes(changed)
        try:
            latitude.load(path)
        except InputError as error:
            wrong += "\n" not in str(error)
        else:
            right += 1
    assert wrong + right == 2000
    assert 100 < wrong < 2000
