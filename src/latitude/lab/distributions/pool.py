"""Runs jobs in worker processes, and kills each when it has used up its CPU time.

The limit is CPU time, not wall time, so that the same distributions finish on a busy machine.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from latitude.files.machine import usable_cores

_POLL_S = 0.05
_PRELOAD = ["latitude.lab.distributions.worker", "scipy.stats", "scipy.optimize"]
_GRACE = 1.0
"""Seconds of CPU time for the start of a worker, in addition to its job."""


@dataclass(frozen=True, slots=True)
class FitJob:
    """A call that a worker makes."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    budget_s: float


@dataclass(frozen=True, slots=True)
class Done:
    """The outcome of a job."""

    index: int
    value: Any = None
    killed: bool = False
    """Whether the job used up its budget and was killed."""
    died: bool = False
    """Whether the worker's process ended by itself."""


def run(jobs: Sequence[FitJob], workers: int) -> Iterator[Done]:
    """Runs the jobs in order, and yields each as it ends; 0 workers means one per core."""
    count = min(workers or usable_cores(), len(jobs))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    _start_server()
    waiting = list(range(len(jobs)))[::-1]
    pool = [_Worker(context) for _ in range(count)]
    try:
        while True:
            for worker in pool:
                if worker.index is None and waiting:
                    index = waiting.pop()
                    worker.start(index, jobs[index])
            busy = [worker for worker in pool if worker.index is not None]
            if not busy:
                return
            wait([worker.connection for worker in busy], timeout=_POLL_S)
            for worker in busy:
                done = worker.look()
                if done is not None:
                    if done.killed or done.died:
                        pool[pool.index(worker)] = _Worker(context) if waiting else worker.ended()
                    yield done
    finally:
        for worker in pool:
            worker.stop()


def _start_server() -> None:
    """Starts the server, which ignores Ctrl-C also while it imports; the parent handles Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        return
    held = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, held)


class _Worker:
    """One process and its present job."""

    def __init__(self, context: Any) -> None:
        self.index: int | None = None
        self.connection: Connection
        self.connection, far = context.Pipe()
        self._process = context.Process(target=_serve, args=(far,), daemon=True)
        self._process.start()
        far.close()
        self._limit = 0.0

    def start(self, index: int, job: FitJob) -> None:
        """Gives the worker a job."""
        self.index = index
        self._limit = _cpu_seconds(self._process.pid) + job.budget_s + _GRACE
        self.connection.send((job.function, job.arguments))

    def look(self) -> Done | None:
        """The outcome of the worker's job, or None while the job is running."""
        index = self.index
        assert index is not None  # noqa: S101 - only busy workers are polled
        try:
            if self.connection.poll():
                value = self.connection.recv()
                self.index = None
                return Done(index, value)
        except (EOFError, ConnectionResetError):
            self.index = None
            return Done(index, died=True)
        if _cpu_seconds(self._process.pid) > self._limit:
            self.index = None
            self.stop()
            return Done(index, killed=True)
        return None

    def ended(self) -> "_Worker":
        """Ends the worker's process; returns the worker."""
        self.stop()
        return self

    def stop(self) -> None:
        """Kills the process."""
        self._process.kill()
        self._process.join()
        self.connection.close()


def _serve(connection: Connection) -> None:
    """The worker's loop, which leaves Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            function, arguments = connection.recv()
            connection.send(function(*arguments))


def _cpu_seconds(pid: int) -> float:
    """CPU time of a process (proc(5)), s; 0 if the process is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except (OSError, ValueError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
