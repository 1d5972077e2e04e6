"""A launch line under its level, and what it tells about itself."""

import math
import os
import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from latitude.cluster.hosts import folded
from latitude.experiments.campaign.description import MPI, WALL, Program
from latitude.experiments.campaign.plan import Planned
from latitude.experiments.campaign.record import FAILED, OK, TIMEOUT
from latitude.launch import isolated
from latitude.launch import launcher as launchers
from latitude.launch.application import application
from latitude.launch.injecting.described import described
from latitude.launch.injecting.latency import Latency
from latitude.launch.injecting.recorded import Counted, Delays, read_counts
from latitude.launch.injecting.session import Injected, Request, prepared
from latitude.launch.injecting.verdict import nothing_hooked
from latitude.launch.isolated import Ended
from latitude.launch.status import SIGNALLED
from latitude.launch.tracing import child
from latitude.results.injection import OFF

_TAIL = 4096
"""Bytes of what a program printed that are kept."""
_LINE = 300
_EMPTY = re.compile(r"^-+$|orte_base_help_aggregate|more process(es have| has) sent help message")
"""Lines with which mpirun ends what it has to say."""
_TOO_LONG = ("histogram", "processes")
"""Of what the injector tells: a place for every cell and rank."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one launch. Times in ns."""

    status: str
    exit_status: int | None
    runtime_ns: float | None
    wall_ns: float
    error: str | None
    ranks: int | None
    nodes: str | None
    messages: int | None
    achieved_mean_ns: float | None
    achieved_sd_ns: float | None
    told: dict[str, Any]
    """For the provenance."""


def launch(run: Planned, scratch: Path, alive: Callable[[], None]) -> Outcome:
    """Runs it; InputError when it cannot be started at all."""
    program, level = run.program, run.level
    request = None
    if level.layer is not None or level.intra_node or program.runtime == MPI:
        request = Request(
            command=program.launch,
            directory=scratch / "inject",
            layer=level.layer or OFF,
            latency=None if level.table is None else Latency(level.table, run.seed),
            intra_node=level.intra_node,
        )
        job = prepared(request, os.environ, program.environment)
    else:
        known = {**os.environ, **program.environment}
        found = launchers.find(program.launch)
        job = launchers.job(program.launch, found, program.environment, known)
    out, err = scratch / "stdout", scratch / "stderr"
    ended = isolated.run(
        job.command, job.environment, program.folder, out, err, program.timeout_s, alive
    )
    injected = None if request is None else _injected(request, ended)
    runtime = _runtime(program, ended, injected, out)
    status, error = _verdict(program, ended, injected, runtime, err)
    counts = [] if injected is None else injected.counts
    return Outcome(
        status=status,
        exit_status=ended.status,
        runtime_ns=runtime if status == OK else None,
        wall_ns=ended.seconds * 1e9,
        error=error,
        ranks=sum(each.rank is not None for each in counts) or program.ranks,
        nodes=_nodes(counts),
        **_delays(counts),
        told={
            "launched": job.command,
            "stdout": _tail(out),
            "stderr": _tail(err),
            "inject": None if injected is None else _told(injected),
        },
    )


def _injected(request: Request, ended: Ended) -> Injected:
    number = ended.status - SIGNALLED if ended.status > SIGNALLED else None
    return Injected(
        request,
        application(request.command),
        child.Ended(ended.status, number, ended.seconds, ended.timed_out),
        read_counts(request.directory),
    )


def _runtime(program: Program, ended: Ended, injected: Injected | None, out: Path) -> float | None:
    if program.runtime == WALL:
        return ended.seconds * 1e9
    if program.runtime == MPI:
        return None if injected is None else injected.runtime_ns
    found = re.findall(program.runtime, out.read_text(encoding="utf-8", errors="replace"))
    try:
        value = float(found[-1]) * program.unit_ns if found else None
    except ValueError:
        return None
    return value if value is not None and math.isfinite(value) else None


def _verdict(
    program: Program, ended: Ended, injected: Injected | None, runtime: float | None, err: Path
) -> tuple[str, str | None]:
    """Status, and in a line why it is not ok."""
    if ended.timed_out:
        return TIMEOUT, f"still ran after {program.timeout_s:g} s"
    if ended.status:
        return FAILED, _exit(ended.status, err)
    if injected is not None and not injected.hooked:
        return FAILED, nothing_hooked(injected)
    if runtime is None:
        return FAILED, f"its output has no number that '{program.runtime}' finds"
    return OK, None


def _exit(status: int, err: Path) -> str:
    lines = (line.strip() for line in _tail(err).splitlines())
    said = [line for line in lines if line and not _EMPTY.search(line)]
    last = f": {said[-1][:_LINE]}" if said else ""
    if status > SIGNALLED:
        try:
            return f"ended by {signal.Signals(status - SIGNALLED).name}{last}"
        except ValueError:
            pass
    return f"exit status {status}{last}"


def _nodes(counts: list[Counted]) -> str | None:
    hosts = {each.host for each in counts if each.host}
    return folded(sorted(hosts)) if hosts else os.environ.get("SLURM_JOB_NODELIST")


def _delays(counts: list[Counted]) -> dict[str, Any]:
    """Messages, and mean and sd of the delays they met."""
    if not counts:
        return {"messages": None, "achieved_mean_ns": None, "achieved_sd_ns": None}
    all_of_them: Delays = reduce(Delays.merged, (each.achieved for each in counts))
    total = all_of_them.total
    if not total:
        return {"messages": 0, "achieved_mean_ns": None, "achieved_sd_ns": None}
    means, sizes = all_of_them.sketch().cells()
    mean = all_of_them.mean_ns
    variance = float(np.dot(sizes, np.square(means - mean))) / total
    return {"messages": total, "achieved_mean_ns": mean, "achieved_sd_ns": math.sqrt(variance)}


def _told(injected: Injected) -> dict[str, Any]:
    return {
        key: value for key, value in described(injected).to_dict().items() if key not in _TOO_LONG
    }


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        return file.read().decode(errors="replace")
