"""Asking the live Slurm."""

import os
import subprocess
from collections.abc import Sequence

from latitude._core import InputError
from latitude.cluster.hosts import hosts
from latitude.cluster.jobs import QueuedJob
from latitude.cluster.squeue_json import parse_json
from latitude.cluster.squeue_text import FORMAT, parse_text

_TIMEOUT_S = 60.0
_ELSE = "Or read what it said before: --queue FILE, --topology FILE"
_TEXT = ("squeue", "--all", "-o", FORMAT)


def live_jobs() -> list[QueuedJob]:
    """All jobs of the queue now: from `squeue --json`, or from text where there is no JSON."""
    answer = _run(("squeue", "--all", "--json"))
    if answer.returncode == 0 and answer.stdout.lstrip().startswith("{"):
        return parse_json(answer.stdout, "squeue --json")
    # Before 21.08 the option is unknown; later the JSON plugin may be missing. Anything else, such
    # as a controller that does not answer, would only take its time again.
    if answer.returncode == 0 or "json" in answer.stderr.lower():
        return live_jobs_as_text()
    raise _failed(answer)


def live_jobs_as_text() -> list[QueuedJob]:
    """All jobs of the queue now, from `squeue -o`."""
    return parse_text(ask(_TEXT), "squeue")


def live_nodes() -> int:
    """N_t: the nodes of the cluster, whatever their state, each once."""
    return len(hosts(ask(("sinfo", "--all", "-h", "-o", "%N")).replace("\n", ","), "sinfo"))


def live_topology() -> str:
    """The switches, as `scontrol show topology` prints them."""
    return ask(("scontrol", "show", "topology"))


def ask(command: Sequence[str]) -> str:
    """What one of Slurm's commands prints; InputError with its last word when it fails."""
    answer = _run(command)
    if answer.returncode != 0:
        raise _failed(answer)
    return answer.stdout.strip("\n")


def _failed(answer: "subprocess.CompletedProcess[str]") -> InputError:
    said = answer.stderr.strip().splitlines() or [f"exit status {answer.returncode}"]
    return InputError(f"{said[-1]}; is this a machine of the cluster? {_ELSE}")


def _run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    # Users set SQUEUE_USERS, SQUEUE_FORMAT and the like: they would hide jobs from us.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SQUEUE_", "SINFO_"))}
    try:
        return subprocess.run(  # noqa: S603 - fixed commands
            command,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise InputError(
            f"{command[0]}: not found; Slurm's commands must be on PATH. {_ELSE}"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise InputError(f"{command[0]}: no answer within {_TIMEOUT_S:g} s") from error
