"""Everything a validation does, from the plan to the result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from latitude.io import load
from latitude.network import Network, warnings_of
from latitude.notice import Notice
from latitude.program import Program
from latitude.provenance import provenance
from latitude.replay import replayed
from latitude.units import counted, format_time
from latitude.validation.perform import Performer
from latitude.validation.plan import shuffled
from latitude.validation.predict import Prediction, predict
from latitude.validation.result import Validation, levels_of
from latitude.validation.store import Run


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
    network_of: Callable[[Sequence[Program]], tuple[Network, str, list[Notice]]],
    loading: Mapping[str, Any],
) -> Validation:
    """Traces, measures, predicts, compares.

    `network_of` finds the network's parameters, says where they come from, and what to tell, once
    there are traces; `loading` is how `latitude.load` builds the graph. InputError when the program
    cannot be traced.
    """
    subject = performer.subject
    directories = performer.traces(question.traces)
    planned = shuffled(question.deltas_ns, question.repetitions, question.seed)
    names = {delta: f"ΔL = {format_time(float(delta), 4)}" for delta in question.deltas_ns}
    programs = [load(directory, **loading) for directory in directories]
    network, network_source, told = network_of(programs)

    def predicted(programs: Sequence[Program]) -> Prediction:
        return predict(programs, network, subject.base_ns, question.deltas_ns, question.tolerance)

    alone = predicted(programs)
    if question.replay:
        programs = [replayed(program, network, subject.base_ns) for program in programs]
    prediction = predicted(programs) if question.replay else alone
    performer.measure(planned, names)
    runs = performer.store.runs(planned)
    first = programs[0]
    return Validation(
        provenance=provenance(first.path, first.digest),
        command=tuple(subject.command),
        intra_node=subject.intra_node,
        base_ns=subject.base_ns,
        trace=first.trace,
        traces=len(programs),
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
