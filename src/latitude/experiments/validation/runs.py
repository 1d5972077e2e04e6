"""Makes the runs of a validation, and keeps each; the same command continues later.

DIR/plan.json has the validated setup; another program needs another directory. DIR/placed.json has
the latencies at which tolerances are measured, which another network does not change. DIR/trace-1
and so on are traces of `latitude trace`. DIR/runs/ID.parquet is a run, as `latitude campaign` keeps
it, and DIR/runs/ID has its output. DIR/traced has records of the traced runs, and DIR/failed has
earlier, failed attempts.
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from latitude._core import InputError
from latitude.experiments.launch import OUTPUT, launch, origin_of
from latitude.experiments.others import Others
from latitude.experiments.planned import Planned
from latitude.experiments.progress import Show
from latitude.experiments.record import FAILURES, RUNS, run_file, write_run
from latitude.experiments.store import RunStore
from latitude.experiments.validation.plan import (
    TRACE,
    Setup,
    is_traced,
    is_traced_there,
    title,
)
from latitude.experiments.validation.tolerance import placed
from latitude.files.clock import now
from latitude.files.reading import parsing, read_text
from latitude.files.text import json_text
from latitude.files.writing import refuse_file, write_new
from latitude.launch import launcher as launchers
from latitude.launch import mpi
from latitude.launch.build import library
from latitude.launch.choose import Choice, choose
from latitude.launch.tracing import session as tracing
from latitude.launch.transports import telling
from latitude.results.runs import OK, RunRecord
from latitude.trace.recorded_run import read_run as read_trace
from latitude.trace.transports import keep_transports

_PLAN = "plan.json"
_PLACED = "placed.json"
_MINUTES = "minutes.json"
_TRACED = "traced"
_TRACES = (f"{TRACE}-*", "[0-9]*ns-[0-9]*")
"""Folders of traces."""
_SCHEMA = "latitude.validation-plan/1"
_MOST_BYTES = 1 << 20
_PRESETS = {mpi.OPENMPI: "openmpi", mpi.MPICH: "mpich"}


def bytes_of(trace: Path) -> int:
    """Size of a trace's files, bytes."""
    return sum(file.size for file in read_trace(trace))


class _PlannedRuns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of minutes.json."""

    deltas_ns: tuple[int, ...]
    repetitions: int


class ValidationStore:
    """Runs and traces of one setup on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._plain = RunStore(path, None)
        self._traced = RunStore(path / _TRACED, None)

    @classmethod
    def opened(cls, path: Path, setup: Setup, *, force: bool) -> "ValidationStore":
        """Makes or continues a directory.

        InputError: the directory belongs to another validation.
        """
        refuse_file(path)
        plan = path / _PLAN
        wanted = json_text({"schema": _SCHEMA, **msgspec.to_builtins(setup)}.items())
        store = cls(path)
        if plan.exists() and read_text(plan, _MOST_BYTES) != wanted:
            if not force and store.begun():
                raise InputError(
                    f"{path}: holds the validation of another command or with other options; pass "
                    "--force to start again, or another -o"
                )
            store.clear()
        elif not plan.exists() and path.is_dir() and any(path.iterdir()):
            raise InputError(f"{path}: holds other files; give another -o")
        if not plan.exists():
            write_new(plan, wanted, force=True)
        return store

    def begun(self) -> bool:
        """Whether the directory has results that could be lost."""
        return any(self.path.glob(f"{RUNS}/*")) or any(self.path.glob(f"{TRACE}-*"))

    def clear(self) -> None:
        """Removes the files that the validation has made."""
        for name in (_PLAN, _PLACED, _MINUTES):
            (self.path / name).unlink(missing_ok=True)
        for name in (RUNS, FAILURES, _TRACED):
            shutil.rmtree(self.path / name, ignore_errors=True)
        for pattern in _TRACES:
            for trace in self.path.glob(pattern):
                shutil.rmtree(trace, ignore_errors=True)

    def places(self, tolerated_ns: Mapping[float, float], asked_ns: Iterable[int]) -> list[int]:
        """ΔL at which the tolerances of all degradations are measured, in rising order, ns.

        ΔL around a predicted tolerance come from the first prediction, so that later predictions do
        not invalidate runs. InputError: Latitude did not write the file.
        """
        path = self.path / _PLACED
        known: dict[str, list[int]] = {}
        if path.exists():
            with parsing(
                str(path), "not a list of placed latencies; remove the file to place them again"
            ):
                known = msgspec.json.decode(read_text(path, _MOST_BYTES), type=dict[str, list[int]])
        before = len(known)
        for degradation, tolerated in tolerated_ns.items():
            held = [*asked_ns, *(place for places in known.values() for place in places)]
            known.setdefault(f"{degradation:g}", placed(tolerated, held))
        if len(known) > before:
            write_new(path, json_text(known.items()), force=True)
        wanted = {f"{degradation:g}" for degradation in tolerated_ns}
        return sorted({place for key, places in known.items() if key in wanted for place in places})

    def kept_plan(self) -> dict[str, Any] | None:
        """ΔL and repetitions of a plan for some minutes; None before there is a plan.

        InputError: Latitude did not write the file.
        """
        path = self.path / _MINUTES
        if not path.exists():
            return None
        with parsing(str(path), "not a plan of runs; remove it for a new plan"):
            plan = msgspec.json.decode(read_text(path, _MOST_BYTES), type=_PlannedRuns)
            return dict(msgspec.to_builtins(plan))

    def keep_plan(self, deltas_ns: Sequence[int], repetitions: int) -> None:
        """Keeps ΔL and repetitions for a continuation of the validation."""
        kept = _PlannedRuns(tuple(deltas_ns), repetitions)
        write_new(self.path / _MINUTES, json_text(msgspec.to_builtins(kept).items()), force=True)

    def of(self, run: Planned) -> RunStore:
        """The store in which a run is recorded."""
        return self._traced if is_traced(run) else self._plain

    def folder(self, run: Planned) -> Path:
        """The folder with a run's files."""
        return self.path / RUNS / run.id

    def trace(self, run: Planned) -> Path:
        """The folder with a run's trace."""
        return self.path / run.id

    def others(self, planned: Sequence[Planned], ranks: int) -> list[Others]:
        """The other programs during each run whose record tells their cores.

        `ranks` is the number of ranks on this host where an older record does not tell the number.
        """
        told = (self.of(each).told(each.id) for each in planned)
        found = ((each.get("others_cores"), each.get("ranks_here", ranks)) for each in told)
        return [Others(cores, here) for cores, here in found if isinstance(cores, float)]

    def has_trace(self, run: Planned) -> bool:
        """Whether the run ended well and was traced."""
        ended = any(each.status == OK for each in self.runs([run]))
        return ended and bool(read_trace(self.trace(run)))

    def runs(self, planned: Sequence[Planned]) -> list[RunRecord]:
        """Records of the runs made so far."""
        found = (self.of(each).recorded(each.id) for each in planned)
        return [run for run in found if run is not None]


@dataclass(frozen=True, slots=True)
class Performer:
    """Makes the runs of one setup."""

    setup: Setup
    store: ValidationStore
    choice: Choice
    """The chosen MPI."""
    show: Show

    @classmethod
    def of(
        cls, setup: Setup, store: ValidationStore, mpicc: Path | None, show: Show
    ) -> "Performer":
        """A performer for this setup. InputError: the program's MPI has no compiler wrapper."""
        launcher = launchers.find(setup.command)
        return cls(setup, store, choose(setup.command, launcher, mpicc), show)

    def program(self) -> str:
        """The program's name, or the command's name if launcher and program cannot be separated."""
        found = self.choice.application
        return found.path.name if found else Path(self.setup.command[0]).name

    def preset(self) -> str | None:
        """The preset of --collective for the program's MPI."""
        return _PRESETS.get(self.choice.mpi.abi)

    def make(self, planned: Iterable[Planned], *, traced: bool = False) -> None:
        """Makes missing runs, and repeats failed runs; with `traced`, all runs are traced.

        InputError: a run at ΔL = 0 failed, and the prediction needs its trace.
        """
        for each in planned:
            attempt = self.store.of(each).next_attempt(each.id)
            if attempt is None:
                continue
            keep = traced or is_traced(each)
            run = self._traced(each, attempt) if keep else self._run(each, attempt)
            self.show.ran(run, again=False)

    def _traced(self, run: Planned, attempt: int) -> RunRecord:
        trace = self.store.trace(run)
        shutil.rmtree(trace, ignore_errors=True)
        trace.mkdir(parents=True)
        tracer = library(tracing.LIBRARY, self.choice.mpi)
        traced = tracing.variables(tracer, trace, self.setup.clock, 0, {})
        made = self._run(run, attempt, launchers.together(traced, telling(trace, {})))
        if made.status != OK:
            if is_traced_there(run) or not is_traced(run):
                return made
            name = title(TRACE, 0.0, run.repetition)
            raise InputError(f"{name}: {made.error}; see {self.store.folder(run) / OUTPUT}")
        if not read_trace(trace):
            raise InputError(
                tracing.nothing_recorded(
                    self.setup.command, trace, launchers.find(self.setup.command), self.choice
                )
            )
        keep_transports(trace)
        return made

    def _run(
        self, run: Planned, attempt: int, beside: Mapping[str, str] = MappingProxyType({})
    ) -> RunRecord:
        folder, store = self.store.folder(run), self.store.of(run)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        started = now()
        outcome = launch(run, folder, beside=beside)
        made = outcome.recorded(run, "validation", attempt, started)
        store.set_aside(run.id, attempt)
        write_run(run_file(store.path, run.id), made, origin_of(run, outcome, {}))
        return made
