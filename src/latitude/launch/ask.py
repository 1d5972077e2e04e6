"""Runs a program to read its output."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """The output of a program, on either stream."""

    ok: bool
    text: str


def ask(command: Sequence[str | Path], limit_s: float = _LIMIT_S) -> Answer:
    """Runs a command without input; not `ok` if the command fails, hangs, or does not exist."""
    try:
        done = subprocess.run(  # noqa: S603 - programs of the MPI, the compiler and Slurm
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=limit_s,
            check=False,
        )
    except OSError as error:
        return Answer(ok=False, text=f"{command[0]}: {error.strerror or error}")
    except subprocess.TimeoutExpired:
        return Answer(ok=False, text=f"no answer within {limit_s:g} s")
    return Answer(ok=done.returncode == 0, text=done.stdout)
