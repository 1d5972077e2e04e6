"""Making the runs: the program under the flow injector, traced or not."""

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from latitude._core import InputError
from latitude.experiments.validation.plan import Planned
from latitude.experiments.validation.store import Run, Store, Subject
from latitude.launch import launcher as launchers
from latitude.launch import mpi
from latitude.launch.build import library
from latitude.launch.choose import Choice, choose
from latitude.launch.injecting.latency import parse_latency
from latitude.launch.injecting.session import Injected, Request, inject
from latitude.launch.injecting.verdict import nothing_hooked
from latitude.launch.tracing import session as tracing
from latitude.launch.tracing.verdict import nothing_recorded
from latitude.results.injection import FLOW
from latitude.trace.recorded_run import read_run

_OUTPUT = "output.txt"
_PRESETS = {mpi.OPENMPI: "openmpi", mpi.MPICH: "mpich"}


class Show(Protocol):
    """Told of each run."""

    def kept(self) -> None:
        """A run is there from before."""

    def begins(self, what: str) -> None:
        """A run begins."""

    def ended(self, what: str, run: Run) -> None:
        """It has ended."""


@dataclass(frozen=True, slots=True)
class Performer:
    """Runs one program."""

    subject: Subject
    store: Store
    choice: Choice
    """Of the MPI."""
    limit_s: float | None
    """After so long a run is ended, and has failed."""
    show: Show

    @classmethod
    def of(
        cls, subject: Subject, store: Store, limit_s: float | None, mpicc: Path | None, show: Show
    ) -> "Performer":
        """InputError when the program's MPI has no compiler wrapper."""
        launcher = launchers.find(subject.command)
        return cls(subject, store, choose(subject.command, launcher, mpicc), limit_s, show)

    def program(self) -> str:
        """Its name; the command's where it cannot be told from its launcher."""
        found = self.choice.application
        return found.path.name if found else Path(self.subject.command[0]).name

    def preset(self) -> str | None:
        """The collective algorithms of the program's MPI, as --collective takes them."""
        return _PRESETS.get(self.choice.mpi.abi)

    def make(self, planned: Iterable[Planned]) -> None:
        """Makes the runs that are not there, and once more those that failed.

        InputError when a traced one fails: nothing can be predicted without.
        """
        for each in planned:
            directory = self.store.run_directory(each.name)
            done = self.store.found(directory)
            if done is not None and done.failure is None:
                self.show.kept()
                continue
            shutil.rmtree(directory, ignore_errors=True)
            self.show.begins(each.title)
            run = self._traced(directory, each) if each.traced else self._run(directory, each)[1]
            self.store.record(directory, run)
            self.show.ended(each.title, run)

    def _traced(self, directory: Path, planned: Planned) -> Run:
        trace = self.store.trace_directory(planned)
        shutil.rmtree(trace, ignore_errors=True)
        trace.mkdir(parents=True)
        tracer = library(tracing.LIBRARY, self.choice.mpi)
        beside = tracing.variables(tracer, trace, self.subject.clock, {})
        injected, run = self._run(directory, planned, beside)
        if run.failure is not None:
            raise InputError(f"{planned.title}: {run.failure}; see {run.output}")
        if not read_run(trace):
            raise InputError(nothing_recorded(injected.request.command, self.choice))
        return run

    def _run(
        self, directory: Path, planned: Planned, beside: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[Injected, Run]:
        directory.mkdir(parents=True, exist_ok=True)
        output = directory / _OUTPUT
        started = datetime.now(timezone.utc).isoformat(timespec="seconds")
        injected = inject(
            Request(
                command=self.subject.command,
                directory=directory,
                layer=FLOW,
                latency=parse_latency(f"{self.subject.base_ns + planned.delta_ns}ns"),
                intra_node=self.subject.intra_node,
                force=True,
                stdout=output,
                stderr=directory / "errors.txt",
                limit_s=self.limit_s,
                beside=beside,
            )
        )
        if injected.ended.interrupted:
            raise KeyboardInterrupt
        failure = _failure(injected, self.limit_s)
        run = Run(
            delta_ns=planned.delta_ns,
            repetition=planned.repetition,
            runtime_ns=None if failure else injected.span_ns,
            failure=failure,
            exit_status=injected.ended.status,
            seconds=injected.ended.seconds,
            started=started,
            output=os.fspath(output),
        )
        return injected, run


def _failure(injected: Injected, limit_s: float | None) -> str | None:
    """Why a run does not count."""
    ended = injected.ended
    if ended.timed_out:
        return f"not done after {limit_s:g} s"
    if ended.signal is not None:
        return f"ended by signal {ended.signal}"
    if ended.status != 0:
        return f"exit status {ended.status}"
    if not injected.hooked:
        return nothing_hooked(injected)
    if injected.span_ns is None:
        return "a rank did not call MPI_Finalize"
    return None
