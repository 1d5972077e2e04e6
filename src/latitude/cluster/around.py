"""B before and after a command, and whether it held ([B] §5.1)."""

import signal
import subprocess
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from types import FrameType
from typing import Any

from latitude._core import InputError
from latitude.cluster.clock import now
from latitude.cluster.utilization import Background
from latitude.launch.status import as_shell

THRESHOLD = 0.05
"""[B] §5.1: "less than a threshold (5% in our experiments)"."""


@dataclass(frozen=True, slots=True)
class Around:
    """A command that was run, with b on both sides of it."""

    command: tuple[str, ...]
    exit_status: int
    start: datetime
    seconds: float
    before: Background
    after: Background
    threshold: float
    relative: bool

    @property
    def difference(self) -> float:
        """What is compared with the threshold.

        [B] does not say of what 5 % is; it calls a step from b = 34 to 58 "a 24 percent increase"
        (§5.4), percentage points, so the difference is absolute unless `relative`.
        """
        change = abs(self.after.b - self.before.b)
        if not self.relative:
            return change
        return change / self.before.b if self.before.b else (0.0 if change == 0 else float("inf"))

    @property
    def kept(self) -> bool:
        """Whether b held while the command ran, so that one b stands for the run."""
        return self.difference < self.threshold

    @property
    def b(self) -> float | None:
        """The mean of both, or None when b did not hold."""
        return (self.before.b + self.after.b) / 2 if self.kept else None

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        difference = self.difference
        return {
            "command": list(self.command),
            "exit_code": self.exit_status,
            "start": self.start.isoformat(timespec="microseconds"),
            "seconds": self.seconds,
            "b": self.b,
            "kept": self.kept,
            "difference": difference if difference != float("inf") else None,
            "threshold": self.threshold,
            "relative": self.relative,
            "before": asdict(self.before),
            "after": asdict(self.after),
        }


def run_around(
    command: Sequence[str],
    measure: Callable[[], Background],
    *,
    threshold: float = THRESHOLD,
    relative: bool = False,
) -> Around:
    """Runs a command, with b measured right before and right after; its output is untouched."""
    if not command:
        raise InputError("no command to run; write it behind --, e.g. -- mpirun -n 4 ./app")
    before = measure()
    start, ticking = now(), clock.perf_counter()
    status = _run(command)
    seconds = clock.perf_counter() - ticking
    return Around(tuple(command), status, start, seconds, before, measure(), threshold, relative)


def _run(command: Sequence[str]) -> int:
    """The exit status, as a shell reports it; interruptions are the command's to handle."""
    try:
        child = subprocess.Popen(command)  # noqa: S603 - the user's own command
    except OSError as error:
        raise InputError(f"{command[0]}: cannot be run: {error.strerror or error}") from error

    def pass_on(number: int, _frame: FrameType | None) -> None:
        child.send_signal(number)

    # Ctrl-C reaches the command by itself: it shares our terminal.
    held = {signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None)}
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        held[number] = signal.signal(number, pass_on)
    try:
        code = child.wait()
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
    return as_shell(code)
