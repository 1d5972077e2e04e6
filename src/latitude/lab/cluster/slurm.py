"""Asks the running Slurm."""

import os
import resource
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from latitude._core import InputError
from latitude.lab.cluster.jobs import QueuedJob
from latitude.lab.cluster.squeue_json import parse_json
from latitude.lab.cluster.squeue_text import FORMAT, parse_text
from latitude.units.host_lists import hosts
from latitude.units.quantities import format_size

_TIMEOUT_S = 60.0
MOST_BYTES = 64 << 20
"""Largest output of one of Slurm's commands, bytes, or of a file with such output; JSON of 30,000
jobs has about 50 MiB.
"""
_ELSE = "Or read what it said before: --queue FILE, --topology FILE"
_TEXT = ("squeue", "--all", "-o", FORMAT)


def live_jobs() -> list[QueuedJob]:
    """All jobs in the queue now: from `squeue --json`, or else from text."""
    answer = _run(("squeue", "--all", "--json"))
    if answer.returncode == 0 and answer.stdout.lstrip().startswith("{"):
        return parse_json(answer.stdout, "squeue --json")
    # Before 21.08 the option is unknown; later the JSON plugin may be missing. After any other
    # failure, such as a controller that does not answer, a second try would only cost time.
    if answer.returncode == 0 or "json" in answer.stderr.lower():
        return live_jobs_as_text()
    raise _failed(answer)


def live_jobs_as_text() -> list[QueuedJob]:
    """All jobs in the queue now, from `squeue -o`."""
    return parse_text(ask(_TEXT), "squeue")


def live_nodes() -> int:
    """N_t: the number of nodes in the cluster, in whatever state, each counted once."""
    return len(hosts(ask(("sinfo", "--all", "-h", "-o", "%N")).replace("\n", ","), "sinfo"))


def live_topology() -> str:
    """The switches, in the form of `scontrol show topology`."""
    return ask(("scontrol", "show", "topology"))


def ask(command: Sequence[str]) -> str:
    """The output of one of Slurm's commands. InputError: the command fails."""
    answer = _run(command)
    if answer.returncode != 0:
        raise _failed(answer)
    return answer.stdout.strip("\n")


def _failed(answer: "subprocess.CompletedProcess[str]") -> InputError:
    said = answer.stderr.strip().splitlines() or [f"exit status {answer.returncode}"]
    return InputError(
        f"no Slurm answers here ({said[-1]}): run this on a machine of the cluster. {_ELSE}"
    )


def _run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    # Users set SQUEUE_USERS, SQUEUE_FORMAT and similar variables, which would hide jobs from
    # Latitude.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SQUEUE_", "SINFO_"))}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        status = _status(command, environment, out, errors)
        said = [_text(command, file) for file in (out, errors)]
    return subprocess.CompletedProcess(command, status, *said)


def _text(command: Sequence[str], file: IO[bytes]) -> str:
    file.seek(0)
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InputError(f"{command[0]}: printed more than {format_size(MOST_BYTES)}. {_ELSE}")
    return content.decode(errors="replace")


def _status(
    command: Sequence[str], environment: dict[str, str], out: IO[bytes], errors: IO[bytes]
) -> int:
    try:
        with subprocess.Popen(  # noqa: S603 - fixed commands
            command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=errors
        ) as running:
            # The limit on output ends a command that never stops writing.
            limits = (MOST_BYTES + 1, MOST_BYTES + 1)
            with suppress(ProcessLookupError):
                resource.prlimit(running.pid, resource.RLIMIT_FSIZE, limits)
            try:
                return running.wait(_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                running.kill()
                raise
    except FileNotFoundError as error:
        raise InputError(
            f"{command[0]}: not found; Slurm's commands must be on PATH. {_ELSE}"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise InputError(f"{command[0]}: no answer within {_TIMEOUT_S:g} s") from error
