"""Reading programs: traces (directories, archives) and GOAL files, told apart by content."""

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from latitude import _core
from latitude._core import InputError
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import Digest
from latitude.trace.archive import (
    SUFFIXES,
    Reading,
    is_archive,
    is_native,
    read_archive,
    read_compressed_files,
)
from latitude.trace.program import Program, TraceInfo
from latitude.trace.ranks import in_rank_order, rank_of
from latitude.trace.recording import Recording

_HEAD = 1 << 16
_GOAL_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)


def load(
    path: str | PathLike[str],
    *,
    collectives: Sequence[str] = (),
    reduce_ns_per_byte: float = 0.0,
    skip_unsupported: bool = False,
    mpi: str = "detect",
    clock: str = "auto",
    incomplete: bool = False,
    traced_times: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Program:
    """Reads a trace or a GOAL file and builds its execution graph.

    Args:
        path: directory with one trace file a rank (what `latitude trace` wrote, or liballprof
            text), archive of such files (`.tar`, `.tar.xz`, `.tar.gz`, `.tar.zst`), or a GOAL
            file, text or binary.
        collectives: algorithms, e.g. `["allreduce=ring"]` or `["openmpi"]`.
        reduce_ns_per_byte: cost γ of a reduction, ns per byte.
        skip_unsupported: warn about calls that cannot be turned into the graph instead of
            refusing them.
        mpi: whose numbers a trace uses for MPI_ANY_SOURCE and MPI_PROC_NULL: "openmpi", "mpich",
            or "detect" from the data.
        clock: what computation is measured by in a trace of `latitude trace`: "wall", "cpu" (the
            thread's CPU time), or "auto": CPU time where the trace carries it.
        incomplete: of a trace of `latitude trace` that was cut off, use what all ranks completed.
        traced_times: keep when each computation ended, for `latitude.replay`.
        threads: threads to read with; 0 means one a core.
        progress: told how far the work is.

    Raises:
        InputError: the input is wrong; the message is one line and names the place and the fix.
    """
    recording = read(
        path, mpi=mpi, clock=clock, incomplete=incomplete, threads=threads, progress=progress
    )
    return recording.program(
        collectives,
        reduce_ns_per_byte=reduce_ns_per_byte,
        skip_unsupported=skip_unsupported,
        traced_times=traced_times,
        threads=threads,
        consume=True,
        progress=progress,
    )


def read(
    path: str | PathLike[str],
    *,
    mpi: str = "detect",
    clock: str = "auto",
    incomplete: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Recording:
    """Reads a trace or a GOAL file and builds nothing yet; arguments and errors as in `load`."""
    source = Path(path)
    progress = progress or Silent()
    reading = Reading(mpi, clock, incomplete)
    try:
        opened = _open(source, reading, threads, progress)
        if opened is None:
            return _read_goal(source, progress)
        trace, files = opened
        calls = sorted(trace.call_counts.items(), key=lambda item: (-item[1], item[0]))
        info = TraceInfo(trace.format, trace.ranks, trace.events, trace.wall_ns, dict(calls))
        return Recording(source, Digest(files), info, trace=trace)
    except OSError as error:
        name = error.filename or source
        raise InputError(f"{name}: {error.strerror or error}") from error


def load_trace(
    path: Path,
    *,
    mpi: str = "detect",
    clock: str = "auto",
    incomplete: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> _core.Trace:
    """The trace alone, for conversion; options as in `load`. A GOAL file is refused."""
    try:
        opened = _open(path, Reading(mpi, clock, incomplete), threads, progress or Silent())
    except OSError as error:
        raise InputError(f"{error.filename or path}: {error.strerror or error}") from error
    if opened is None:
        raise InputError(
            f"{path}: not a trace, and only a trace can become one; give the directory"
        )
    return opened[0]


def _open(
    source: Path, reading: Reading, threads: int, progress: Progress
) -> tuple[_core.Trace, list[Path]] | None:
    """The trace and the files it came from; None when `source` is no trace."""
    if source.is_dir():
        return _read_directory(source, reading, threads, progress)
    if is_archive(_head(source)):
        return read_archive(source, reading, progress), [source]
    return None


def _read_directory(
    source: Path, reading: Reading, threads: int, progress: Progress
) -> tuple[_core.Trace, list[Path]]:
    entries = list(source.iterdir())
    names = [entry.name for entry in entries if entry.is_file()]
    folders = sorted(entry.name for entry in entries if entry.is_dir())
    if len(folders) == 1 and not any(rank_of(name, SUFFIXES) is not None for name in names):
        raise InputError(
            f"{source}: no per-rank files in it, only the folder '{folders[0]}'; "
            f"did you mean {source / folders[0]}?"
        )
    paths = [source / name for name in in_rank_order(names, str(source), SUFFIXES)]
    if any(path.suffix in SUFFIXES for path in paths):
        return read_compressed_files(paths, reading, progress), paths
    progress.stage("Reading trace")
    files = [str(path) for path in paths]
    if any(is_native(_head(path)) for path in paths):
        return _core.read_native(files, threads, reading.clock, reading.incomplete), paths
    return _core.read_liballprof(files, threads, reading.mpi), paths


def _read_goal(source: Path, progress: Progress) -> Recording:
    binary = _core.is_goal_binary(str(source))
    if not binary:
        _check_goal_text(source, _head(source))
    digest = Digest([source])
    progress.stage("Reading GOAL file")
    read_graph = _core.read_goal_binary if binary else _core.read_goal_text
    graph = read_graph(str(source))
    info = TraceInfo("GOAL binary" if binary else "GOAL text", graph.ranks)
    return Recording(source, digest, info, graph=graph)


def _head(source: Path) -> bytes:
    with source.open("rb") as file:
        return file.read(_HEAD)


def _check_goal_text(source: Path, head: bytes) -> None:
    """Says what a file is that is neither a trace directory, nor an archive, nor GOAL."""
    if source.suffix == ".goal" or _GOAL_COMMENT.sub(b"", head).lstrip().startswith(b"num_ranks"):
        return
    if not head:
        raise InputError(f"{source}: the file is empty")
    if is_native(head) or head.startswith(b"MPI_") or b"\nMPI_" in head:
        raise InputError(
            f"{source}: this is one rank's part of a trace; give the directory that holds "
            f"the files of all ranks: {source.parent}"
        )
    raise InputError(
        f"{source}: neither a trace nor a GOAL file; give the directory that latitude trace "
        "wrote, one with a liballprof file a rank, an archive of either (.tar.xz, .tar.gz, "
        ".tar.zst), or a GOAL file"
    )
