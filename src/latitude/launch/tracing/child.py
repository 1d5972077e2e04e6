"""Running the user's command as if we were not there."""

import ctypes
import math
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from latitude._core import InputError
from latitude.launch.status import as_shell

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
"""si_code of a signal from the terminal: the command, in the same process group, has it too."""
_PR_SET_PDEATHSIG = 1
_GRACE_S = 10.0
"""What a command that was told to end has for it before it is killed."""
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    """As a shell reports it: 128 + n for signal n."""
    signal: int | None
    seconds: float
    timed_out: bool = False
    """It was told to end, as its time was over."""
    interrupted: bool = False
    """We were told to end meanwhile, e.g. by Ctrl-C; a launcher may then end with any status."""

    @classmethod
    def of(
        cls, code: int, seconds: float, timed_out: bool = False, interrupted: bool = False
    ) -> "Ended":
        """Of a `returncode` of subprocess."""
        return cls(as_shell(code), -code if code < 0 else None, seconds, timed_out, interrupted)


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    death: signal.Signals,
    stdout: Path | None = None,
    stderr: Path | None = None,
    limit_s: float | None = None,
) -> Ended:
    """Runs the command on our own stdin, stdout and stderr; hands on the signals sent to us.

    What it prints goes to the files `stdout` and `stderr` instead, where given. `death` is what the
    command gets should we be killed. After `limit_s` seconds it is told to end, and killed when it
    does not. Works in the main thread only. InputError when it cannot be started.
    """
    # Asked for here: the child must not load a library between fork and exec.
    prctl = ctypes.CDLL(None).prctl

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _WAITED)
        prctl(_PR_SET_PDEATHSIG, int(death), 0, 0, 0)

    children = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED)
    started = time.monotonic()
    try:
        with _opened(stdout) as out, _opened(stderr) as err:
            try:
                process = subprocess.Popen(  # noqa: S603 - the user's own command
                    command,
                    env=dict(environment),
                    stdout=out,
                    stderr=err,
                    close_fds=False,  # launchers hand their connection over as an open file
                    preexec_fn=prepare,  # noqa: PLW1509 - no other thread runs here
                )
            except OSError as error:
                raise _cannot_start(command, error) from error
        timed_out, interrupted = _wait(process, limit_s)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGCHLD, children)
    seconds = time.monotonic() - started
    return Ended.of(process.returncode, seconds, timed_out, interrupted)


@contextmanager
def _opened(path: Path | None) -> Iterator[BinaryIO | None]:
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
    """Until it has ended; whether its time was over, and whether we were told to end."""
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


def become(command: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Replaces this process by the command."""
    for number in _IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command[0], list(command), dict(environment))  # noqa: S606 - as above
    except OSError as error:
        raise _cannot_start(command, error) from error


def _cannot_start(command: Sequence[str], error: OSError) -> InputError:
    return InputError(f"{command[0]}: cannot be started: {error.strerror or error}")
