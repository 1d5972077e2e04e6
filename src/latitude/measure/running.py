"""Watches a running program of runtime/bench, and stops it when it has measured enough.

Standard input, which the launcher gives to rank 0, tells the program when to stop. The program gets
a byte at the start, and stops at the end of the input. So the program also stops if this process is
killed.
"""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from latitude._core import InputError
from latitude.launch import child
from latitude.launch.child import Ended, terminated_like_interrupted
from latitude.launch.choose import Choice
from latitude.measure.results import BenchResults, read, read_so_far
from latitude.measure.session import SUFFIX, BenchRequest, command_of, reason, scratch_in

_LOOK_S = 0.1
_GRACE_S = 10.0
"""Seconds that a job has to end after a request to stop, or after its results exist."""
_KILL_S = 3.0

Watch = Callable[[BenchResults], None]
"""A function that is called with the results so far from time to time."""


class Running:
    """A running job. Use `running`, which ends the job in any case."""

    def __init__(
        self, request: BenchRequest, scratch: Path, directory: Path, environment: Mapping[str, str]
    ) -> None:
        self.request = request
        self.interrupted = False
        """Whether Ctrl-C or SIGTERM ended the job early."""
        self._directory = directory
        self._whole = scratch / f"{request.program}{SUFFIX}"
        self._part = scratch / f"{request.program}{SUFFIX}.part"
        self.choice: Choice
        self.choice, command = command_of(request, scratch)
        self._started = time.monotonic()
        # In its own session, the program gets no Ctrl-C and ends on our request. It writes to our
        # stderr, because our stdout may be data.
        self._process = child.start(
            command, {**os.environ, **environment}, stdin=subprocess.PIPE, stdout=2
        )
        self._told_to_stop: float | None = None
        self._write(b"g")

    def so_far(self) -> BenchResults | None:
        """The results so far; None before the first entry."""
        for path in (self._whole, self._part):
            with suppress(InputError):
                return read_so_far(path)
        return None

    def stop(self) -> None:
        """Asks the program to stop; its results arrive as after a normal end."""
        if self._told_to_stop is None:
            self._told_to_stop = time.monotonic()
            with suppress(OSError):
                if self._process.stdin is not None:
                    self._process.stdin.close()

    def wait(self, watch: Watch | None = None) -> BenchResults:
        """Waits for the job's end, and returns the results.

        InputError: the job failed, or left no results.
        """
        with terminated_like_interrupted():
            while True:
                try:
                    self._wait(watch)
                    break
                except KeyboardInterrupt:
                    if self.interrupted:
                        raise
                    self.interrupted = True
                    self.stop()
        return self._results()

    def wait_until(self, there: Callable[[BenchResults], bool], limit_s: float) -> None:
        """Waits until the results so far suffice.

        InputError: the job ends before, or takes too long.
        """
        end = time.monotonic() + limit_s
        while True:
            found = self.so_far()
            if found is not None and there(found):
                return
            if self._process.poll() is not None:
                raise InputError(
                    reason(self.request.launch, self.choice.mpi, self._ended(), self._directory)
                )
            if time.monotonic() > end:
                raise InputError(
                    f"{self.request.program}: not at work after {limit_s:g} s; are there nodes for "
                    "a second job?"
                )
            time.sleep(_LOOK_S)

    def end(self) -> None:
        """Ends all remaining processes."""
        self.stop()
        child.end(self._process, _KILL_S)

    def _write(self, data: bytes) -> None:
        with suppress(OSError):  # the program has ended, as the next poll shows
            if self._process.stdin is not None:
                self._process.stdin.write(data)
                self._process.stdin.flush()

    def _wait(self, watch: Watch | None) -> None:
        done: float | None = None
        while self._process.poll() is None:
            time.sleep(_LOOK_S)
            now = time.monotonic()
            if done is None and self._whole.is_file():
                done = now
            since = [moment for moment in (done, self._told_to_stop) if moment is not None]
            if since and now - max(since) > _GRACE_S:
                return  # some MPIs hang in MPI_Finalize
            found = self.so_far() if watch is not None else None
            if watch is not None and found is not None:
                watch(found)

    def _results(self) -> BenchResults:
        if self._whole.is_file():
            return read(self._whole)
        found = self.so_far()
        if self.interrupted and found is not None and found.series:
            return found
        if self.interrupted:
            raise KeyboardInterrupt
        raise InputError(
            reason(self.request.launch, self.choice.mpi, self._ended(), self._directory)
        )

    def _ended(self) -> Ended:
        return Ended.of(self._process.poll() or 0, time.monotonic() - self._started)


@contextmanager
def running(
    request: BenchRequest, directory: Path, environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Running]:
    """Starts the program with these additional variables; at the end of the block it has ended."""
    with scratch_in(directory) as scratch:
        job = Running(request, scratch, directory, environment)
        try:
            yield job
        finally:
            job.end()
