"""One traced run, from the command to `trace.json`."""

import os
import shlex
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from latitude._core import InputError
from latitude._version import __version__
from latitude.files.writing import write_new
from latitude.launch import launcher as launchers
from latitude.launch import preflight
from latitude.launch.application import Application, begins_by_sessions
from latitude.launch.build import library
from latitude.launch.child import Ended
from latitude.launch.choose import Choice, choose
from latitude.launch.directory import RunFiles, alone_in, prepare
from latitude.launch.launcher import Launcher
from latitude.launch.side import Side, side_of
from latitude.launch.tracing.clocks import ClockCheck, check_clocks
from latitude.launch.transports import telling
from latitude.launch.unseen import how, removed, unstarted
from latitude.notices.notice import Notice
from latitude.notices.saying import say
from latitude.trace.recorded_run import PATTERN, PLACES, RankFile, name_of, read_run
from latitude.trace.transports import TRANSPORTS, keep_transports

LIBRARY = "tracer"
CLOCKS = ("auto", "wall", "cpu")
DESCRIPTION = "trace.json"
_RESULTS = RunFiles("a trace", PATTERN, "rank-{}.lat", (DESCRIPTION, PLACES, TRANSPORTS))


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """The request for a trace."""

    command: Sequence[str]
    directory: Path
    clock: str = "auto"
    mpicc: Path | None = None
    force: bool = False
    stacks: int | None = None
    """Number of callers to keep per MPI call; None keeps 8 if a rank runs Python, otherwise 0."""


@dataclass(frozen=True, slots=True)
class Traced:
    """The outcome of a traced run."""

    request: TraceRequest
    choice: Choice
    ended: Ended
    files: list[RankFile]
    unwritten: list[str]
    """Reasons why trace.json, or files on places and transports, could not be written."""
    nothing: str | None
    """The reason for a trace without files; None if files exist."""
    apart: str | None
    """The reason why each process was a run by itself; None if all were one run."""
    clocks: ClockCheck


def variables(
    path: Path,
    directory: Path,
    clock: str,
    stacks: int | None,
    environment: Mapping[str, str],
    program: Application | None = None,
) -> dict[str, str]:
    """Variables that switch the tracer on in a process of `program`."""
    callers = {} if stacks is None else {"LATITUDE_STACKS": str(stacks)}
    return {
        "LD_PRELOAD": launchers.preloaded(path, environment, program),
        "LATITUDE_TRACE_DIR": str(directory.absolute()),
        "LATITUDE_CLOCK": clock,
        **callers,
    }


def trace(request: TraceRequest) -> Traced:
    """Runs the command under the tracer, left or right of its launcher.

    Right of the launcher only rank 0 returns. InputError: the command cannot start.
    """
    side = side_of(request.command)
    with ExitStack() as until_described:
        with side.errors_said_once():
            choice = choose(request.command, side.launcher, request.mpicc)
            if choice.application is not None:
                launchers.check_reached(request.command, side.launcher, choice.application)
            preflight.refuse(request.command, side.launcher, choice.application, os.environ)
            path = library(LIBRARY, choice.mpi)
            until_described.enter_context(alone_in(request.directory, side.rank))
            prepare(request.directory, _RESULTS, side.rank, force=request.force)
        if side.rank is None and preflight.lacks_lines(choice.application):
            say(
                f"latitude: warning: {choice.application.path} has no debug information: the "
                "report will name functions, not lines; compile it with -g"
            )
        traced = _traced(request, side, choice, path)
    if not traced.files and side.rank is None:
        with suppress(OSError):  # the directory may hold other files
            request.directory.rmdir()
    return traced


def _traced(request: TraceRequest, side: Side, choice: Choice, path: Path) -> Traced:
    """Runs the command with the tracer's library at `path`, and describes the trace."""
    values = variables(
        path,
        request.directory,
        request.clock,
        request.stacks,
        os.environ,
        choice.application,
    )
    told = telling(request.directory, os.environ, choice.application)
    values = launchers.together(values, told)
    job = launchers.job(request.command, side.launcher, values, os.environ)
    started = datetime.now(timezone.utc)
    ended = side.run(job)
    files = read_run(request.directory) if side.rank is None else _of_all(request, side, ended)
    why = None
    if not files:
        why = nothing_recorded(request.command, request.directory, side.launcher, choice, ended)
    clocks = check_clocks(files, request.directory)
    unwritten = []
    if files:
        try:
            _describe(request, choice, ended, files, started, clocks)
            keep_places_of(request.directory, files)
            keep_transports(request.directory)
        except InputError as error:
            unwritten.append(str(error))
    apart = preflight.ran_apart(files, side.launcher, choice.application)
    return Traced(request, choice, ended, files, unwritten, why, apart, clocks)


def keep_places_of(directory: Path, files: Sequence[RankFile]) -> list[Notice]:
    """Writes the source lines of a trace's call sites into its folder.

    Returns warnings about call sites without a line. InputError: the folder is not writable.
    """
    from latitude.trace.kept_places import keep_places  # noqa: PLC0415 - with NumPy; one rank's work

    return keep_places([directory / name_of(file.rank) for file in files])


def nothing_recorded(
    command: Sequence[str],
    directory: Path,
    launcher: Launcher | None,
    choice: Choice,
    ended: Ended | None = None,
) -> str:
    """The reason why `directory` has no rank's file; `ended` is None after a successful run."""
    program, status = choice.application, 0 if ended is None else ended.status
    reason = removed(directory) or unstarted(command, launcher, program, status, os.environ)
    if not reason and program is None:
        reason = (
            f"`{shlex.join(command)}` ended{how(status)} and never got through MPI_Init, or "
            "started its ranks without the environment it was given; put `latitude trace` right "
            "of the launcher, before the program"
        )
    elif not reason and program is not None and begins_by_sessions(program.path):
        reason = (
            f"{program.path} begins by MPI_Session_init alone, and the tracer begins with "
            "MPI_Init; call MPI_Init first, sessions after it are traced"
        )
    elif not reason and program is not None:
        reason = f"{program.path} ended{how(status)} before MPI_Init returned, or did not call it"
    return f"nothing was recorded: {reason}"


def _of_all(request: TraceRequest, side: Side, ended: Ended) -> list[RankFile]:
    """The run's files, if we are rank 0; removes files of an earlier, larger run."""
    files = side.when_complete(lambda: _of_this_run(request), _complete, ended)
    if request.force and any(file.rank == 0 for file in files):
        for rank in {file.rank for file in read_run(request.directory)} - {f.rank for f in files}:
            (request.directory / _RESULTS.of_rank.format(f"{rank:07d}")).unlink(missing_ok=True)
    return files


def _complete(files: list[RankFile]) -> bool:
    own = next((file for file in files if file.rank == 0), None)
    return own is None or sum(file.ending is not None for file in files) >= own.ranks


def _of_this_run(request: TraceRequest) -> list[RankFile]:
    files = read_run(request.directory)
    run = next((file.run for file in files if file.rank == 0), None)
    return [file for file in files if file.run == run] if request.force else files


def _describe(
    request: TraceRequest,
    choice: Choice,
    ended: Ended,
    files: list[RankFile],
    started: datetime,
    clocks: ClockCheck,
) -> None:
    """Writes trace.json. InputError: it is not writable."""
    from latitude.results.trace import TracedRun  # noqa: PLC0415 - with NumPy; one rank's work

    described = TracedRun(
        version=__version__,
        command=tuple(request.command),
        started=started.isoformat(timespec="seconds"),
        seconds=round(ended.seconds, 6),
        exit_status=ended.status,
        signal=ended.signal,
        host=socket.gethostname(),
        mpi=str(choice.mpi),
        mpicc=str(choice.mpi.mpicc),
        tracer=files[0].meta.get("tracer"),
        clock=files[0].meta.get("clock"),
        ranks=max(file.ranks for file in files),
        complete=all(file.ending is not None for file in files),
        message_order=clocks.order,
    )
    write_new(request.directory / DESCRIPTION, described.to_json(), force=True)
