"""Input that is broken, or made to do harm: one small file or directory for each case.

README.md lists them. Each is made where a test wants it: what a file of a few bytes claims to hold
is easier to see in a line of code than in the file.
"""

import gzip
import io
import json
import lzma
import os
import struct
import tarfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from support.dumpi_files import begun, i32, u16
from support.dumpi_files import write as write_dumpi
from support.native_trace import RANKS, Writer, rank_file, text, varint
from support.native_trace import write as write_run
from support.otf2_archive import archive

Make = Callable[[Path], Path]
"""Makes a case in an empty folder; returns what a command is given."""


@dataclass(frozen=True)
class Case:
    """One input."""

    kind: str
    """Kind of file that the case pretends to be, which decides the commands that take it."""
    name: str
    what: str
    make: Make
    answers: bool = False
    """Whether there is a right answer; else it is refused."""
    dear: bool = False
    """Whether reading it takes long: only `READERS` of the test get it."""


def _file(name: str, content: bytes | str | Callable[[], bytes]) -> Make:
    def make(folder: Path) -> Path:
        path = folder / name
        held = content() if callable(content) else content
        path.write_bytes(held.encode() if isinstance(held, str) else held)
        return path

    return make


def _pipe(name: str) -> Make:
    def make(folder: Path) -> Path:
        os.mkfifo(folder / name)
        return folder / name

    return make


def _link(target: str, name: str) -> Make:
    def make(folder: Path) -> Path:
        (folder / name).symlink_to(target)
        return folder / name

    return make


def _run(files: Callable[[], dict[int, bytes]]) -> Make:
    return lambda folder: write_run(folder / "run", files())


def _beginning(name: str, head: bytes, size: int) -> Make:
    """A file of `size` bytes of which those behind `head` are zeros that take no room."""

    def make(folder: Path) -> Path:
        path = _file(name, head)(folder)
        os.truncate(path, size)
        return path

    return make


_JOB_FILE = '{"format": "latitude job", "version": 1, "ranks": 1, "operations": [%s]}'


def _inflated(begin: str, fill: bytes) -> bytes:
    """Bytes that unpack to `begin` and 1 GiB of `fill`; only the checksum is of fewer."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = packer.compress(begin.encode()) + packer.flush(zlib.Z_FULL_FLUSH)
    part = packer.compress(fill * (16 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + 64 * part + packer.flush()


def _kineto(events: str) -> str:
    return '{"schemaVersion": 1, "traceEvents": [' + events + "]}"


def _call(name: str, start: object, **args: object) -> str:
    event = {"ph": "X", "cat": "kernel" if name == "k" else "cuda_runtime", "name": name}
    return json.dumps({**event, "ts": start, "dur": 1, "args": args})


def _nodes(*messages: bytes) -> bytes:
    """A Chakra trace with these nodes."""
    sized = [bytes([len(message)]) + message for message in messages]
    return b"\2\x0a\0" + b"".join(sized)


_JOBS: tuple[tuple[str, str, Make], ...] = (
    ("Kineto, cut off", "a trace that ends inside an event", _file("a.json", _kineto("")[:-1])),
    ("Kineto, deep", "100,000 lists in each other", _file("a.json", _kineto("[" * 100_000))),
    (
        "Kineto, no launch",
        "a kernel that nothing launched",
        _file("a.json", _kineto(_call("k", 1, correlation=1) + "," + _call("cudaFree", 1))),
    ),
    (
        "Kineto, far apart",
        "two events that are 317 years apart",
        _file("a.json", _kineto(_call("cudaFree", 0) + "," + _call("cudaFree", 10**15 * 9))),
    ),
    (
        "Kineto, no UTF-8",
        "bytes in a name that are no text",
        _file("a.json", _kineto(_call("cudaFree", 0)).encode().replace(b"cuda", b"\xff\xfe")),
    ),
    (
        "Kineto, a bomb",
        "1 GiB of spaces in 1 MiB",
        _file("a.json.gz", lambda: _inflated(_kineto("")[:-1], b" ")),
    ),
    ("Chakra, no nodes", "metadata alone", _file("a.0.et", _nodes())),
    ("Chakra, cut off", "a node of 100 bytes of which two are there", _file("a.0.et", b"\0d\x08")),
    ("Chakra, long number", "a number of twenty bytes", _file("a.0.et", b"\xff" * 20)),
    (
        "Chakra, a cycle",
        "two nodes that wait for each other",
        _file("a.0.et", _nodes(b"\x18\4\x28\1", b"\x08\1\x18\4\x28\0")),
    ),
    ("Chakra, a bomb", "1 GiB of zeros in 1 MiB", _file("a.0.et", lambda: _inflated("", b"\0"))),
    (
        "job file, a cycle",
        "operations that wait for each other",
        _file("a.job.json", _JOB_FILE % '{"rank": 0, "ns": 1, "after": [0]}'),
    ),
    (
        "job file, many ranks",
        "2^40 ranks",
        _file("a.job.json", (_JOB_FILE % "").replace('1, "op', '1099511627776, "op')),
    ),
)


def _everywhere() -> Iterator[Case]:
    """Cases that any command may get in place of a file."""
    for kind, name in (
        ("program", "run.tar.gz"),
        ("result", "analysis.json"),
        ("network", "cluster.toml"),
        ("hop matrix", "hops.txt"),
        ("checkpoint", "kept"),
        ("campaign", "campaign.toml"),
        ("samples", "samples.csv"),
        ("table of runs", "runs.csv"),
        ("queue", "queue.json"),
        ("topology", "topology.conf"),
        ("hostfile", "hosts"),
        ("latency table", "table.dist"),
        ("watched", "b-1.parquet"),
    ):
        yield Case(kind, f"{kind}: pipe", "a pipe that nobody writes to", _pipe(name))
        yield Case(kind, f"{kind}: zeros", "a link to /dev/zero", _link("/dev/zero", name))
        # TOML without a line states nothing: a network is then the default one, with a warning.
        yield Case(
            kind, f"{kind}: empty", "an empty file", _file(name, b""), answers=kind == "network"
        )
        yield Case(kind, f"{kind}: binary", "bytes that are no text", _file(name, _NOISE))
        yield Case(kind, f"{kind}: one line", "1 MiB without a line's end", _file(name, _LINE))
        yield Case(
            kind,
            f"{kind}: long line",
            "two lines, the second of 4 GiB",
            _beginning(name, b"1\n2", 4 << 30),
        )


_NOISE = bytes(range(1, 256)) * 4
_LINE = b"x" * (1 << 20)

# --- programs -----------------------------------------------------------------------------------


def _tar(members: dict[str, bytes], sizes: dict[str, int] | None = None, **pax: str) -> bytes:
    """A tar archive; `sizes` are stated in place of the true ones, `pax` in an extended header."""
    content = bytearray()
    for name, data in members.items():
        member = tarfile.TarInfo(name)
        member.size = (sizes or {}).get(name, len(data))
        member.pax_headers = dict(pax)
        content += member.tobuf(tarfile.PAX_FORMAT if pax else tarfile.GNU_FORMAT)
        content += data + bytes(-len(data) % 512)
    return bytes(content) + bytes(1024)


def _ring() -> dict[str, bytes]:
    return {f"rank-{rank:07}.lat": rank_file(rank) for rank in range(RANKS)}


def _bomb(compress: Callable[[bytes], bytes]) -> bytes:
    """64 MiB of zeros after a rank's file."""
    return compress(rank_file(0, 1) + bytes(64 << 20))


def _large_bomb() -> bytes:
    """A bomb in a file so large that a limit on the ratio alone lets 900 MiB pass."""
    noise = np.random.default_rng(1).bytes(4 << 20)
    return gzip.compress(rank_file(0, 1) + noise, 1) + 90 * gzip.compress(bytes(10 << 20))


def _flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :]


def _chunk_of_many(records: int, payload: bytes) -> bytes:
    """A rank's file whose events state more than they are."""
    writer = Writer(0, 1)
    writer.chunk(1, 1, text('{"host": "a"}'))
    writer.chunk(2, 1, text("MPI_Send") + text("cptb"))
    writer.chunk(6, records, payload)
    return writer.file


def _metadata(meta: str) -> Callable[[], dict[int, bytes]]:
    def files() -> dict[int, bytes]:
        found = {}
        for rank in range(RANKS):
            plain = rank_file(rank)
            writer = Writer(rank, RANKS)
            writer.chunk(1, 1, text(meta))
            found[rank] = writer.file + plain[_second_chunk(plain) :]
        return found

    return files


def _second_chunk(content: bytes) -> int:
    length = struct.unpack_from("<I", content, 32 + 8)[0]
    return int(32 + 36 + length)


def _module(path: str) -> Callable[[], dict[int, bytes]]:
    return lambda: {rank: rank_file(rank, module=path) for rank in range(RANKS)}


def _named_module(make: Make) -> Make:
    """A trace that names what `make` makes as the program's file."""

    def run(folder: Path) -> Path:
        return write_run(folder / "run", _module(str(make(folder)))())

    return run


_ONE = {"rank-0000000.lat": bytes(9)}
_ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHI", 2, 62, 1)
_GOAL = "num_ranks 1\nrank 0 {\na: calc 100\n}\n"

_PROGRAMS = (
    Case(
        "program",
        "tar: size of 10¹²",
        "a member that states 10¹² bytes and has 1,000",
        _file("run.tar", _tar({"rank-0000000.lat": bytes(1000)}, {"rank-0000000.lat": 10**12})),
    ),
    Case(
        "program",
        "tar: size of 2⁶²",
        "the same with 2⁶², which takes base 256",
        _file("run.tar", _tar({"rank-0000000.lat": bytes(1000)}, {"rank-0000000.lat": 2**62})),
    ),
    Case(
        "program",
        "tar: size in a pax header",
        "the same in an extended header",
        _file(
            "run.tar.gz", gzip.compress(_tar({"rank-0000000.lat": bytes(9)}, None, size="9" * 15))
        ),
    ),
    Case(
        "program",
        "tar: pax size of 5,001 digits",
        "a number that Python refuses to read",
        _file("run.tar", _tar(_ONE, size="9" * 5001)),
    ),
    Case(
        "program",
        "tar: sparse header",
        "a map of holes that is none",
        _file("run.tar", _tar({"a.lat": bytes(9)}, None, **{"GNU.sparse.map": "x,1"})),
    ),
    Case(
        "program",
        "tar.gz: last bytes missing",
        "an archive cut within gzip's checksum",
        _file("run.tar.gz", lambda: gzip.compress(_tar(_ring()))[:-5]),
    ),
    Case(
        "program",
        "tar.xz: flipped bit",
        "a bit of the data",
        _file("run.tar.xz", lambda: _flipped(lzma.compress(_tar(_ring())), 200)),
    ),
    Case(
        "program",
        "lat.gz: zeros",
        "64 MiB of zeros behind a rank's events, in 64 KiB",
        lambda folder: _compressed(folder, ".gz", _bomb(gzip.compress)),
        dear=True,
    ),
    Case(
        "program",
        "lat.gz: noise and zeros",
        "900 MiB of zeros behind a rank's events and 4 MiB of noise, in 5 MiB",
        lambda folder: _compressed(folder, ".gz", _large_bomb()),
        dear=True,
    ),
    Case(
        "program",
        "lat.zst: zeros",
        "the same in 6 KiB",
        lambda folder: _compressed(folder, ".zst", _bomb(zstandard.compress)),
        dear=True,
    ),
    Case(
        "program",
        "lat.zst: size stated",
        "a frame that states 2⁶⁰ bytes",
        lambda folder: _compressed(
            folder, ".zst", b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 1 << 60) + b"\1\0\0"
        ),
    ),
    Case(
        "program",
        "records stated",
        "a chunk of 2³² − 1 events that is empty",
        _run(lambda: {0: _chunk_of_many(0xFFFFFFFF, b"")}),
    ),
    Case(
        "program",
        "number without end",
        "a chunk of bytes that all say that more follow",
        _run(lambda: {0: _chunk_of_many(1, b"\xff" * 4096)}),
    ),
    Case(
        "program",
        "ranks stated",
        "a file of rank 0 of 2³² − 1",
        _run(lambda: {0: rank_file(0, 0xFFFFFFFF)}),
    ),
    Case(
        "program",
        "communicators of ranks stated",
        "a file of rank 0 of 2³² − 1 that lists 100 communicators of it alone",
        _run(lambda: {0: _listed_communicators(100, 0xFFFFFFFF)}),
    ),
    Case(
        "program",
        "nothing recorded",
        "files without events, as on a full disk",
        _run(lambda: {rank: rank_file(rank, events=0) for rank in range(RANKS)}),
    ),
    Case(
        "program",
        "metadata nested",
        "JSON nested 100,000 deep",
        _run(_metadata('{"host": ' + "[" * 100_000 + "}")),
        answers=True,
    ),
    Case(
        "program",
        "metadata of other types",
        "texts for numbers, and numbers for texts",
        _run(_metadata('{"cores": "8", "ranks_on_host": [], "null_gap_ns": "x", "host": 5}')),
        answers=True,
    ),
    Case(
        "program",
        "module: pipe",
        "a trace that names a pipe as the program's file",
        _named_module(_pipe("app")),
        answers=True,
    ),
    Case(
        "program",
        "module: device",
        "one that names /dev/zero",
        _run(_module("/dev/zero")),
        answers=True,
    ),
    Case(
        "program",
        "module: header alone",
        "one that names an ELF file of 24 bytes, as while it is linked anew",
        _named_module(_file("app", _ELF)),
        answers=True,
    ),
    Case(
        "program",
        "module: zero byte",
        "a name that no file can have",
        _run(_module("/bin/a\0b")),
        answers=True,
    ),
    Case(
        "program",
        "module: no UTF-8",
        "a name of bytes that are no letters",
        _run(_module("/bin/\udcff\udcfe")),
        answers=True,
    ),
    Case(
        "program",
        "module: markup",
        "a name that ends a script and begins a comment on the page",
        _run(_module("/bin/<!--<script></script>x")),
        answers=True,
    ),
    Case(
        "program",
        "module: orders to a terminal",
        "a name with ESC, BEL and OSC",
        _run(_module("/bin/\x1b]0;owned\x07\x1b[31m")),
        answers=True,
    ),
    Case(
        "program",
        "GOAL: ranks stated",
        "num_ranks 2³² − 1, and none of them",
        _file("a.goal", "num_ranks 4294967295\n"),
    ),
    Case(
        "program",
        "GOAL: number of 10,000 digits",
        "a calc that lasts so long",
        _file("a.goal", _GOAL.replace("100", "9" * 10_000)),
    ),
    Case(
        "program",
        "GOAL: calc of 2⁶³ − 1",
        "time that no double holds exactly",
        _file("a.goal", _GOAL.replace("100", str(2**63 - 1))),
        answers=True,
    ),
    Case(
        "program",
        "GOAL: message of 2⁶² bytes",
        "a size that no memory has",
        _file(
            "a.goal",
            "num_ranks 2\nrank 0 {\na: send 4611686018427387904b to 1 tag 1\n}\n"
            "rank 1 {\nb: recv 4611686018427387904b from 0 tag 1\n}\n",
        ),
        answers=True,
    ),
    Case(
        "program",
        "GOAL: circle",
        "two operations that wait for each other",
        _file("a.goal", _GOAL.replace("}", "b: calc 1\na requires b\nb requires a\n}")),
    ),
    Case(
        "program",
        "GOAL binary: cut",
        "a header and nothing behind it",
        _file("a.bin", b"GOAL" + bytes(60)),
    ),
)


def _compressed(folder: Path, suffix: str, content: bytes) -> Path:
    run = folder / "run"
    run.mkdir()
    (run / f"rank-0000000.lat{suffix}").write_bytes(content)
    return run


def _listed_communicators(count: int, ranks: int) -> bytes:
    """A file of rank 0 that lists itself as the only member of each communicator."""
    writer = Writer(0, ranks)
    each = [varint(c + 1) + varint(0) + varint(c) + varint(0) for c in range(count)]
    writer.chunk(5, count, b"".join(head + varint(1) + varint(1) + varint(0) for head in each))
    return writer.file


_PRV_HEADER = "#Paraver (01/02/2026 at 10:11):30000_ns:1(2):1:{tasks}(1:1,1:1),1\n"
_PRV = (
    _PRV_HEADER.format(tasks=2),
    "2:1:1:1:1:0:50000003:31\n2:1:1:1:1:1000:50000003:0\n",
    "2:1:1:2:1:0:50000003:31\n2:1:1:2:1:1000:50000003:0\n",
)


def _many_names(count: int) -> str:
    types = "".join(f"0 {60_000_000 + i} name\n" for i in range(count))
    return f"EVENT_TYPE\n{types}VALUES\n" + "".join(f"{i} value\n" for i in range(count))


def _idle(tasks: int) -> str:
    """One call, of the first of so many tasks."""
    head = _PRV_HEADER.format(tasks=tasks).replace("(1:1,1:1)", f"({'1:1,' * (tasks - 1)}1:1)")
    return head + _PRV[1]


_SEND = "2:1:1:1:1:2000:50000001:1\n2:1:1:1:1:3000:50000001:0\n"


def _dumpi() -> Iterator[Case]:
    def folder(*fields: bytes, name: str = "Waitall", meta: str = "") -> Make:
        def make(place: Path) -> Path:
            file = begun(0)
            file.call(name, 10, 20, *fields)
            run = write_dumpi(place / "run", [file])
            if meta:
                next(run.glob("*.meta")).write_text(meta)
            return run

        return make

    for what, make in (
        ("requests stated", folder(i32(1, 2_000_000_000))),
        ("statuses stated", folder(i32(1, 0, -1))),
        (
            "ranges stated",
            folder(u16(5), i32(1, 1, 3, 0, 2_000_000_000, 1), u16(6), name="Group_range_incl"),
        ),
        (
            "texts in texts",
            folder(i32(0, 0, 0), u16(2, 9), i32(0, 0, 1, -1), name="Comm_spawn_multiple"),
        ),
        ("ranks stated", folder(u16(2), name="Barrier", meta="numprocs=4294967295\n")),
        ("no end of it", folder(u16(2), name="Barrier")),
    ):
        meaning, dear = "a folder with a rank's file and a .meta", what == "ranges stated"
        yield Case("program", f"DUMPI: {what}", meaning, make, dear=dear)


def _paraver() -> Iterator[Case]:
    for what, content in (
        ("header alone", _PRV[0]),
        ("tasks stated", _PRV_HEADER.format(tasks=4294967295)),
        ("tasks stated, few of them", _PRV_HEADER.format(tasks=16777215)),
        ("tasks named, without records", _idle(1_000_000)),
        ("time of 20 digits", _PRV[0] + "2:1:1:1:1:" + "9" * 20 + ":50000003:31\n"),
        ("time of 5,001 digits", _PRV[0] + f"2:1:1:1:1:{_DIGITS}:50000003:31\n"),
        ("task of nobody", _PRV[0] + "2:1:1:3:1:0:50000003:31\n"),
        ("unknown record", "".join(_PRV) + "7:1:1\n"),
        ("communicator stated", _PRV[0] + "c:1:1:4294967295:1:2\n"),
        ("last line cut", "".join(_PRV)[:-5]),
    ):
        yield Case(
            "program",
            f"Paraver: {what}",
            "a .prv file as its name says",
            _file("a.prv", content),
            dear=what.startswith("tasks"),
        )
    yield Case(
        "program",
        "Paraver: values of 20,000 types",
        "a .pcf that says what 20,000 values of each of them are",
        lambda folder: [
            _file("a.pcf", _many_names(20_000))(folder),
            _file("a.prv", "".join(_PRV))(folder),
        ][1],
        answers=True,
        dear=True,
    )
    yield Case(
        "program",
        "Paraver: names in a pipe",
        "a .pcf beside it that nobody writes to: it is not read",
        lambda folder: [_pipe("a.pcf")(folder), _file("a.prv", "".join(_PRV) + _SEND)(folder)][1],
        answers=True,
    )


def _otf2(damage: Callable[[Path], object]) -> Make:
    """A sound archive of two ranks, damaged; it is given by its anchor file."""

    def make(folder: Path) -> Path:
        with archive(folder / "run", 2) as run:
            for number, rank in enumerate(run.ranks):
                rank.call("MPI_Init", 500, 1000)
                other = ("mpi_recv", 0) if number else ("mpi_send", 1)
                name = "MPI_Recv" if number else "MPI_Send"
                rank.call(name, 2000, 3000, (*other, run.world, 5, 1000))
                rank.call("MPI_Finalize", 6000, 7000)
        damage(folder / "run")
        return folder / "run" / "traces.otf2"

    return make


def _replaced(name: str, made: Callable[[bytes], bytes]) -> Make:
    """A file of the archive with other content."""

    def damage(run: Path) -> Path:
        (run / name).write_bytes(made((run / name).read_bytes()))
        return run / name

    return damage


def _piped(name: str) -> Make:
    def damage(run: Path) -> Path:
        (run / name).unlink()
        return _pipe(name)(run)

    return damage


_OTF2 = (
    ("anchor cut", "an anchor file of 20 bytes", _replaced("traces.otf2", lambda c: c[:20])),
    (
        "anchor of noise",
        "noise behind its mark",
        _replaced("traces.otf2", lambda c: c[:8] + _NOISE),
    ),
    ("definitions cut", "half of them", _replaced("traces.def", lambda c: c[: len(c) // 2])),
    (
        "definitions of noise",
        "noise behind their head",
        _replaced("traces.def", lambda c: c[:40] + _NOISE),
    ),
    ("definitions in a pipe", "that nobody writes to", _piped("traces.def")),
    ("events cut", "half of a rank's", _replaced("traces/0.evt", lambda c: c[: len(c) // 2])),
    ("events empty", "of a rank", _replaced("traces/0.evt", lambda c: c[:0])),
    (
        "events of noise",
        "noise behind their head",
        _replaced("traces/0.evt", lambda c: c[:30] + _NOISE),
    ),
    ("events in a pipe", "that nobody writes to", _piped("traces/0.evt")),
)


# --- texts --------------------------------------------------------------------------------------

_NODES = "n[0-99999]x[0-99999]"
_DIGITS = "9" * 5001
_NESTED = "[" * 100_000 + "]" * 100_000


def _texts() -> Iterator[Case]:
    for kind, name, head in (
        ("network", "cluster.toml", ""),
        ("campaign", "campaign.toml", ""),
    ):
        yield Case(
            kind, f"{kind}: nested", "arrays nested 100,000 deep", _file(name, f"a = {_NESTED}\n")
        )
        yield Case(kind, f"{kind}: digits", "an integer of 5,001", _file(name, f"a = {_DIGITS}\n"))
        yield Case(
            kind,
            f"{kind}: long key",
            "a key of 50,000 parts",
            _file(name, "a." * 50_000 + "a = 1\n"),
        )
        yield Case(
            kind,
            f"{kind}: orders to a terminal",
            "ESC in a key's name",
            _file(name, head + '"\\u001b[31mL" = "1us"\n'),
        )
    yield Case(
        "campaign",
        "campaign: repetitions",
        "10¹² of one run",
        _file(
            "campaign.toml",
            "[campaign]\nname = 'c'\ndirectory = 'c'\nrepetitions = 1000000000000\n\n"
            "[[program]]\nname = 'p'\nlaunch = 'true'\nruntime = 'wall'\n\n"
            "[[level]]\nlatency = '0'\n",
        ),
    )
    for what, document in (
        ("nested", _NESTED),
        ("digits", '{"jobs": ' + _DIGITS + "}"),
        ("jobs are numbers", '{"jobs": [1, 2]}'),
        ("jobs are no list", '{"jobs": {"a": 1}}'),
        (
            "node list",
            json.dumps(
                {"jobs": [{"job_id": 1, "job_state": "RUNNING", "nodes": "n[0-99999]x[0-99999]"}]}
            ),
        ),
    ):
        yield Case("queue", f"queue: {what}", "JSON of squeue", _file("queue.json", document))
    yield Case(
        "queue",
        "queue: node list in text",
        "10¹⁰ nodes in a line",
        _file(
            "queue.txt",
            "JOBID|ARRAY_JOB_ID|STATE|NODES|NODELIST\n1|1|RUNNING|2|n[0-99999]x[0-99999]\n",
        ),
    )
    yield Case(
        "topology",
        "topology: node list",
        "10¹⁰ nodes below a switch",
        _file("topology.conf", f"SwitchName=s Nodes={_NODES}\n"),
    )
    yield Case(
        "topology",
        "topology: circle",
        "switches below each other",
        _file("topology.conf", "SwitchName=a Switches=b\nSwitchName=b Switches=a\n"),
    )
    for what, meaning, content in (
        ("slots", "10¹² ranks on a host", "a slots=1000000000000\n"),
        ("slots together", "16,777,217 ranks on two", "a slots=1\nb:16777216\n"),
        ("slots of 5,001 digits", "on a host", f"a:{_DIGITS}\n"),
    ):
        yield Case("hostfile", f"hostfile: {what}", meaning, _file("hosts", content))
    yield Case(
        "hostfile",
        "hostfile: name of 5,001 digits",
        "which is no node's number",
        _file("hosts", f"n{_DIGITS}\nn{_DIGITS}\n"),
        answers=True,
    )
    yield Case(
        "latency table",
        "latency table: digits",
        "a number of 5,001",
        _file("t.dist", _DIGITS + "\n"),
    )
    yield Case(
        "latency table", "latency table: not a number", "nan and inf", _file("t.dist", "nan\ninf\n")
    )


# --- samples ------------------------------------------------------------------------------------


def _parquet(frame: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    frame.to_parquet(content, index=False)
    return content.getvalue()


_ROWS = 12345


def _parquet_that_states(**numbers: int) -> Callable[[], bytes]:
    """A file of `_ROWS` rows whose footer states other `rows`, or `bytes` of its row group."""

    def content() -> bytes:
        frame = pd.DataFrame({"latency_ns": np.arange(1.0, 1.0 + _ROWS), "b": 0.5})
        frame["time"] = pd.Timestamp("2026-01-01")
        whole = _parquet(frame)
        end = len(whole) - 8
        begin = end - struct.unpack("<I", whole[end : end + 4])[0]
        footer = whole[begin:end]
        group = pq.ParquetFile(io.BytesIO(whole)).metadata.row_group(0)
        held = {"rows": _ROWS, "bytes": group.total_byte_size}
        for name, number in numbers.items():
            assert varint(2 * held[name]) in footer
            footer = footer.replace(varint(2 * held[name]), varint(2 * number))
        return whole[:begin] + footer + struct.pack("<I", len(footer)) + b"PAR1"

    return content


_STATED = (
    ("10⁹ rows stated", "and 12,345 in it", {"rows": 10**9}),
    ("10¹⁸ rows stated", "and 12,345 in it", {"rows": 10**18}),
    ("rows missing", "20,000 stated and 12,345 in it", {"rows": 20_000}),
    ("1 TiB stated", "of a row group that has 200 KiB", {"bytes": 1 << 40}),
)


def parquet_of_one_text(rows: int) -> bytes:
    """A file of few KiB, one text of 1 MB being in each row."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["x" * 1_000_000])
    table = pa.table({"latency_ns": [1.0] * rows, "b": [0.5] * rows, "source": text})
    time = pa.array([0] * rows, pa.timestamp("us"))
    content = io.BytesIO()
    pq.write_table(
        table.append_column("time", time), content, compression="zstd", store_schema=False
    )
    return content.getvalue()


def _samples_parquet() -> bytes:
    return _parquet(pd.DataFrame({"latency_ns": np.arange(1.0, 101.0)}))


def _samples() -> Iterator[Case]:
    for what, name, content in (
        ("JSON nested", "s.json", _NESTED),
        ("JSON of 5,001 digits", "s.json", f"[{_DIGITS}]"),
        ("JSON of one number", "s.json", '{"latency_us": 5'),
        ("JSON of records and numbers", "s.json", '[{"latency_us": 1}, 2]'),
        ("JSON of tables in tables", "s.json", '[{"latency_us": {"a": [1]}}]'),
        ("JSON of columns of other lengths", "s.json", '{"latency_us": [1, 2], "b": [1]}'),
        ("JSON whose units are lists", "s.json", '{"latency": [1, 2], "unit": [["us"], ["us"]]}'),
        ("JSON lines of other things", "s.json", '{"latency_us": 1}\n[2]\n'),
        ("JSON lines, nested", "s.json", '{"latency_us": 1}\n' + _NESTED + "\n"),
        ("JSON that is infinite", "s.json", "[Infinity, NaN, 1e999]"),
        ("CSV with more cells than names", "s.csv", "latency_us,bytes\n" + "1,2,3\n" * 100),
        ("CSV with a quote that never ends", "s.csv", 'latency_us,source\n1,"a\n' + "2,b\n" * 1000),
        ("CSV of names alone", "s.csv", "latency_us\n"),
        ("CSV with commas within numbers", "s.csv", "latency_us\n" + "1,5\n2,5\n" * 100),
        ("CSV with two columns of one name", "s.csv", "latency_us,latency_us\n1,2\n"),
        ("CSV of 10,000 columns", "s.csv", ",".join(f"c{i}" for i in range(10_000)) + "\n"),
        ("CSV near the largest number", "s.csv", "latency_ns\n" + "1e308\n1.5e308\n" * 100),
        ("CSV of times near the largest", "s.csv", "latency_s\n" + "1e300\n1.5e300\n" * 100),
        ("CSV that is none of numbers", "s.csv", "latency_us\nnan\ninf\n-1\n=1+1\n"),
        ("OSU output with a size of 5,001 digits", "s.txt", _OSU.format(size=_DIGITS)),
        (
            "OSU output without latencies",
            "s.txt",
            "# OSU MPI Latency Test v5\n# Size  Latency (us)\n",
        ),
        ("perftest with a size of 5,001 digits", "s.txt", _PERFTEST.format(size=_DIGITS)),
        ("perftest without samples", "s.txt", "                    RDMA_Write Latency Test\n"),
    ):
        yield Case("samples", f"samples: {what}", "as its name says", _file(name, content))
    yield Case(
        "samples",
        "samples: CSV with 65 MiB in a quote",
        "one that never ends",
        _file("s.csv", lambda: b'latency_us,source\n1,"a\n' + b"2,bcde\n" * (65 << 17)),
    )
    yield Case(
        "samples",
        "samples: CSV with a long line",
        "one of 4 GiB",
        _beginning("s.csv", b"latency_us\n1\n2\n3\n4\n5", 4 << 30),
    )
    yield Case(
        "samples",
        "samples: JSON lines, a long one",
        "one of 4 GiB",
        _beginning("s.json", b'{"latency_us": 1}\n{"latency_us": 2}\n{', 4 << 30),
    )
    yield Case(
        "samples",
        "samples: OSU output with a long line",
        "one of 4 GiB",
        _beginning("s.txt", _OSU.format(size=4).encode() + b"8  ", 4 << 30),
    )
    yield Case(
        "samples",
        "samples: Parquet, cut",
        "without its last 20 bytes",
        _file("s.parquet", lambda: _samples_parquet()[:-20]),
    )
    yield Case(
        "samples",
        "samples: Parquet, footer's length",
        "one of 2³² − 1 bytes",
        _file("s.parquet", lambda: _samples_parquet()[:-8] + b"\xff\xff\xff\xffPAR1"),
    )
    yield Case(
        "samples",
        "samples: Parquet, text",
        "a latency column of texts",
        _file("s.parquet", lambda: _parquet(pd.DataFrame({"latency_us": ["a"]}))),
    )
    yield Case(
        "samples",
        "samples: Parquet, lists",
        "a latency column of lists",
        _file("s.parquet", lambda: _parquet(pd.DataFrame({"latency_us": [[1.0]]}))),
    )
    yield Case(
        "samples",
        "samples: directory of a pipe",
        "a store whose only file is a pipe",
        lambda folder: _within(folder / "store", _pipe("a.parquet")),
    )
    yield Case(
        "samples",
        "samples: directory of noise",
        "a store whose only file is no Parquet",
        lambda folder: _within(folder / "store", _file("a.parquet", _NOISE)),
    )
    for kind, name in (
        ("samples", "s.parquet"),
        ("table of runs", "r.parquet"),
        ("watched", "b-1.parquet"),
    ):
        for what, meaning, numbers in _STATED:
            yield Case(
                kind,
                f"{kind}: Parquet, {what}",
                meaning,
                _file(name, _parquet_that_states(**numbers)),
            )
        yield Case(
            kind,
            f"{kind}: Parquet, one text",
            "of 1 MB, in 1,000 rows and 3 KB",
            _file(name, lambda: parquet_of_one_text(1000)),
            answers=kind == "samples",  # where texts are not asked for
        )
    for what, make in (
        ("texts for times", {"time": ["a"], "b": [0.5]}),
        ("texts for b", {"time": pd.to_datetime(["2026-01-01"]), "b": ["x"]}),
        ("without b", {"time": pd.to_datetime(["2026-01-01"])}),
    ):
        yield Case(
            "watched",
            f"watched: {what}",
            "samples of b",
            lambda folder, make=make: _file("b-1.parquet", _parquet(pd.DataFrame(make)))(folder),  # type: ignore[misc]
        )
    yield Case(
        "table of runs",
        "table of runs: Parquet, flipped",
        "a bit of its footer",
        _file("r.parquet", lambda: _flipped(_samples_parquet(), -30)),
    )
    yield Case(
        "table of runs",
        "table of runs: quote",
        "one that never ends",
        _file("r.csv", 'x_us,y_us\n1,"2\n3,4\n'),
    )
    for what, meaning, content in (
        ("columns", "500,000 of one name", "x_us,y_us" + ",a" * 500_000 + "\n1,2\n"),
        (
            "more cells than names",
            "in each line",
            "x_us,y_us\n" + "".join(f"{i},{i * i % 7},{i % 3}\n" for i in range(1, 10)),
        ),
    ):
        yield Case("table of runs", f"table of runs: {what}", meaning, _file("r.csv", content))


_OSU = "# OSU MPI Latency Test v5\n# Size          Latency (us)\n{size}  1.0\n"
_PERFTEST = (
    "                    RDMA_Write Latency Test\n#, usec\n1, 1.0\n2, 2.0\n"
    " {size} 2 1.0 2.0 1.0 1.0 1.0 2.0 2.0\n"
)


def _within(folder: Path, make: Make) -> Path:
    folder.mkdir()
    make(folder)
    return folder


# --- directories of ours ------------------------------------------------------------------------


def _directories() -> Iterator[Case]:
    for what, plan in (
        ("a list", "[]"),
        ("nested", _NESTED),
        ("a number", "5"),
        ("another object", '{"a": 1}'),
    ):
        yield Case(
            "campaign directory",
            f"campaign directory: plan is {what}",
            "its plan.json",
            lambda folder, plan=plan: _within(folder / "c", _file("plan.json", plan)),  # type: ignore[misc]
        )
    yield Case(
        "campaign directory",
        "campaign directory: plan is a pipe",
        "its plan.json",
        lambda folder: _within(folder / "c", _pipe("plan.json")),
    )
    for what, content in (("noise", _NOISE), ("zlib", zlib.compress(bytes(1 << 20)))):
        yield Case(
            "samples of a forecast",
            f"samples of a forecast: {what}",
            "the state of what --resume goes on with",
            lambda folder, content=content: _within(  # type: ignore[misc]
                folder / "f", lambda f: _within(f / "samples", _file("_samples.json", content))
            ),
        )
    yield Case(
        "samples of a forecast",
        "samples of a forecast: pipe",
        "the state of what --resume goes on with",
        lambda folder: _within(
            folder / "f", lambda f: _within(f / "samples", _pipe("_samples.json"))
        ),
    )


def _results() -> Iterator[Case]:
    """Cases in place of an analysis.json."""
    begin = b'{"schema": "latitude.analysis/1", '
    for what, content in (
        ("nothing else", begin[:-2] + b"}"),
        ("100,000 brackets", begin + b'"provenance": ' + b"[" * 100_000),
        ("ranks that are 10^12", begin + b'"trace": {"ranks": 1000000000000}}'),
        ("a number of 5,001 digits", begin + b'"baseline": {"T_ns": ' + b"9" * 5001 + b"}}"),
    ):
        yield Case(
            "result", f"result: {what}", "its schema, and that", _file("analysis.json", content)
        )


CASES = (
    *_everywhere(),
    *_PROGRAMS,
    *_dumpi(),
    *_paraver(),
    *(
        Case("program", f"job: {name}", what, make, dear=name.endswith("bomb"))
        for name, what, make in _JOBS
    ),
    *(Case("program", f"OTF2: {name}", what, _otf2(damage)) for name, what, damage in _OTF2),
    *_texts(),
    *_results(),
    *_samples(),
    *_directories(),
)
