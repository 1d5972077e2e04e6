"""Running the user's command as if we were not there."""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from latitude._core import InputError

_FORWARDED = {
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
}
_WAITED = _FORWARDED | {signal.SIGCHLD}
_FROM_KERNEL = 0x80
"""si_code of a signal from the terminal: the command, in the same process group, has it too."""
_PR_SET_PDEATHSIG = 1
_SIGNALLED = 128
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    """As a shell reports it: 128 + n for signal n."""
    signal: int | None
    seconds: float


def run(command: Sequence[str], environment: Mapping[str, str], *, death: signal.Signals) -> Ended:
    """Runs the command on our own stdin, stdout and stderr; hands on the signals sent to us.

    `death` is what the command gets should we be killed. InputError when it cannot be started.
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
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own command
                command,
                env=dict(environment),
                close_fds=False,  # launchers hand their connection over as an open file
                preexec_fn=prepare,  # noqa: PLW1509 - no other thread runs here
            )
        except OSError as error:
            raise _cannot_start(command, error) from error
        _wait(process)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGCHLD, children)
    seconds = time.monotonic() - started
    code = process.returncode
    return Ended(code, None, seconds) if code >= 0 else Ended(_SIGNALLED - code, -code, seconds)


def _wait(process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None:
        told = signal.sigwaitinfo(_WAITED)
        if told.si_signo != signal.SIGCHLD and told.si_code != _FROM_KERNEL:
            process.send_signal(told.si_signo)


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
