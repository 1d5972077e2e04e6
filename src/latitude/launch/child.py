"""Starts, watches and ends the user's commands; no other module does.

`run` gives the command our own terminal and passes on the signals sent to us, so it runs as if
started by the user. `run_apart` gives the command its own session, which ends as a whole and does
not get our terminal's Ctrl-C. `start` and `end` are for callers that watch the command themselves.
If we are killed, the kernel sends the command a signal to end.
"""

import ctypes
import errno
import math
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from latitude._core import InputError

_FORWARDED = {
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
}
_ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
_WAITED = _FORWARDED | {signal.SIGCHLD}
_FROM_KERNEL = 0x80
"""si_code of a signal from the terminal. The command gets it, too, because the command is in our
process group.
"""
_PR_SET_PDEATHSIG = 1
_GRACE_S = 10.0
"""Seconds between the signal that ends a command and its kill."""
_GRACE_APART_S = 5.0
"""Seconds between the signal and the kill for a command with its own session."""
_LOOK_S = 10.0
"""Interval between calls of `alive` in `run_apart`, s."""
SIGNALLED = 128
"""Base of an exit status: a command ended by signal n has the status 128 + n."""
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a command."""

    status: int
    """Exit status as a shell reports it: 128 + n for signal n."""
    signal: int | None
    seconds: float
    timed_out: bool = False
    """Whether the command exceeded its time limit, and got a signal to end."""
    interrupted: bool = False
    """Whether we got a signal to end during the run, e.g. by Ctrl-C. A launcher may then end with
    any status."""

    @classmethod
    def of(
        cls, code: int, seconds: float, timed_out: bool = False, interrupted: bool = False
    ) -> "Ended":
        """The end of a process with this `returncode` of subprocess."""
        return cls(as_shell(code), -code if code < 0 else None, seconds, timed_out, interrupted)


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    death: signal.Signals = signal.SIGTERM,
    folder: str | None = None,
    stdin: int | None = None,
    stdout: IO[bytes] | int | None = None,
    stderr: IO[bytes] | int | None = None,
    apart: bool = True,
) -> "subprocess.Popen[bytes]":
    """Starts the command. InputError: it cannot be started.

    Args:
        command: the command's words.
        environment: all of its variables.
        death: signal that the command gets if we are killed.
        folder: working directory; ours by default.
        stdin: as in `subprocess.Popen`.
        stdout: as in `subprocess.Popen`; ours by default.
        stderr: as in `subprocess.Popen`; ours by default.
        apart: whether the command has its own session.
    """
    # Loaded here: the child must not load a library between fork and exec.
    prctl = ctypes.CDLL(None).prctl

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _WAITED)
        prctl(_PR_SET_PDEATHSIG, int(death), 0, 0, 0)

    try:
        return subprocess.Popen(  # noqa: S603 - the user's own command
            command,
            env=dict(environment),
            cwd=folder,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            close_fds=False,  # launchers pass their connection on as an open file
            start_new_session=apart,
            preexec_fn=prepare,  # noqa: PLW1509 - no other thread runs Python code that forks
        )
    except OSError as error:
        raise _cannot_start(command, error) from error


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    death: signal.Signals = signal.SIGTERM,
    stdout: Path | None = None,
    stderr: Path | None = None,
    limit_s: float | None = None,
) -> Ended:
    """Runs the command on our own stdin, stdout and stderr; passes on the signals sent to us.

    Its output goes to the files `stdout` and `stderr` if given. After `limit_s` seconds it gets a
    signal to end, and is killed if it continues. Works in the main thread only. InputError as for
    `start`.
    """
    children = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED)
    started = time.monotonic()
    try:
        with _opened(stdout) as out, _opened(stderr) as err:
            process = start(command, environment, death=death, stdout=out, stderr=err, apart=False)
        timed_out, interrupted = _wait(process, limit_s)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGCHLD, children)
    return Ended.of(process.returncode, time.monotonic() - started, timed_out, interrupted)


def run_apart(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    stdout: Path,
    stderr: Path,
    limit_s: float | None,
    alive: Callable[[], None] = lambda: None,
) -> Ended:
    """Runs the command in `folder`, in its own session, with its output in files.

    After `limit_s` seconds, or on an exception during the run, the whole session ends. `alive` is
    called every ten seconds. InputError as for `start`.
    """
    with _opened(stdout) as out, _opened(stderr) as err:
        started = time.monotonic()
        process = start(
            command,
            environment,
            folder=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
    # A waiting thread knows the moment; Popen.wait with a time limit polls every 50 ms.
    moments: list[float] = []

    def waited() -> None:
        process.wait()
        moments.append(time.monotonic())

    waiting = threading.Thread(target=waited, daemon=True)
    waiting.start()
    end_at = math.inf if limit_s is None else started + limit_s
    timed_out = False
    try:
        while waiting.is_alive() and not timed_out:
            waiting.join(min(_LOOK_S, max(0.0, end_at - time.monotonic())))
            alive()
            timed_out = waiting.is_alive() and time.monotonic() >= end_at
    finally:
        _end(process.pid, waiting)
    return Ended.of(process.returncode, moments[0] - started, timed_out)


def end(process: "subprocess.Popen[bytes]", grace_s: float) -> None:
    """Ends a command with its own session: first by a signal, after `grace_s` by a kill."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(grace_s)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def become(command: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Replaces this process with the command."""
    for number in _IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command[0], list(command), dict(environment))  # noqa: S606 - as above
    except OSError as error:
        raise _cannot_start(command, error) from error


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the work inside as Ctrl-C does: cleanly, by KeyboardInterrupt.

    Only the main thread gets signals; in other threads nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_number: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _opened(path: Path | None) -> Iterator[IO[bytes] | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("wb")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    with file:
        yield file


def _wait(process: "subprocess.Popen[bytes]", limit_s: float | None) -> tuple[bool, bool]:
    """Waits for the end; returns whether the limit was reached, and whether we got a signal."""
    end = math.inf if limit_s is None else time.monotonic() + limit_s
    told_to_end = interrupted = False
    while process.poll() is None:
        told = _next_signal(end)
        if told is None:
            process.send_signal(signal.SIGKILL if told_to_end else signal.SIGTERM)
            told_to_end, end = True, time.monotonic() + _GRACE_S
            continue
        interrupted |= told.si_signo in _ENDING
        if told.si_signo != signal.SIGCHLD and told.si_code != _FROM_KERNEL:
            process.send_signal(told.si_signo)
    return told_to_end, interrupted


def _next_signal(end: float) -> signal.struct_siginfo | None:
    if math.isinf(end):
        return signal.sigwaitinfo(_WAITED)
    return signal.sigtimedwait(_WAITED, max(0.0, end - time.monotonic()))


def _end(session: int, waiting: threading.Thread) -> None:
    """Ends the rest of a session: first by a signal, then by a kill."""
    try:
        if waiting.is_alive():
            with suppress(ProcessLookupError):
                os.killpg(session, signal.SIGTERM)
            waiting.join(_GRACE_APART_S)
    finally:  # a second Ctrl-C skips the wait; remaining ranks would disturb later runs
        with suppress(ProcessLookupError):
            os.killpg(session, signal.SIGKILL)
        waiting.join()


def refuse_unknown(command: Sequence[str]) -> None:
    """Raises InputError, before any work or output, if `run` would find no program to start."""
    if shutil.which(command[0]) is None:
        raise _cannot_start(command, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))


def _cannot_start(command: Sequence[str], error: OSError) -> InputError:
    return InputError(f"{command[0]}: cannot be started: {error.strerror or error}")


def as_shell(code: int) -> int:
    """A shell's exit status for a `returncode` of subprocess, which is -n for signal n."""
    return code if code >= 0 else SIGNALLED - code
