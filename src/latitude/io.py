"""Reading programs: traces (directories, archives) and GOAL files, told apart by content."""

import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from latitude import _core
from latitude._core import InputError
from latitude.archive import (
    SUFFIXES,
    is_archive,
    read_archive,
    read_compressed_files,
)
from latitude.collectives import in_words
from latitude.notice import Notice, from_core
from latitude.program import Program, TraceInfo
from latitude.progress import Progress, Silent
from latitude.provenance import Digest
from latitude.ranks import in_rank_order, rank_of

_HEAD = 1 << 16
_GOAL_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)


def load(
    path: str | PathLike[str],
    *,
    collectives: Sequence[str] = (),
    reduce_ns_per_byte: float = 0.0,
    skip_unsupported: bool = False,
    mpi: str = "detect",
    threads: int = 0,
    progress: Progress | None = None,
) -> Program:
    """Reads a trace or a GOAL file and builds its execution graph.

    Args:
        path: directory with one trace file a rank, archive of such files (`.tar`, `.tar.xz`,
            `.tar.gz`, `.tar.zst`), or a GOAL file, text or binary.
        collectives: algorithms, e.g. `["allreduce=ring"]` or `["openmpi"]`.
        reduce_ns_per_byte: cost γ of a reduction, ns per byte.
        skip_unsupported: warn about calls that cannot be turned into the graph instead of
            refusing them.
        mpi: whose numbers a trace uses for MPI_ANY_SOURCE and MPI_PROC_NULL: "openmpi", "mpich",
            or "detect" from the data.
        threads: threads to read with; 0 means one a core.
        progress: told how far the work is.

    Raises:
        InputError: the input is wrong; the message is one line and names the place and the fix.
    """
    source = Path(path)
    progress = progress or Silent()
    try:
        if source.is_dir():
            trace, files = _read_directory(source, mpi, threads, progress)
        elif (head := _head(source)) is not None and is_archive(head):
            trace, files = read_archive(source, mpi, progress), [source]
        else:
            return _load_goal(source, head or b"", collectives, reduce_ns_per_byte, progress)
        digest = Digest(files)
        return _build(
            source,
            trace,
            digest,
            collectives,
            reduce_ns_per_byte,
            skip_unsupported,
            threads,
            progress,
        )
    except OSError as error:
        name = error.filename or source
        raise InputError(f"{name}: {error.strerror or error}") from error


def _build(
    source: Path,
    trace: _core.Trace,
    digest: Digest,
    collectives: Sequence[str],
    reduce_ns_per_byte: float,
    skip_unsupported: bool,
    threads: int,
    progress: Progress,
) -> Program:
    calls = sorted(trace.call_counts.items(), key=lambda item: (-item[1], item[0]))
    info = TraceInfo(trace.format, trace.ranks, trace.events, trace.wall_ns, dict(calls))
    warnings = from_core(trace.warnings)
    progress.stage("Building execution graph")
    graph = _core.build_graph(
        trace,
        collectives=list(collectives),
        reduce_ns_per_byte=reduce_ns_per_byte,
        skip_unsupported=skip_unsupported,
        threads=threads,
        consume=True,
    )
    return Program(
        path=source,
        graph=graph,
        trace=info,
        digest=digest,
        collectives=in_words(collectives, info.calls),
        reduce_ns_per_byte=reduce_ns_per_byte,
        warnings=list(dict.fromkeys(warnings + from_core(graph.warnings))),
    )


def _read_directory(
    source: Path, mpi: str, threads: int, progress: Progress
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
        return read_compressed_files(paths, mpi, progress), paths
    progress.stage("Reading trace")
    return _core.read_liballprof([str(path) for path in paths], threads, mpi), paths


def _load_goal(
    source: Path,
    head: bytes,
    collectives: Sequence[str],
    reduce_ns_per_byte: float,
    progress: Progress,
) -> Program:
    binary = _core.is_goal_binary(str(source))
    if not binary:
        _check_goal_text(source, head)
    digest = Digest([source])
    progress.stage("Reading GOAL file")
    read = _core.read_goal_binary if binary else _core.read_goal_text
    graph = read(str(source))
    warnings = from_core(graph.warnings)
    if collectives or reduce_ns_per_byte:
        warnings.append(
            Notice(
                "collectives-fixed",
                "a GOAL file's collectives are already point-to-point: "
                "--collective and --reduce-cost change nothing",
                "analyse the trace the file was made from",
            )
        )
    return Program(
        path=source,
        graph=graph,
        trace=TraceInfo("GOAL binary" if binary else "GOAL text", graph.ranks),
        digest=digest,
        collectives="as the GOAL file has them",
        reduce_ns_per_byte=0.0,
        warnings=warnings,
    )


def _head(source: Path) -> bytes | None:
    with source.open("rb") as file:
        return file.read(_HEAD) or None


def _check_goal_text(source: Path, head: bytes) -> None:
    """Says what a file is that is neither a trace directory, nor an archive, nor GOAL."""
    if source.suffix == ".goal" or _GOAL_COMMENT.sub(b"", head).lstrip().startswith(b"num_ranks"):
        return
    if not head:
        raise InputError(f"{source}: the file is empty")
    if head.startswith(b"MPI_") or b"\nMPI_" in head:
        raise InputError(
            f"{source}: this is one rank's part of a trace; give the directory that holds "
            f"the files of all ranks: {source.parent}"
        )
    raise InputError(
        f"{source}: neither a trace nor a GOAL file; give a directory with one liballprof file "
        "a rank, an archive of it (.tar.xz, .tar.gz, .tar.zst), or a GOAL file"
    )
