"""Reads programs, traces (directories, archives) and GOAL files, recognised by content."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from latitude import _core
from latitude._core import InputError
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import Digest
from latitude.files.reading import check_name, open_regular
from latitude.trace.archive import (
    SUFFIXES,
    archive_heads,
    head_of_file,
    is_archive,
    read_archive,
    read_compressed_files,
)
from latitude.trace.cores import CoreTimes
from latitude.trace.costs import RecordedCosts
from latitude.trace.foreign import among, recognised
from latitude.trace.formats import Chosen, chosen, formats, found, nothing_found, reading_options
from latitude.trace.jobs.find import JobRead, holds_job, is_job_part, job_in
from latitude.trace.kept_places import give_places_in
from latitude.trace.program import Program, RecordedRun, TraceInfo, WallTimes
from latitude.trace.recorded_run import read_run
from latitude.trace.recording import (
    CPU_ORDERS,
    WILDCARDS_BY_ARRIVAL,
    Recording,
    check_arguments,
    check_assumptions,
)
from latitude.units.arguments import path_of, whole

_HEAD = 1 << 16
_ON = "yes"


def load(
    path: str | PathLike[str],
    *,
    collectives: Sequence[str] = (),
    reduce_ns_per_byte: float = 0.0,
    skip_unsupported: bool = False,
    traced_times: bool = False,
    async_progress: bool = False,
    through: Sequence[str] = (),
    cpu_order: str = CPU_ORDERS[0],
    assume: Sequence[str] = (),
    costs: RecordedCosts | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    **options: str | bool,
) -> Program:
    """Reads a trace, a GOAL file or a job and builds its execution graph.

    Args:
        path: directory with one trace file per rank (a trace of `latitude trace`, liballprof text,
            or DUMPI's files). Also an OTF2 archive's anchor file or folder, a Paraver trace
            (`.prv`, `.prv.gz`), or an archive of such files (`.tar`, `.tar.xz`, `.tar.gz`,
            `.tar.zst`; not of OTF2). Also a GOAL file, text or binary, or a job file (`.job.json`).
        collectives: algorithms, e.g. `["allreduce=ring"]` or `["openmpi"]`.
        reduce_ns_per_byte: cost γ of a reduction, ns per byte.
        skip_unsupported: warn about calls that the graph cannot express instead of rejecting the
            input.
        traced_times: keep the end of each computation, for `latitude.replay`.
        async_progress: whether a receive answers a rendezvous as soon as both sides are ready, even
            while its rank computes. If False, it answers when the rank begins its next call that
            may wait. GOAL files ignore this option.
        through: source files and libraries that wrap MPI, e.g. `["my_mpi.c", "libmesh*.so*"]`. If
            the trace has callers, a call's place is the line that called this layer.
        cpu_order: order of the operations of a GOAL file's CPU that the file leaves independent.
            "baseline" is their order in a simulation at the network of the analysis, "file" is
            their order in the file, and "none" lets them overlap. Traces ignore this option.
        assume: assumptions for facts that a trace lacks. With `["wildcards=arrival"]` receives from
            any source take the message that comes first in a simulation at the network of the
            analysis. MPI_Test, MPI_Waitany and similar calls complete the requests that are done in
            that simulation.
        costs: costs of calls that replace o and O (`latitude.recorded_costs`); None for the
            network's costs.
        threads: threads to read with; 0 means one per core.
        progress: display of the progress.
        options: options of the trace's format; options of other formats have no effect. For
            liballprof: mpi, the library whose numbers the trace uses for MPI_ANY_SOURCE and
            MPI_PROC_NULL ("openmpi", "mpich", or "detect" from the data). For `latitude trace`:
            clock, which measures computation ("wall", "cpu" for the thread's CPU time, or "auto"
            for CPU time if the trace has it). Also for `latitude trace`: incomplete=True, which
            analyses the part of a cut-off run that all ranks completed. For Paraver: computation,
            either the time between calls that communicate ("between-calls"), or all time outside
            MPI calls, as in Dimemas ("outside-mpi").

    Raises:
        InputError: the input is invalid; the message is one line with the place and the remedy.
        TypeError: no format has this option.
    """
    check_arguments(
        collectives,
        reduce_ns_per_byte,
        skip_unsupported,
        traced_times,
        async_progress,
        threads,
        cpu_order,
        assume,
    )
    recording = read(path, threads=threads, assume=assume, progress=progress, **options)
    return recording.program(
        collectives,
        reduce_ns_per_byte=reduce_ns_per_byte,
        skip_unsupported=skip_unsupported,
        traced_times=traced_times,
        async_progress=async_progress,
        through=through,
        threads=threads,
        consume=True,
        cpu_order=cpu_order,
        assume=assume,
        costs=costs,
        progress=progress,
    )


def read(
    path: str | PathLike[str],
    *,
    threads: int = 0,
    assume: Sequence[str] = (),
    progress: Progress | None = None,
    **options: str | bool,
) -> Recording:
    """Reads a trace or a GOAL file without building a graph; arguments and errors as in `load`."""
    source = path_of(path)
    threads = whole(threads, "threads")
    progress = progress or Silent()
    choices = _choices(options, assume)
    try:
        opened = _open(source, choices, threads, progress)
        if opened is None:
            return replace(_read_graph(source, progress), unheard=_given(options))
        trace, files = opened
        calls = sorted(trace.call_counts.items(), key=lambda item: (-item[1], item[0]))
        wall, used = trace.wall_times, trace.core_times
        cores = None if used is None else CoreTimes(**used)
        info = TraceInfo(
            format=trace.format,
            ranks=trace.ranks,
            events=trace.events,
            wall_ns=trace.wall_ns,
            wall=None if wall is None else _wall_times(wall, cores, choices),
            cores=cores,
            calls=dict(calls),
        )
        useful = trace.useful_ns
        run = RecordedRun(trace.runtime_ns, useful if useful.size else None)
        return Recording(source, Digest(files), info, trace=trace, run=run)
    except OSError as error:
        name = error.filename or source
        raise InputError(f"{name}: {error.strerror or error}") from error


def _wall_times(means: Mapping[str, float], cores: CoreTimes | None, choices: Chosen) -> WallTimes:
    """The core's times, at least 0: a CPU time clock may run slightly ahead of the wall clock."""
    wall = WallTimes(**{f"{what}_ns": max(0.0, ns) for what, ns in means.items()})
    told = cores is not None and cores.waited_ns is not None and choices.get("clock") != "wall"
    return wall if told or wall.without_core_ns else replace(wall, without_core_ns=None)


def _choices(options: Mapping[str, str | bool], assume: Sequence[str]) -> Chosen:
    check_assumptions(assume)
    choices = chosen(options)
    if WILDCARDS_BY_ARRIVAL in assume:
        choices[_core.LEAVE_OPEN] = _ON
    return choices


def _given(options: Mapping[str, str | bool]) -> tuple[str, ...]:
    """Options of the formats that differ from their defaults, in the users' notation."""
    known = reading_options()
    return tuple(
        f"--{name}"
        for name, value in options.items()
        if value != (known[name].standard if known[name].choices else False)
    )


def load_trace(
    path: Path,
    *,
    threads: int = 0,
    progress: Progress | None = None,
    **options: str | bool,
) -> _core.Trace:
    """The trace alone, for conversion; options as in `load`. InputError: it is a GOAL file."""
    try:
        opened = _open(path, chosen(options), threads, progress or Silent())
    except OSError as error:
        raise InputError(f"{error.filename or path}: {error.strerror or error}") from error
    if opened is None:
        raise InputError(
            f"{path}: not a trace, and only a trace can become one; give the directory"
        )
    return opened[0]


def load_as_recorded(
    path: Path,
    *,
    threads: int = 0,
    assume: Sequence[str] = (),
    progress: Progress | None = None,
    **options: str | bool,
) -> _core.Trace:
    """The trace including the tracer's own work between calls, with times that ranks can compare.

    Arguments as in `load`. InputError: the input is a GOAL file.
    """
    choices = {**_choices(options, assume), _core.AS_RECORDED: _ON}
    opened = _open(path, choices, threads, progress or Silent())
    if opened is None:
        raise InputError(f"{path}: not a trace, and only a trace has times of calls")
    return opened[0]


def _open(
    source: Path, choices: Chosen, threads: int, progress: Progress
) -> tuple[_core.Trace, list[Path]] | None:
    """The trace and its files; None if `source` is not a trace."""
    check_name(source)
    if source.is_dir():
        return _read_directory(source, choices, threads, progress)
    head = _head(source)
    packed = is_archive(head)
    first = head_of_file(source) if packed else head
    for form in formats():
        if form.one_file and form.begins(first):
            beside = (source.with_name(name) for name in form.beside(source.name))
            paths = [source, *(path for path in beside if path.is_file())]
            return _read_files(form, paths, choices, threads, progress), paths
    if not packed or is_job_part(source.name, first):
        return None
    if what := recognised(source.name, first):
        raise InputError(f"{source}: {what}")
    heads = archive_heads(source, progress)
    if any(is_job_part(name, head) for name, head in heads.items()):
        return None
    return read_archive(source, heads, choices, progress), [source]


def holds_trace(folder: Path) -> bool:
    """Whether the folder itself holds a trace or a job. InputError: it holds part of a trace."""
    names = [entry.name for entry in folder.iterdir() if entry.is_file()]
    return holds_job(folder) or _claimed(folder, names) is not None


def _claimed(folder: Path, names: list[str]) -> tuple[_core.Format, list[str]] | None:
    return found(str(folder), names, lambda name: head_of_file(folder / name))


def _read_directory(
    source: Path, choices: Chosen, threads: int, progress: Progress
) -> tuple[_core.Trace, list[Path]] | None:
    if holds_job(source):
        return None
    entries = list(source.iterdir())
    names = [entry.name for entry in entries if entry.is_file()]
    claim = _claimed(source, names)
    if claim is None:
        if among([source.name, *names]):
            raise nothing_found(str(source), names)
        folders = sorted(entry.name for entry in entries if entry.is_dir())
        traces = [name for name in folders if read_run(source / name)]
        if len(traces) > 1:
            raise InputError(
                f"{source}: holds {len(traces)} traces, {', '.join(traces)}; name one of them, "
                f"e.g. {source / traces[0]}"
            )
        if traces:
            raise InputError(f"{source}: the trace is in {source / traces[0]}; name that")
        if len(folders) == 1:
            raise InputError(
                f"{source}: no per-rank files in it, only the folder '{folders[0]}'; "
                f"did you mean {source / folders[0]}?"
            )
        raise nothing_found(str(source), names)
    form, parts = claim
    paths = [source / name for name in parts]
    return _read_files(form, paths, choices, threads, progress), paths


def _read_files(
    form: _core.Format, paths: list[Path], choices: Chosen, threads: int, progress: Progress
) -> _core.Trace:
    if any(path.suffix in SUFFIXES for path in paths):
        trace = read_compressed_files(form, paths, choices, progress)
    else:
        progress.stage("Reading trace")
        trace = form.read([str(path) for path in paths], choices, threads)
    give_places_in(paths[0].parent, trace)
    return trace


def _read_graph(source: Path, progress: Progress) -> Recording:
    if (read := job_in(source, progress)) is not None:
        return _recording_of(source, read)
    form = _graph_format(source, _head(source))
    digest = Digest([source])
    progress.stage("Reading GOAL file")
    graph = form.read(str(source))
    return Recording(source, digest, TraceInfo(form.title, graph.ranks), graph=graph)


def _recording_of(source: Path, read: JobRead) -> Recording:
    try:
        graph, job = read.job.graph()
    except InputError as error:
        raise InputError(f"{source}: {error}") from error
    info = TraceInfo(read.title, graph.ranks, wall_ns=read.wall_ns)
    return Recording(source, Digest(read.files), info, graph=graph, job=job, warnings=read.warnings)


def _head(source: Path) -> bytes:
    with open_regular(source) as file:
        return file.read(_HEAD)


def _graph_format(source: Path, head: bytes) -> _core.GraphFormat:
    """The format of a file that is neither a trace directory nor an archive.

    InputError, with the kind of file if known: the file has no such format.
    """
    known = _core.graph_formats()
    for form in known:
        if form.begins(head):
            return form
    for form in known:
        if form.by_suffix and source.suffix == form.suffix:
            return form
    if not head:
        raise InputError(f"{source}: the file is empty")
    if what := recognised(source.name, head):
        raise InputError(f"{source}: {what}")
    if any(form.begins(head) for form in formats()):
        raise InputError(
            f"{source}: this is one rank's part of a trace; give the directory that holds "
            f"the files of all ranks: {source.parent}"
        )
    traces = ", ".join(form.files for form in formats())
    raise InputError(
        f"{source}: neither a trace nor a GOAL file; give {traces}, traces of PyTorch's profiler, "
        "an archive of either (.tar.xz, .tar.gz, .tar.zst), or a GOAL file"
    )
