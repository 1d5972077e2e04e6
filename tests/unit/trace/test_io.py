"""Directories, archives and files that are right, wrong, truncated or incomplete."""

import bz2
import gzip
import hashlib
import io
import lzma
import math
import os
import random
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

import latitude
from latitude import InputError
from latitude.trace import archive
from support.native_trace import rank_file
from support.native_trace import write as write_run
from support.tiers import first_of

Members = dict[str, bytes]


@pytest.fixture(scope="session")
def members(lulesh: Path) -> Members:
    with tarfile.open(lulesh) as tar:
        return {
            info.name: file.read() for info in tar if (file := tar.extractfile(info)) is not None
        }


def tar_of(members: Members) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zstd(data: bytes) -> bytes:
    """Two frames, as `zstd -T` and `cat` make them."""
    half = len(data) // 2
    compressor = zstandard.ZstdCompressor()
    return compressor.compress(data[:half]) + compressor.compress(data[half:])


def checked_zstd(data: bytes) -> bytes:
    """Compressed data with a checksum, as `zstd` writes it."""
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstd,
}


def facts(path: Path) -> tuple[object, ...]:
    program = latitude.load(path)
    graph = program.graph
    return (program.trace.calls, graph.vertices, graph.edges, graph.messages, graph.bytes)


@pytest.fixture(scope="session")
def expected(lulesh: Path) -> tuple[object, ...]:
    return facts(lulesh)


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_archives(
    tmp_path: Path, members: Members, suffix: str, expected: tuple[object, ...]
) -> None:
    path = tmp_path / f"run.tar{suffix}"
    path.write_bytes(COMPRESSIONS[suffix](tar_of(members)))
    assert facts(path) == expected


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_directories_and_archives_of_compressed_members(
    tmp_path: Path, members: Members, suffix: str, expected: tuple[object, ...]
) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    packed = {f"run/{n}{suffix}": COMPRESSIONS[suffix](data) for n, data in members.items()}
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
    (directory / "README.md").write_text("not a rank's file")
    assert facts(directory) == expected
    archive = tmp_path / "run.tar"
    archive.write_bytes(tar_of({**packed, "run/README.md": b"nor here"}))
    assert facts(archive) == expected


def test_digests_are_those_of_sha256sum(tmp_path: Path, members: Members, lulesh: Path) -> None:
    program = latitude.load(lulesh)
    assert program.digest.hex() == hashlib.sha256(lulesh.read_bytes()).hexdigest()
    for name, content in members.items():
        (tmp_path / name).write_bytes(content)
    lines = "".join(
        f"{hashlib.sha256(members[name]).hexdigest()}  {name}\n" for name in sorted(members)
    )
    assert latitude.load(tmp_path).digest.hex() == hashlib.sha256(lines.encode()).hexdigest()


def test_a_missing_rank_is_named(tmp_path: Path, members: Members) -> None:
    for rank in (0, 1, 3):
        (tmp_path / f"pmpi-trace-rank-{rank}.txt").write_bytes(b"")
    with pytest.raises(InputError, match="rank 2 is missing"):
        latitude.load(tmp_path)
    archive = tmp_path / "run.tar"
    kept = {name: data for name, data in members.items() if not re.search("[25].txt", name)}
    archive.write_bytes(tar_of(kept))
    with pytest.raises(InputError, match="ranks 2, 5 are missing"):
        latitude.load(archive)


@pytest.mark.parametrize(
    ("names", "advice"),
    [
        ([], "nothing in it; expected one file per rank"),
        (["README.md", ".hidden-0"], "no per-rank files in it"),
        (["a-0.txt", "b-0.txt"], "are both rank 0"),
        (["run-7.txt"], "ranks 0, 1, 2, 3 and 3 more are missing"),
        (["data/"], "did you mean"),
    ],
)
def test_wrong_directories(tmp_path: Path, names: list[str], advice: str) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    for name in names:
        if name.endswith("/"):
            (directory / name).mkdir()
        else:
            (directory / name).touch()
    with pytest.raises(InputError, match="run") as error:
        latitude.load(directory)
    assert advice in str(error.value)


def test_what_is_taken_at_once_has_a_limit_in_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the file's size on disk lets pass; formats that are read in pieces need none."""
    write_run(tmp_path / "run", {0: rank_file(0, 1)})
    found = tmp_path / "run" / "rank-0000000.lat"
    content = found.read_bytes()
    packed = found.with_name(f"{found.name}.gz")
    packed.write_bytes(gzip.compress(content))
    found.unlink()
    monkeypatch.setattr(archive, "_AT_ONCE_RATIO", 0)
    monkeypatch.setattr(archive, "AT_ONCE", len(content))
    assert latitude.load(tmp_path / "run").ranks == 1
    monkeypatch.setattr(archive, "AT_ONCE", len(content) - 1)
    with pytest.raises(InputError) as caught:
        latitude.load(tmp_path / "run")
    assert str(caught.value) == (
        f"{packed}: unpacks to more than {len(content) - 1:,} B; unpack it yourself and give the "
        "directory"
    )


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_truncated_archives(tmp_path: Path, members: Members, suffix: str, share: float) -> None:
    whole = COMPRESSIONS[suffix](tar_of(members))
    path = tmp_path / f"run.tar{suffix}"
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InputError, match="truncated or damaged"):
        latitude.load(path)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_truncated_members(tmp_path: Path, members: Members, suffix: str) -> None:
    for name, content in members.items():
        (tmp_path / f"{name}{suffix}").write_bytes(COMPRESSIONS[suffix](content))
    last = tmp_path / f"pmpi-trace-rank-7.txt{suffix}"
    last.write_bytes(last.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"rank-7.*truncated or damaged"):
        latitude.load(tmp_path)


def test_a_truncated_plain_tar(tmp_path: Path, members: Members) -> None:
    whole = tar_of(members)
    path = tmp_path / "run.tar"
    path.write_bytes(whole[: len(whole) // 2 + 100])
    with pytest.raises(InputError, match="truncated or damaged"):
        latitude.load(path)


@pytest.mark.parametrize(
    ("name", "content", "advice"),
    [
        ("empty", b"", "the file is empty"),
        ("photo.jpg", b"\xff\xd8\xff\xe0 no trace", "neither a trace nor a GOAL file"),
        ("text.gz", gzip.compress(b"x" * 5000), "not a tar archive"),
        ("rank-0.txt", b"# header\nMPI_Init:-:1:2:60\n", "one rank's part of a trace"),
    ],
    ids=["empty", "photo", "text.gz", "one rank"],
)
def test_files_that_are_no_input(tmp_path: Path, name: str, content: bytes, advice: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=name) as error:
        latitude.load(path)
    assert advice in str(error.value)
    assert "\n" not in str(error.value)


def test_an_absent_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        latitude.load(tmp_path / "absent")


def test_a_goal_file_is_told_by_its_content(tmp_path: Path, two_ranks: Path) -> None:
    path = tmp_path / "program.txt"
    path.write_bytes(two_ranks.read_bytes())
    program = latitude.load(path)
    assert program.trace.format == "GOAL text"
    assert program.trace.events is None
    assert program.ranks == 2


def test_collective_options_do_nothing_to_goal(two_ranks: Path) -> None:
    program = latitude.load(
        two_ranks, collectives=["allreduce=ring"], through=["a.c"], clock="cpu", mpi="detect"
    )
    (notice,) = program.warnings
    assert notice.code == "goal-as-it-is"
    assert notice.message.endswith(": --collective, --through, --clock changed nothing")
    assert latitude.load(two_ranks, clock="auto", incomplete=False).warnings == []


@pytest.mark.parametrize("option", ["allreduce=foo", "foo=ring", "=", "openmpi=x", "nope", ""])
def test_unknown_collective_options_are_refused_whatever_the_input_is(
    option: str, two_ranks: Path
) -> None:
    with pytest.raises(InputError, match=f"^--collective {option}: "):
        latitude.load(two_ranks, collectives=[option])


PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": checked_zstd,
}


@pytest.mark.parametrize("suffix", PACKED)
def test_an_archive_without_its_last_bytes_is_refused(
    tmp_path: Path, members: Members, suffix: str
) -> None:
    whole = PACKED[suffix](tar_of(members))
    path = tmp_path / f"run.tar{suffix}"
    for missing in (1, 5, 8):
        path.write_bytes(whole[:-missing])
        with pytest.raises(InputError, match="truncated or damaged"):
            latitude.load(path)


@pytest.mark.parametrize("suffix", first_of(PACKED))
def test_no_flipped_bit_gives_another_program(
    tmp_path: Path, members: Members, suffix: str, expected: tuple[object, ...]
) -> None:
    whole = PACKED[suffix](tar_of(members))
    path = tmp_path / f"run.tar{suffix}"
    refused = 0
    for at in random.Random(7).sample(range(8 * len(whole)), 24):
        damaged = bytearray(whole)
        damaged[at // 8] ^= 1 << at % 8
        path.write_bytes(damaged)
        try:
            assert facts(path) == expected  # in what says when it was packed, and the like
        except InputError:
            refused += 1
    assert refused > 16


def stretched(size: int, kind: bytes) -> bytes:
    """A tar archive whose one member states a size that it does not have."""
    info = tarfile.TarInfo("run/pmpi-trace-rank-0.txt")
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT) + bytes(2048)


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
@pytest.mark.parametrize("size", [10**12, 1 << 62])
def test_a_member_that_states_more_than_there_is(
    tmp_path: Path, size: int, kind: bytes, suffix: str
) -> None:
    path = tmp_path / f"run.tar{suffix}"
    path.write_bytes(COMPRESSIONS[suffix](stretched(size, kind)))
    with pytest.raises(InputError, match=r"damaged|not a tar archive|memory"):
        latitude.load(path)


@pytest.mark.parametrize("suffix", PACKED)
def test_what_unpacks_to_very_much_is_refused(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "FREE", 1 << 20)
    path = tmp_path / f"run.tar{suffix}"
    content = {"run/pmpi-trace-rank-0.txt": bytes(4 << 20)}
    path.write_bytes(PACKED[suffix](tar_of(content)))
    with pytest.raises(InputError, match="holds more than"):
        latitude.load(path)


def test_a_pipe_is_no_input(tmp_path: Path) -> None:
    pipe = tmp_path / "trace.goal"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="is a pipe or a device"):
        latitude.load(pipe)


@pytest.mark.parametrize("name", [b"run-\xff", b"run-\xed\xa0\x80.goal"])
def test_names_that_are_not_utf_8_are_said_to_be(
    tmp_path: Path, name: bytes, two_ranks: Path
) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    path.write_bytes(two_ranks.read_bytes())
    with pytest.raises(InputError, match="the name is not UTF-8"):
        latitude.load(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"collectives": "ring"}, "collectives = 'ring' is not a list of texts; write e.g. coll"),
        ({"collectives": [1]}, "collectives = [1] is not a list of texts"),
        ({"collectives": None}, "collectives = None is not a list of texts"),
        (
            {"collectives": {"allreduce": "ring"}},
            "is not a list of texts; write e.g. collectives=[",
        ),
        ({"reduce_ns_per_byte": "1ns"}, "reduce_ns_per_byte = '1ns' is not a finite number"),
        ({"reduce_ns_per_byte": math.nan}, "reduce_ns_per_byte = nan is not a finite number"),
        ({"reduce_ns_per_byte": -1}, "reduce_ns_per_byte = -1 is not a finite number"),
        ({"skip_unsupported": "no"}, "skip_unsupported = 'no' is neither True nor False"),
        ({"traced_times": 1}, "traced_times = 1 is neither True nor False"),
        ({"threads": -1}, "threads = -1 is not a whole number"),
        ({"threads": 1.5}, "threads = 1.5 is not a whole number"),
        ({"path": None}, "path = None is not a path"),
        ({"path": b"run"}, "path = b'run' is not a path"),
    ],
)
def test_arguments_of_other_types_are_one_error(
    two_ranks: Path, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as error:
        latitude.load(**{"path": two_ranks, **arguments})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_of_results_names_the_traces_in_it(tmp_path: Path) -> None:
    """The folder of `latitude run` has traces next to the page."""
    write_run(tmp_path / "trace", {0: rank_file(0, 1)})
    with pytest.raises(InputError, match=r"the trace is in .*/trace; name that"):
        latitude.load(tmp_path)
    write_run(tmp_path / "trace-2", {0: rank_file(0, 1)})
    with pytest.raises(InputError, match="holds 2 traces, trace, trace-2; name one of them"):
        latitude.load(tmp_path)
