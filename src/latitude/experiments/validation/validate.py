"""A whole validation, from the plan to the result (Shen et al. 2024, §III)."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from latitude._core import InputError
from latitude.analysis.cpu_order import in_order
from latitude.analysis.prediction import Asked, Prediction, answers, prediction_of
from latitude.analysis.replay import replayed
from latitude.experiments.planned import Planned, Subject
from latitude.experiments.validation.comparison import (
    Basis,
    MadeRuns,
    Predicted,
    compared,
    tracing_disturbed,
)
from latitude.experiments.validation.own_errors import OwnRun, without_own_computing
from latitude.experiments.validation.plan import (
    SLOWER,
    ValidationQuestion,
    is_traced,
    planned,
)
from latitude.experiments.validation.runs import Performer, bytes_of
from latitude.experiments.validation.spread import run_error
from latitude.experiments.validation.tolerance import (
    blocks_of,
    injected_ns,
    measured_tolerances,
)
from latitude.model.links import AddedLatency
from latitude.model.network import Network
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.runs import RunRecord
from latitude.results.validation import Validation
from latitude.trace.costs import RecordedCosts
from latitude.trace.load import load
from latitude.trace.program import Program

NetworkOf = Callable[[Program], tuple[Network, str, list[Notice]]]
"""Function from the first trace to the network, the origin of its parameters, and warnings."""
CostsOf = Callable[[Path, Network, AddedLatency], RecordedCosts | None]
"""Function that gives the costs of the calls of a traced run under added latency; None for the
network's costs."""


def validate(
    performer: Performer,
    question: ValidationQuestion,
    network_of: NetworkOf,
    loading: Mapping[str, Any],
    costs_of: CostsOf,
    given: Program | None = None,
) -> Validation:
    """Traces, measures, predicts, compares.

    `loading` has the arguments with which `latitude.load` builds the graph of a traced run, and
    `costs_of` its costs. `given` replaces traced runs for the prediction; then no run is traced or
    replayed. InputError, before the other runs: the program cannot be traced, or its trace allows
    no prediction. InputError: the runs have another number of ranks than the trace.
    """
    begun = time.monotonic()
    subject = performer.setup.subject(performer.program(), question.limit_s)
    work = _Work(performer, question, subject, loading, costs_of)
    first = work.first_traced() if given is None else given
    if given is None:
        question = question.decided(bytes_of(first.path))
        work = replace(work, question=question)
    network, origin, told = network_of(first)
    plain = in_order(work.with_costs(first, network), network)
    if question.minutes is not None:
        question = work.in_minutes(question.minutes, plain, network, begun)
        work = replace(work, question=question)
    deltas = sorted({*question.deltas_ns, *work.places(plain, network)})
    made = work.runs(deltas, plain)
    traces = [plain, *work.others_traced(made, network)]
    own = work.own(made, network)
    made = work.without_own_computing(made, own)
    predicted = work.predicted(traces, network, made, own)
    basis = Basis(question, performer.setup, subject.name, network, origin, told)
    return compared(basis, made, predicted, performer.store)


@dataclass(frozen=True, slots=True)
class _Work:
    """The runs of one validation, and the results of its traces."""

    performer: Performer
    question: ValidationQuestion
    subject: Subject
    loading: Mapping[str, Any]
    costs_of: CostsOf

    def first_traced(self) -> Program:
        """The program of the first run, which is made before all others."""
        earliest = self._planned(self.question.deltas_ns, self.question.repetitions)[0]
        self.performer.make([earliest])
        return self._traced(earliest)

    def others_traced(self, made: MadeRuns, network: Network) -> list[Program]:
        """The programs of all traced runs but the first."""
        return [self.with_costs(self._traced(run), network) for run in made.traced[1:]]

    def with_costs(self, program: Program, network: Network, delta_ns: float = 0.0) -> Program:
        """The program of a traced run, with the calls' costs on `network`."""
        costs = self.costs_of(program.path, network, self.performer.setup.added(delta_ns))
        return program if costs is None else load(program.path, costs=costs, **self.loading)

    def in_minutes(
        self, minutes: float, plain: Program, network: Network, begun: float
    ) -> ValidationQuestion:
        """Plans the runs that fit into the remaining time, or returns an earlier start's plan."""
        store, added = self.performer.store, self.performer.setup.added()
        kept = store.kept_plan()
        if kept is not None:
            return replace(self.question, **kept, places=False, minutes=None)
        asked = Asked([0.0], SLOWER, np.empty(0), added=added)
        found = answers(plain, network, asked).tolerated
        reached = [(share, at) for share, at in zip(SLOWER, found, strict=True) if at < math.inf]
        if not reached:
            raise InputError("minutes: no latency makes the program slower; give --delta instead")
        (record,) = store.runs(self._planned([0], 1)[:1])
        whole, runtime = record.wall_ns * 1e-9, (record.runtime_ns or 0.0) * 1e-9
        block = whole + sum(whole + share * runtime for share, _ in reached)
        left = minutes * 60 - (time.monotonic() - begun)
        deltas = [0, *(max(round(at), 1) for _, at in reached)]
        planned = self.question.within(deltas, block, left)
        store.keep_plan(planned.deltas_ns, planned.repetitions)
        return planned

    def places(self, plain: Program, network: Network) -> list[int]:
        """ΔL of additional runs, around the predicted tolerances."""
        if not self.question.places:
            return []
        deltas = self.question.deltas_ns
        tolerance = self.question.degradations
        asked = Asked.up_to(float(max(deltas)), [0.0], tolerance, self.performer.setup.added())
        found = answers(self._as_asked(plain, network), network, asked).tolerated
        return self.performer.store.places(
            dict(zip(tolerance, found.tolist(), strict=True)), deltas
        )

    def runs(self, deltas: Sequence[int], program: Program) -> MadeRuns:
        """All runs, repeated as often as the question demands."""
        store = self.performer.store
        repetitions: int | None = self.question.repetitions
        while repetitions is not None:
            runs = self._planned(deltas, repetitions)
            every = self.question.traces is None
            self.performer.make(runs, traced=every)
            timed = [run for run in runs if not is_traced(run)]
            records = store.runs(timed)
            _same_ranks(program, records)
            blocks = blocks_of(deltas, records)
            tolerance = self.question.degradations
            found = measured_tolerances(blocks, tolerance, self.question.precision)
            repetitions = self.question.next_repetitions(repetitions, found)
        injected = injected_ns(blocks)
        kept = [run for run in runs if (every or is_traced(run)) and store.has_trace(run)]
        largest = max(self.question.deltas_ns)
        return MadeRuns(
            traced=[run for run in kept if run.level.mean_ns == 0],
            there=[run for run in kept if run.level.mean_ns == largest > 0],
            kept=kept,
            timed=timed,
            records=records,
            blocks=blocks,
            injected_ns=np.where(np.isnan(injected), blocks.delta_ns, injected),
            tolerance=found,
        )

    def own(self, made: MadeRuns, network: Network) -> list[OwnRun]:
        """Computes T of each traced run from its own trace."""
        injected = dict(zip(made.blocks.delta_ns.tolist(), made.injected_ns.tolist(), strict=True))
        farthest = injected[float(max(self.question.deltas_ns))]
        return [self._own(run, network, injected[run.level.mean_ns], farthest) for run in made.kept]

    def without_own_computing(self, made: MadeRuns, own: Sequence[OwnRun]) -> MadeRuns:
        """The runs; if all were traced, tolerances lack the runs' own variation of computing."""
        blocks = without_own_computing(made.blocks, own)
        if blocks is None:
            return made
        question = self.question
        found = measured_tolerances(blocks, question.degradations, question.precision)
        return replace(made, tolerance=found)

    def _own(self, run: Planned, network: Network, delta_ns: float, farthest: float) -> OwnRun:
        (record,) = self.performer.store.runs([run])
        program = self.with_costs(self._traced(run), network, delta_ns)
        offsets = [delta_ns, 0.0, farthest]
        asked = Asked(offsets, (), np.empty(0), added=self.performer.setup.added())
        own, zero, far = answers(program, network, asked).T_ns.tolist()
        recorded = record.runtime_ns or math.nan
        delta = round(run.level.mean_ns)
        return OwnRun(delta, run.repetition, recorded, own, zero, far, is_traced(run))

    def predicted(
        self,
        traces: Sequence[Program],
        network: Network,
        made: MadeRuns,
        own: Sequence[OwnRun],
    ) -> Predicted:
        """Predictions at the injected latencies: by the model alone, and by replay on request."""
        injected = made.injected_ns
        end = max(float(max(self.question.deltas_ns)), float(injected.max()))
        asked = Asked.up_to(end, injected, self.question.degradations, self.performer.setup.added())
        known = run_error(made.blocks, len(traces))
        alone = prediction_of(traces, network, asked, known=known)
        there = self._there(network, made)
        if not self.question.replay:
            return Predicted(traces[0], len(traces), asked, alone, own, there=there)
        traced = [run.runtime_ns for run in self.performer.store.runs(made.traced)]
        disturbed = tracing_disturbed(traced, made.blocks.T_ns[:, 0])
        if disturbed is not None:
            refused = [kinds.REPLAY_REFUSED(disturbed)]
            return Predicted(traces[0], len(traces), asked, alone, own, there=there, told=refused)
        first = self._as_asked(traces[0], network)
        kept = prediction_of(traces, network, asked, self._as_asked, known)
        return Predicted(first, len(traces), asked, kept, own, alone, there)

    def _there(self, network: Network, made: MadeRuns) -> Prediction | None:
        """Prediction of T at the largest ΔL from runs traced at that ΔL, by the model alone."""
        if not made.there:
            return None
        index = made.blocks.delta_ns.tolist().index(max(self.question.deltas_ns))
        asked = Asked(
            made.injected_ns[[index]], (), np.empty(0), added=self.performer.setup.added()
        )
        delta = float(made.injected_ns[index])
        there = [self.with_costs(self._traced(run), network, delta) for run in made.there]
        return prediction_of(there, network, asked)

    def _planned(self, deltas: Sequence[int], repetitions: int) -> list[Planned]:
        setup, store, question = self.performer.setup, self.performer.store, self.question
        there = max(question.deltas_ns)
        traces, seed = question.traces, question.seed
        runs = planned(setup, self.subject, deltas, repetitions, traces, there, seed)
        pending = [run for run in runs if store.of(run).next_attempt(run.id) is not None]
        self.performer.show.begin(len(runs), len(runs) - len(pending))
        return runs

    def _traced(self, run: Planned) -> Program:
        return load(self.performer.store.trace(run), **self.loading)

    def _as_asked(self, plain: Program, network: Network) -> Program:
        added = self.performer.setup.added()
        return replayed(plain, network, added) if self.question.replay else plain


def _same_ranks(program: Program, records: Sequence[RunRecord]) -> None:
    """Raises InputError if a run has another number of ranks than the traced program."""
    for run in records:
        if run.ranks not in (None, program.ranks):
            raise InputError(
                f"{program.path} has {program.ranks:,} ranks, and the command ran with "
                f"{run.ranks:,}; give the trace of this command on as many"
            )
