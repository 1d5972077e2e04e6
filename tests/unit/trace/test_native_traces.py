"""Traces in our own format, as files: directories, archives, interrupted runs, conversion.

What the bytes mean is tested beside the reader (core/trace/native).
"""

import gzip
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import latitude as lat
from latitude import InputError, _core
from latitude.render.documents.analysis import analysis_document
from support.command import Run, python
from support.native_trace import MESSAGES, RANKS, SITE_OFFSET, rank_file, write

Refused = Callable[..., str]


@pytest.fixture
def files() -> dict[int, bytes]:
    return {rank: rank_file(rank) for rank in range(RANKS)}


@pytest.fixture
def run(tmp_path: Path, files: dict[int, bytes]) -> Path:
    return write(tmp_path / "run", files)


def tar_of(run: Path, path: Path, mode: str) -> Path:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        tar.add(run, arcname="run")
    return path


def facts(path: Path) -> tuple[object, ...]:
    program = lat.load(path)
    graph = program.graph
    return (program.trace, graph.vertices, graph.messages, graph.value.tolist())


def test_a_directory_is_a_trace(run: Path) -> None:
    program = lat.load(run)
    assert program.trace.format == "latitude trace"
    assert program.trace.calls["MPI_Wtime"] == 7 * RANKS
    assert program.graph.messages == RANKS * MESSAGES
    assert program.warnings == []
    assert len(program.digest.hex()) == 64


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["/opt/bin/ring", "-n", "5"], "ring -n 5"),
        (["ring", "x" * 300], f"ring {'x' * 55}…"),
        (["</title>"], "title>"),
        (["/"], "/"),
        ([], "run"),
        (["ring", 5], "run"),
        ("ring", "run"),
        (None, "run"),
    ],
)
def test_a_result_is_called_after_the_program(tmp_path: Path, command: object, name: str) -> None:
    directory = write(
        tmp_path / "run", {rank: rank_file(rank, command=command) for rank in range(RANKS)}
    )
    analysis = lat.analyze(lat.load(directory))
    assert analysis.name == name
    assert analysis.to_dict()["provenance"]["program"] == (None if name == "run" else name)
    assert analysis_document(analysis).name == name


def test_call_sites_reach_python(run: Path) -> None:
    graph = lat.load(run).graph
    assert graph.module_path == ["/bin/app"]
    assert graph.module_build_id == ["ab12"]
    assert graph.site_offset.tolist() == [SITE_OFFSET]
    assert graph.site_module.dtype == np.uint32
    assert graph.site_offset.dtype == np.uint64
    named = np.array(graph.call_name)[graph.call_code]
    assert set(graph.call_site[named == "MPI_Send"]) == {0}
    assert set(graph.call_site[named == "MPI_Recv"]) == {2**32 - 1}


def test_text_that_is_not_utf_8_reaches_python(tmp_path: Path) -> None:
    files = {
        rank: rank_file(rank, module="/bin/\udcff\0\x1b[2J", unseen="MPI_\udce9", host="\udcfe")
        for rank in range(RANKS)
    }
    program = lat.load(write(tmp_path / "run", files))
    assert program.graph.module_path == ["/bin/\\xff\0\x1b[2J"]
    assert program.trace.calls["MPI_\\xe9"] == 7 * RANKS


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_archives_are_the_same_trace(run: Path, tmp_path: Path, mode: str) -> None:
    assert facts(tar_of(run, tmp_path / "run.tar", mode)) == facts(run)


def test_compressed_files_are_the_same_trace(
    run: Path, tmp_path: Path, files: dict[int, bytes]
) -> None:
    packed = {rank: gzip.compress(content) for rank, content in files.items()}
    assert facts(write(tmp_path / "packed", packed, ".gz")) == facts(run)


def test_many_ranks_are_not_open_at_once(tmp_path: Path) -> None:
    run = write(tmp_path / "run", {rank: rank_file(rank, 1000) for rank in range(1000)})
    code = (
        "import resource, sys, latitude\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "print(latitude.load(sys.argv[1]).graph.messages)"
    )
    assert int(python("-c", code, run)) == 1000 * MESSAGES


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        (lambda files: files.pop(1), "rank 1 is missing"),
        (lambda files: files.pop(2), "is of a run of 3 ranks, and there are 2 files"),
        (lambda files: files.update({1: files[2], 2: files[1]}), "is rank 2, its name says rank 1"),
        (lambda files: files.update({1: rank_file(1, run=9)}), "is of another run than"),
        (
            lambda files: files.update({1: b"MPI_Init:-:0:0:1\n" * 9}),
            "does not begin with LATITUDE",
        ),
    ],
    ids=["gap", "last", "swapped", "mixed", "text"],
)
def test_files_that_are_no_run(
    tmp_path: Path,
    files: dict[int, bytes],
    change: Callable[[dict[int, bytes]], object],
    advice: str,
) -> None:
    change(files)
    with pytest.raises(InputError, match=advice):
        lat.load(write(tmp_path / "run", files))


def test_one_ranks_file_alone_names_its_directory(run: Path) -> None:
    with pytest.raises(InputError, match="one rank's part of a trace; give the directory"):
        lat.load(run / "rank-0000001.lat")


def test_an_interrupted_run_is_refused_or_cut(
    tmp_path: Path, files: dict[int, bytes], refused: Refused, latitude: Run
) -> None:
    files[1] = rank_file(1, events=6)[:-3]
    run = write(tmp_path / "run", files)
    message = refused("analyze", run)
    assert "rank-0000001.lat: breaks off at byte" in message
    assert "--incomplete analyses what all ranks completed" in message
    program = lat.load(run, incomplete=True)
    assert 0 < program.graph.messages < RANKS * MESSAGES
    (warning,) = program.warnings
    assert warning.code == "incomplete"
    assert "1 of 3 ranks' traces are incomplete" in warning.message
    done = latitude("analyze", run, "--incomplete")
    assert done.returncode == 0
    assert "lie behind what all ranks completed" in " ".join(done.stdout.split())


def test_a_trace_of_which_nothing_is_kept_is_refused(tmp_path: Path, refused: Refused) -> None:
    files = {rank: rank_file(rank, events=0) for rank in range(RANKS)}
    run = write(tmp_path / "run", files)
    message = refused("analyze", run, "--incomplete")
    assert "rank-0000000.lat: nothing can be kept of this trace: of 0 recorded events" in message
    assert "3 of 3 ranks recorded none, as in a run that soon crashed, or on a full disk" in message


@pytest.mark.parametrize(
    "command",
    [
        ("lp", "--solve"),
        ("place", "--nodes", "3", "--cores", "1", "--intra", "L=0.4us"),
        ("forecast", "--latency", "constant(1us)", "--samples", "20"),
    ],
    ids=["lp", "place", "forecast"],
)
def test_every_command_cuts_when_asked(
    tmp_path: Path,
    files: dict[int, bytes],
    latitude: Run,
    refused: Refused,
    command: tuple[str, ...],
) -> None:
    files[1] = rank_file(1, events=6)[:-3]
    run = write(tmp_path / "run", files)
    assert "breaks off at byte" in refused(command[0], run, *command[1:])
    done = latitude(command[0], run, *command[1:], "--incomplete")
    assert done.returncode == 0, done.stderr


def test_a_clock_that_was_not_recorded(run: Path, refused: Refused) -> None:
    assert "carries no CPU time; leave out --clock cpu" in refused("analyze", run, "--clock", "cpu")
    assert lat.load(run, clock="wall").graph.messages == RANKS * MESSAGES
    with pytest.raises(InputError, match="unknown clock 'sun'; use one of auto, wall, cpu"):
        lat.load(run, clock="sun")


def arrays(graph: _core.Graph) -> list[object]:
    names = ("rank_begin", "kind", "value", "partner", "tag", "chained", "dep_vertex", "dep_kind")
    return [getattr(graph, name).tolist() for name in names]


def test_liballprof_text_is_the_same_graph(run: Path, tmp_path: Path, latitude: Run) -> None:
    out = tmp_path / "out"
    done = latitude("convert", run, out)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"{out}: 3 ranks, {RANKS * (2 * MESSAGES + 9)} calls")
    assert sorted(path.name for path in out.iterdir()) == [
        f"pmpi-trace-rank-{rank}.txt" for rank in range(RANKS)
    ]
    assert (out / "pmpi-trace-rank-0.txt").stat().st_mode & 0o077 == (
        run / "trace.json"
    ).stat().st_mode & 0o077
    assert arrays(lat.load(out).graph) == arrays(lat.load(run).graph)


def test_conversion_keeps_what_it_did_not_write(
    run: Path, tmp_path: Path, latitude: Run, refused: Refused, lulesh: Path
) -> None:
    out = tmp_path / "out.d"
    assert latitude("convert", run, out, "--to", "liballprof").returncode == 0
    assert "exists already; pass --force" in refused("convert", run, out, "--to", "liballprof")
    assert latitude("convert", run, out, "--to", "liballprof", "--force").returncode == 0
    (out / "notes.txt").write_text("mine")
    message = refused("convert", run, out, "--to", "liballprof", "--force")
    assert "holds 'notes.txt', which is kept" in message
    assert "already" in refused("convert", lulesh, tmp_path / "text")
    assert not (tmp_path / "text").exists()
    assert "unknown format '.xyz'" in refused("convert", run, tmp_path / "a.xyz")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_goal_file_cannot_become_text(two_ranks: Path, tmp_path: Path, refused: Refused) -> None:
    assert "only a trace can become one" in refused("convert", two_ranks, tmp_path / "out")


def test_every_whole_prefix_of_an_archive_is_refused_in_one_line(run: Path, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path in sorted(run.glob("*.lat")):
            data = path.read_bytes()[:-40]
            info = tarfile.TarInfo(path.name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    archive = tmp_path / "cut.tar"
    archive.write_bytes(buffer.getvalue())
    with pytest.raises(InputError, match=r"cut.tar:rank-0000000.lat: breaks off at byte"):
        lat.load(archive)
