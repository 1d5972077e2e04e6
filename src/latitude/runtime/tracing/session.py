"""One traced run, from the command to `trace.json`."""

import json
import os
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from latitude._core import InputError
from latitude._version import __version__
from latitude.files import write_new
from latitude.runtime import launcher as launchers
from latitude.runtime.build import library
from latitude.runtime.choose import Choice, choose
from latitude.runtime.tracing import child
from latitude.runtime.tracing.child import Ended
from latitude.runtime.tracing.directory import DESCRIPTION, prepare
from latitude.runtime.tracing.recorded import PATTERN, RankFile, read_run

LIBRARY = "tracer"
CLOCKS = ("auto", "wall", "cpu")
SCHEMA = "latitude.trace/1"
_PATIENCE_S = 5.0
"""How long rank 0 waits for the others' files to end, once its own program has."""
_BRIEFLY_S = 0.2
"""The same, once the program has failed: the launcher is about to kill us."""
_FAILED = 2
"""Exit status of a rank that leaves it to another one of its host to say why."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for."""

    command: Sequence[str]
    directory: Path
    clock: str = "auto"
    mpicc: Path | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Traced:
    """What came of it."""

    request: Request
    choice: Choice
    ended: Ended
    files: list[RankFile]
    undescribed: str | None
    """Why trace.json could not be written."""


def variables(
    path: Path, directory: Path, clock: str, environment: Mapping[str, str]
) -> dict[str, str]:
    """What switches the tracer on in a process."""
    return {
        "LD_PRELOAD": launchers.preloaded(path, environment),
        "LATITUDE_TRACE_DIR": str(directory.absolute()),
        "LATITUDE_CLOCK": clock,
    }


def trace(request: Request) -> Traced:
    """Runs the command under the tracer, left or right of its launcher.

    Right of the launcher this process is a rank: rank 0 stays beside its program and returns, the
    others become theirs. InputError when nothing could be started.
    """
    launcher = launchers.find(request.command)
    rank = launchers.rank_of_this_process() if launcher is None else None
    try:
        choice = choose(request.command, launcher, request.mpicc)
        path = library(LIBRARY, choice.mpi)
        prepare(request.directory, rank, force=request.force)
    except InputError:
        if rank and not launchers.first_on_its_host():
            raise SystemExit(_FAILED) from None
        raise
    values = variables(path, request.directory, request.clock, os.environ)
    job = launchers.job(request.command, launcher, values, os.environ)
    if rank:
        child.become(job.command, job.environment)
    started = datetime.now(timezone.utc)
    # A launcher told to end can end its ranks; a rank is killed as the launcher would have.
    death = signal.SIGTERM if rank is None else signal.SIGKILL
    ended = child.run(job.command, job.environment, death=death)
    files = read_run(request.directory) if rank is None else _when_all_ended(request, ended)
    if not files and rank is None:
        with suppress(OSError):  # it may hold other things
            request.directory.rmdir()
    described = _describe(request, choice, ended, files, started) if files else None
    return Traced(request, choice, ended, files, described)


def _when_all_ended(request: Request, ended: Ended) -> list[RankFile]:
    """The run's files, once the ranks that outlive rank 0's program have finished theirs."""
    end = time.monotonic() + (_PATIENCE_S if ended.status == 0 else _BRIEFLY_S)
    while True:
        files = _of_this_run(request)
        own = next((file for file in files if file.rank == 0), None)
        complete = own is None or sum(file.ending is not None for file in files) >= own.ranks
        if complete or time.monotonic() > end:
            break
        time.sleep(0.05)
    if request.force and own is not None:
        for rank in {file.rank for file in read_run(request.directory)} - {f.rank for f in files}:
            (request.directory / PATTERN.replace("*", f"{rank:07d}")).unlink(missing_ok=True)
    return files


def _of_this_run(request: Request) -> list[RankFile]:
    files = read_run(request.directory)
    run = next((file.run for file in files if file.rank == 0), None)
    return [file for file in files if file.run == run] if request.force else files


def _describe(
    request: Request, choice: Choice, ended: Ended, files: list[RankFile], started: datetime
) -> str | None:
    """Writes trace.json, or says why not."""
    described = {
        "schema": SCHEMA,
        "version": __version__,
        "command": list(request.command),
        "started": started.isoformat(timespec="seconds"),
        "seconds": round(ended.seconds, 6),
        "exit_status": ended.status,
        "signal": ended.signal,
        "host": socket.gethostname(),
        "mpi": str(choice.mpi),
        "mpicc": str(choice.mpi.mpicc),
        "tracer": files[0].meta.get("tracer"),
        "clock": files[0].meta.get("clock"),
        "ranks": max(file.ranks for file in files),
        "complete": all(file.ending is not None for file in files),
    }
    text = json.dumps(described, indent=2, ensure_ascii=False) + "\n"
    try:
        write_new(request.directory / DESCRIPTION, text, force=True)
    except InputError as error:
        return str(error)
    return None
