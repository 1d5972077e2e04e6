"""Everything a validation does, from the plan to the result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from latitude.analysis.replay import replayed
from latitude.experiments.validation.perform import Performer
from latitude.experiments.validation.plan import Planned, shuffled
from latitude.experiments.validation.predict import OfTrace, median_of, of_trace
from latitude.experiments.validation.result import Validation, levels_of
from latitude.experiments.validation.store import Run
from latitude.files.provenance import provenance
from latitude.model.network import Network, warnings_of
from latitude.notices.notice import Notice
from latitude.trace.load import load
from latitude.trace.program import Program
from latitude.units.quantities import counted


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for."""

    deltas_ns: Sequence[int]
    """Rising, the first is 0."""
    repetitions: int
    traces: int
    tolerance: Sequence[float]
    replay: bool
    """Keep what the traced runs took beyond the model; they are loaded with `traced_times`."""
    seed: int
    """Of the order of the runs."""


def validate(
    performer: Performer,
    question: Question,
    network_of: Callable[[Program], tuple[Network, str, list[Notice]]],
    loading: Mapping[str, Any],
) -> Validation:
    """Traces, measures, predicts, compares.

    `network_of` finds the network's parameters, says where they come from, and what to tell, once
    there is a trace; `loading` is how `latitude.load` builds the graph. InputError when the program
    cannot be traced, or its trace not be predicted from: before the other runs.
    """
    subject = performer.subject
    earliest, *others = planned = shuffled(
        question.deltas_ns, question.repetitions, question.traces, question.seed
    )

    def loaded(traced: Planned) -> Program:
        return load(performer.store.trace_directory(traced), **loading)

    performer.make([earliest])
    plain = loaded(earliest)
    network, network_source, told = network_of(plain)
    asked = (question.deltas_ns, question.tolerance)

    def predicted(plain: Program) -> tuple[Program, OfTrace, OfTrace]:
        """The program as asked, what it predicts, and what the model alone does."""
        program = replayed(plain, network, subject.base_ns) if question.replay else plain
        found = of_trace(program, network, subject.base_ns, *asked)
        if not question.replay:
            return program, found, found
        return program, found, of_trace(plain, network, subject.base_ns, *asked)

    first, *of_first = predicted(plain)
    performer.make(others)
    of_all = [of_first, *(predicted(loaded(each))[1:] for each in others if each.traced)]
    prediction, alone = (median_of(each, *asked) for each in zip(*of_all, strict=True))
    runs = performer.store.runs([each for each in planned if not each.traced])
    return Validation(
        provenance=provenance(first.path, first.digest),
        program=performer.program(),
        command=tuple(subject.command),
        intra_node=subject.intra_node,
        base_ns=subject.base_ns,
        trace=first.trace,
        traces=len(of_all),
        network=network,
        network_source=network_source,
        collectives=first.collectives,
        reduce_ns_per_byte=first.reduce_ns_per_byte,
        prediction=prediction,
        levels=levels_of(prediction, question.deltas_ns, runs),
        model_alone=levels_of(alone, question.deltas_ns, runs) if question.replay else None,
        failures=[run for run in runs if run.failure is not None],
        seed=question.seed,
        warnings=[
            *_advised(first.warnings),
            *warnings_of(network),
            *told,
            *_lost(question, runs),
        ],
    )


def _advised(warnings: Sequence[Notice]) -> list[Notice]:
    """Those of the trace; where ranks share cores, with what a validation can do about it."""
    advice = (
        "where ranks compute, give each its own core; where they only wait, --base 200us emulates "
        "a network beside which waiting for a core does not count"
    )
    return [
        replace(notice, hint=advice) if notice.code == "wall-clock-crowded" else notice
        for notice in warnings
    ]


def _lost(question: Question, runs: Sequence[Run]) -> list[Notice]:
    measured = {run.delta_ns for run in runs if run.failure is None}
    without = [delta for delta in question.deltas_ns if delta not in measured]
    if not without:
        return []
    return [
        Notice(
            "not-measured",
            f"every run failed at {counted(len(without), 'ΔL')}, from {without[0]:,} ns on",
            "see what the runs printed; the same command tries them again",
        )
    ]
