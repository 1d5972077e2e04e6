"""Launches a run at its level, and reads its reports."""

import math
import os
import platform
import re
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from latitude._version import __version__
from latitude.experiments.others import Moment
from latitude.experiments.planned import MPI, SPAN, WALL, Planned, Subject
from latitude.launch import child
from latitude.launch import launcher as launchers
from latitude.launch.application import application
from latitude.launch.child import Ended
from latitude.launch.injecting.described import described
from latitude.launch.injecting.latency import InjectedLatency
from latitude.launch.injecting.recorded import Counted, Delays, late_mean_ns, read_counts
from latitude.launch.injecting.session import Injected, InjectionRequest, prepared
from latitude.launch.injecting.verdict import nothing_hooked
from latitude.results.injection import OFF
from latitude.results.runs import FAILED, OK, TIMEOUT, RunRecord
from latitude.units.host_lists import folded

OUTPUT, ERRORS = "output.txt", "errors.txt"
"""Files with the output of a program."""
_TAIL = 4096
"""Number of bytes of a program's output that are kept, from the end."""
_LINE = 300
_EMPTY = re.compile(r"^-+$|orte_base_help_aggregate|more process(es have| has) sent help message")
"""Lines without information at the end of mpirun's messages."""
_TOO_LONG = ("histogram", "processes")
"""Fields of the injector's report with an entry per cell or rank."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one launch. Times are ns."""

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
    late_mean_ns: float | None
    told: dict[str, Any]
    """Further facts for the provenance."""

    @classmethod
    def of_none(cls, error: str) -> "Outcome":
        """The outcome of a run that was not launched."""
        return cls(FAILED, None, None, 0.0, error, None, None, None, None, None, None, {})

    def recorded(
        self,
        run: Planned,
        campaign: str,
        attempt: int,
        started: datetime,
        background: tuple[float | None, float | None] = (None, None),
    ) -> RunRecord:
        """The outcome as a row of the campaign's table; `background` is b before and after."""
        level = run.level
        return RunRecord(
            run_id=run.id,
            campaign=campaign,
            program=run.program.name,
            ranks=self.ranks,
            level=level.name,
            family=level.family,
            kind=level.kind,
            layer=level.layer,
            asked_mean_ns=level.mean_ns,
            asked_sd_ns=level.sd_ns,
            achieved_mean_ns=self.achieved_mean_ns,
            achieved_sd_ns=self.achieved_sd_ns,
            late_mean_ns=self.late_mean_ns,
            load=level.load,
            seed=run.seed,
            repetition=run.repetition,
            order=run.order,
            attempt=attempt,
            status=self.status,
            exit_code=self.exit_status,
            runtime_ns=self.runtime_ns,
            wall_ns=self.wall_ns,
            messages=self.messages,
            started=started.isoformat(timespec="microseconds"),
            host=socket.gethostname(),
            nodes=self.nodes,
            b_before=background[0],
            b_after=background[1],
            error=self.error,
        )


def launch(
    run: Planned,
    scratch: Path,
    alive: Callable[[], None] = lambda: None,
    beside: Mapping[str, str] = MappingProxyType({}),
) -> Outcome:
    """Makes a run, with its files in `scratch`. InputError: the run cannot be started.

    `alive` is called from time to time. `beside` has variables of a library that is preloaded
    before the injector, for example the tracer's.
    """
    program, level = run.program, run.level
    request = None
    if level.layer is not None or level.intra_node or program.runtime in (MPI, SPAN):
        request = InjectionRequest(
            command=program.launch,
            directory=scratch / "inject",
            layer=level.layer or OFF,
            latency=None if level.table is None else InjectedLatency(level.table, run.seed),
            intra_node=level.intra_node,
            beside=beside,
        )
        job = prepared(request, os.environ, program.environment)
    else:
        known = {**os.environ, **program.environment}
        found = launchers.find(program.launch)
        job = launchers.job(program.launch, found, program.environment, known)
    out, err = scratch / OUTPUT, scratch / ERRORS
    begun = Moment()
    ended = child.run_apart(
        job.command, job.environment, program.folder, out, err, program.timeout_s, alive
    )
    end = Moment()
    injected = None if request is None else _injected(request, ended)
    counts = [] if injected is None else injected.counts
    here = [each for each in counts if each.rank is not None and each.host == socket.gethostname()]
    others = begun.others_until(end, sum(each.cpu_s for each in here))
    runtime = _runtime(program, ended, injected, out)
    status, error = _verdict(program, ended, injected, runtime, err)
    return Outcome(
        status=status,
        exit_status=ended.status,
        runtime_ns=runtime if status == OK else None,
        wall_ns=ended.seconds * 1e9,
        error=error,
        ranks=sum(each.rank is not None for each in counts) or program.ranks,
        nodes=_nodes(counts),
        **_delays(counts),
        late_mean_ns=late_mean_ns(counts),
        told={
            "launched": job.command,
            "others_cores": others,
            "ranks_here": len(here),
            "stdout": _tail(out),
            "stderr": _tail(err),
            "inject": None if injected is None else _told(injected),
        },
    )


def origin_of(run: Planned, outcome: Outcome, more: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance of a run: its launch line, its host and its report, plus `more`."""
    program = run.program
    return {
        "version": __version__,
        "launch": list(program.launch),
        "folder": program.folder,
        "environment": program.environment,
        "timeout_s": program.timeout_s,
        "runtime": program.runtime,
        "machine": platform.platform(),
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
        "slurm_job": os.environ.get("SLURM_JOB_ID"),
        **more,
        **outcome.told,
    }


def _injected(request: InjectionRequest, ended: Ended) -> Injected:
    return Injected(request, application(request.command), ended, read_counts(request.directory))


def _runtime(program: Subject, ended: Ended, injected: Injected | None, out: Path) -> float | None:
    if program.runtime == WALL:
        return ended.seconds * 1e9
    if program.runtime in (MPI, SPAN):
        if injected is None:
            return None
        return injected.runtime_ns if program.runtime == MPI else injected.span_ns
    found = re.findall(program.runtime, out.read_text(encoding="utf-8", errors="replace"))
    try:
        value = float(found[-1]) * program.unit_ns if found else None
    except ValueError:
        return None
    return value if value is not None and math.isfinite(value) else None


def _verdict(
    program: Subject, ended: Ended, injected: Injected | None, runtime: float | None, err: Path
) -> tuple[str, str | None]:
    """Status, and one line with the reason if it is not ok."""
    if ended.timed_out:
        return TIMEOUT, f"still ran after {program.timeout_s:g} s"
    if injected is not None and (injected.in_vain or not (ended.status or injected.hooked)):
        return FAILED, nothing_hooked(injected)
    if ended.status:
        return FAILED, _exit(ended, err)
    if runtime is None and program.runtime == SPAN:
        return FAILED, "a rank did not call MPI_Finalize"
    if runtime is None:
        return FAILED, f"its output has no number that '{program.runtime}' finds"
    return OK, None


def _exit(ended: Ended, err: Path) -> str:
    lines = (line.strip() for line in _tail(err).splitlines())
    said = [line for line in lines if line and not _EMPTY.search(line)]
    last = f": {said[-1][:_LINE]}" if said else ""
    # A launcher, or a shell, may have a status above 128 for reasons of its own.
    if ended.signal is not None:
        return f"ended by {signal.Signals(ended.signal).name}{last}"
    return f"exit status {ended.status}{last}"


def _nodes(counts: list[Counted]) -> str | None:
    hosts = {each.host for each in counts if each.host}
    return folded(sorted(hosts)) if hosts else os.environ.get("SLURM_JOB_NODELIST")


def _delays(counts: list[Counted]) -> dict[str, Any]:
    """Number of messages, and mean and sd of their delays."""
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
