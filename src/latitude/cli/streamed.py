"""Chooses whether a trace is read into memory or streamed."""

from latitude import _core
from latitude._core import InputError
from latitude.cli import options, progress
from latitude.cli.analyze_options import MEMORY_SHARE, AnalyzeOptions
from latitude.cli.outputs import Outputs
from latitude.files.machine import free_memory
from latitude.notices.saying import say
from latitude.render.documents.analysis import analysis_document, file_names
from latitude.trace.pieces import files_in_pieces, memory_needed, open_in_pieces
from latitude.units.quantities import format_size


def streamed(arguments: AnalyzeOptions) -> bool:
    """Streams the trace on request, or if memory is too small; returns whether it was streamed.

    InputError: the trace cannot be streamed as requested.
    """
    asked = _asked(arguments)
    why = "asked for" if asked else _too_large(arguments)
    if why is None:
        return False
    other = _only_in_memory(arguments)
    if other is not None:
        if asked:
            raise InputError(f"{asked}: {other} needs the whole graph in memory; leave one out")
        return False
    try:
        _analyze(arguments, why)
    except _core.NotInPiecesError as error:
        if asked:
            raise InputError(f"{error}; leave out {asked}") from error
        say(f"{arguments.input} is read as a whole: {error}")
        return False
    return True


def _asked(arguments: AnalyzeOptions) -> str | None:
    """The options that ask for streaming; otherwise None."""
    given = {
        "--stream": arguments.stream,
        "--checkpoint": arguments.checkpoint is not None,
        "--dask": arguments.dask is not None,
        "--no-path": arguments.no_path,
        "--scratch": arguments.scratch is not None,
    }
    return " and ".join(name for name, is_given in given.items() if is_given) or None


def _analyze(arguments: AnalyzeOptions, why: str) -> None:
    from latitude.analysis.checkpoint import Checkpoint  # noqa: PLC0415 - others need none
    from latitude.analysis.stream import analyze_stream  # noqa: PLC0415 - as above

    kept = [] if arguments.checkpoint is None else [arguments.checkpoint]
    outputs = Outputs.of(arguments, *file_names(), kept=kept)
    checkpoint = (
        Checkpoint(kept[0], lambda made: say(f"{kept[0]}: goes on after pass {made}"))
        if kept
        else None
    )
    network = options.network_of(arguments)
    costs = None
    if arguments.costs == "recorded":
        with progress.shown() as display:
            recording = options.recorded(arguments.input, arguments, display)
            costs = options.costs_of(recording, arguments, network, display)
            del recording  # as large as the part of the trace that is read next
    trace = open_in_pieces(
        arguments.input,
        collectives=arguments.collective,
        reduce_ns_per_byte=arguments.reduce_cost,
        skip_unsupported=arguments.skip_unsupported,
        async_progress=arguments.async_progress,
        costs=costs,
        **options.reading(arguments),
    )
    with progress.shown() as display:
        found = analyze_stream(
            trace,
            network,
            why=why,
            latency=arguments.latency,
            sweep=arguments.sweep,
            tolerance=arguments.tolerance,
            limits_ns=arguments.limit,
            critical=arguments.critical,
            path=not arguments.no_path,
            scratch=arguments.scratch,
            sections=arguments.sections,
            without=arguments.without,
            threads=arguments.threads,
            checkpoint=checkpoint,
            dask=arguments.dask,
            progress=display,
        )
    outputs.give(analysis_document(found))
    if checkpoint is not None:
        checkpoint.remove()


def _only_in_memory(arguments: AnalyzeOptions) -> str | None:
    """An option whose answer needs the graph in memory; otherwise None."""
    given = {
        "--what-if": arguments.what_if,
        "--cost": arguments.cost,
        "--replay": arguments.replay,
        "--perfetto": arguments.perfetto is not None,
        "--compare": arguments.compare,
        "--incomplete": arguments.incomplete,
        "--assume": arguments.assume,
        "--in-memory": arguments.in_memory,
        "--o trace": options.of_trace(arguments),
        "--costs recorded": arguments.costs == "recorded" and not _asked(arguments),
    }
    return next((name for name, is_given in given.items() if is_given), None)


def _too_large(arguments: AnalyzeOptions) -> str | None:
    """The reason why the trace does not fit into memory; None if it fits."""
    if arguments.in_memory:
        return None
    room = arguments.memory if arguments.memory is not None else _room()
    if room is None:
        return None
    try:
        files = files_in_pieces(arguments.input)
        needed = 0 if files is None else memory_needed(files, arguments.collective, room)
    except (OSError, InputError):
        return None  # the reader of the whole trace reports the error
    if needed <= room:
        return None
    return f"in memory it would take about {format_size(needed)} of {format_size(room)}"


def _room() -> int | None:
    """A share of the free memory, bytes; None if the system reports no free memory."""
    free = free_memory()
    return None if free is None else int(free * MEMORY_SHARE)
