"""A command in a session of its own: it ends as a whole, and our terminal's Ctrl-C is not its own.

What it prints goes to files. Should we be killed, the kernel tells the launcher to end, and that
its ranks.
"""

import ctypes
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.experiments.campaign.claims import RENEWED_S
from latitude.launch.status import as_shell

_PR_SET_PDEATHSIG = 1
_GRACE_S = 5.0
"""What processes that were told to end have for it before they are killed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    """As a shell reports it: 128 + n for signal n."""
    seconds: float
    timed_out: bool


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    out: Path,
    err: Path,
    limit_s: float,
    alive: Callable[[], None],
) -> Ended:
    """Runs the command in `folder`; an exception that comes meanwhile ends it, too.

    `alive` is called now and then. InputError when it cannot be started.
    """
    # Asked for here: the child must not load a library between fork and exec.
    prctl = ctypes.CDLL(None).prctl
    with out.open("wb") as stdout, err.open("wb") as stderr:
        started = time.monotonic()
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own command
                command,
                env=dict(environment),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                preexec_fn=lambda: prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0),  # noqa: PLW1509 - no other thread runs Python code that forks
            )
        except OSError as error:
            raise InputError(
                f"{command[0]}: cannot be started: {error.strerror or error}"
            ) from error
    # A thread that waits knows the moment; Popen.wait with a time limit looks every 50 ms.
    ended: list[float] = []
    waiting = threading.Thread(target=lambda: ended.append(_waited(process)), daemon=True)
    waiting.start()
    timed_out = False
    try:
        while waiting.is_alive() and not timed_out:
            waiting.join(min(RENEWED_S, max(0.0, started + limit_s - time.monotonic())))
            alive()
            timed_out = waiting.is_alive() and time.monotonic() >= started + limit_s
    finally:
        _end(process.pid, waiting)
    return Ended(as_shell(process.returncode), ended[0] - started, timed_out)


def _waited(process: "subprocess.Popen[bytes]") -> float:
    process.wait()
    return time.monotonic()


def _end(session: int, waiting: threading.Thread) -> None:
    """Ends what is left of a session: told first, then killed."""
    try:
        if waiting.is_alive():
            with suppress(ProcessLookupError):
                os.killpg(session, signal.SIGTERM)
            waiting.join(_GRACE_S)
    finally:  # a second Ctrl-C does not wait; after a good end, ranks left behind would disturb
        with suppress(ProcessLookupError):
            os.killpg(session, signal.SIGKILL)
        waiting.join()
