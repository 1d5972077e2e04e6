"""Commands that may never end: a defect may make a loop endless."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Done:
    """Result of a command."""

    status: int | None
    """Exit status; None if the command was ended, with all its children, after its time."""
    output: str
    """Output of both streams."""
    seconds: float


def run(
    command: Sequence[object],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    limit_s: float | None = None,
) -> Done:
    """Runs a command in a folder, with these variables beside this process's own."""
    began = time.monotonic()
    process = subprocess.Popen(
        list(map(str, command)),
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit_s)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        status = None
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return Done(status, output, time.monotonic() - began)
