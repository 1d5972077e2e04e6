"""Everything a validation does, from the plan to the result; [S] §III."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from latitude.analysis.replay import replayed
from latitude.experiments.launch import OUTPUT
from latitude.experiments.planned import Planned
from latitude.experiments.validation.plan import is_traced, planned
from latitude.experiments.validation.predict import Asked, Prediction, median_of, of_trace
from latitude.experiments.validation.runs import Performer
from latitude.model.network import Network, warnings_of
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.assumptions import Assumptions
from latitude.results.runs import RunRecord, Runs, Study
from latitude.results.validation import (
    AtDelta,
    FailedRun,
    ModelAlone,
    PredictedCurve,
    TolerancePair,
    Validation,
)
from latitude.statistics.accuracy import root_mean_square, rrmse
from latitude.trace.load import load
from latitude.trace.program import Program
from latitude.units.quantities import counted


@dataclass(frozen=True, slots=True)
class ValidationQuestion:
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
    limit_s: float | None = None
    """A run that takes longer has failed."""


def validate(
    performer: Performer,
    question: ValidationQuestion,
    network_of: Callable[[Program], tuple[Network, str, list[Notice]]],
    loading: Mapping[str, Any],
) -> Validation:
    """Traces, measures, predicts, compares.

    `network_of` finds the network's parameters, says where they come from, and what to tell, once
    there is a trace; `loading` is how `latitude.load` builds the graph. InputError when the program
    cannot be traced, or its trace not be predicted from: before the other runs.
    """
    setup, store = performer.setup, performer.store
    subject = setup.subject(performer.program(), question.limit_s)
    counts = (question.repetitions, question.traces, question.seed)
    runs = planned(setup, subject, question.deltas_ns, *counts)
    earliest, *others = runs
    pending = [run for run in runs if store.of(run).next_attempt(run.id) is not None]
    performer.show.begin(len(runs), len(runs) - len(pending))

    def loaded(traced: Planned) -> Program:
        return load(store.trace(traced), **loading)

    performer.make([earliest])
    plain = loaded(earliest)
    network, network_source, told = network_of(plain)
    asked = Asked(question.deltas_ns, sorted(question.tolerance))

    def predicted(plain: Program) -> tuple[Program, Prediction, Prediction]:
        """The program as asked, what it predicts, and what the model alone does."""
        program = replayed(plain, network, setup.base_ns) if question.replay else plain
        found = of_trace(program, network, setup.base_ns, asked)
        if not question.replay:
            return program, found, found
        return program, found, of_trace(plain, network, setup.base_ns, asked)

    first, *of_first = predicted(plain)
    performer.make(others)
    of_all = [of_first, *(predicted(loaded(each))[1:] for each in others if is_traced(each))]
    prediction, alone = (median_of(each) for each in zip(*of_all, strict=True))
    timed = [run for run in others if not is_traced(run)]
    records = store.runs(timed)
    study = study_of(subject.name, timed, records)
    folder_of = {run.id: store.folder(run) for run in timed}
    least, most = prediction.range_ns
    levels = [
        at_delta(cell, *figures)
        for cell, *figures in zip(
            study.cells, prediction.T_ns, least, most, prediction.lambda_L, strict=True
        )
    ]
    measured = [level for level in levels if level.measured_ns]
    T = [level.median_ns for level in measured]
    shift = levels[0].median_ns - levels[0].predicted_ns
    spreads = [level.spread for level in measured if not math.isnan(level.spread)]
    return Validation(
        provenance=first.provenance(),
        program=subject.name,
        command=list(setup.command),
        intra_node=setup.intra_node,
        base_L_ns=setup.base_ns,
        order_seed=question.seed,
        trace=first.trace,
        traces=len(of_all),
        model=Assumptions.of(
            network, first.trace.ranks, first.collectives, first.reduce_ns_per_byte
        ),
        network_source=network_source,
        rrmse=rrmse([level.predicted_ns for level in measured], T),
        rmse_ns=root_mean_square([level.error * level.median_ns for level in measured]),
        spread=root_mean_square(spreads),
        shifted_rrmse=rrmse([level.predicted_ns + shift for level in measured], T),
        model_alone=_alone(alone, levels) if question.replay else None,
        levels=levels,
        tolerance=[
            TolerancePair(
                degradation=degradation,
                predicted_delta_L_ns=float(tolerated),
                measured_delta_L_ns=_crossing(measured, degradation),
            )
            for degradation, tolerated in zip(asked.tolerance, prediction.tolerated_ns, strict=True)
        ],
        curve=PredictedCurve(delta_L_ns=asked.grid_ns, T_ns=prediction.curve_T_ns),
        failures=[
            FailedRun(
                delta_L_ns=round(run.asked_mean_ns),
                repetition=run.repetition,
                why=run.error or run.status,
                exit_status=run.exit_code or 0,
                output=str(folder_of[run.run_id] / OUTPUT),
            )
            for run in records
            if run.runtime_ns is None
        ],
        warnings=[
            *_advised(first.warnings),
            *warnings_of(network),
            *told,
            *_lost(levels),
        ],
        network=network,
    )


def study_of(name: str, runs: Sequence[Planned], records: Sequence[RunRecord]) -> Study:
    """The table of the runs, by rising ΔL."""
    levels = {run.level.name: run.level for run in runs}
    return Study(
        name,
        tuple(
            Runs(
                level,
                np.array(
                    [
                        run.runtime_ns
                        for run in records
                        if run.level == level.name and run.runtime_ns is not None
                    ]
                ),
            )
            for level in sorted(levels.values(), key=lambda level: level.mean_ns)
        ),
    )


def at_delta(cell: Runs, T: float, least: float, most: float, lambda_L: float) -> AtDelta:
    """Runs at one ΔL beside what was predicted."""
    measured = [round(each) for each in cell.T_ns.tolist()]
    return AtDelta(
        delta_L_ns=round(cell.level.mean_ns),
        predicted_ns=float(T),
        predicted_least_ns=float(least),
        predicted_most_ns=float(most),
        lambda_L=float(lambda_L),
        measured_ns=measured,
        median_ns=cell.median_ns,
        error=float(T) / cell.median_ns - 1,
        spread=cell.spread,
        inside=bool(measured) and min(measured) <= T <= max(measured),
    )


def _alone(prediction: Prediction, levels: Sequence[AtDelta]) -> ModelAlone:
    T = prediction.T_ns.tolist()
    both = [(t, level.median_ns) for t, level in zip(T, levels, strict=True) if level.measured_ns]
    return ModelAlone(rrmse=rrmse(*zip(*both, strict=True)) if both else math.nan, predicted_ns=T)


def _crossing(levels: Sequence[AtDelta], degradation: float) -> float | None:
    """The first ΔL at which the measured medians are so much above that at ΔL = 0."""
    if not levels or levels[0].delta_L_ns != 0:
        return None
    limit = levels[0].median_ns * (1 + degradation)
    for before, after in pairwise(levels):
        if after.median_ns > limit:
            return float(
                np.interp(
                    limit,
                    [before.median_ns, after.median_ns],
                    [before.delta_L_ns, after.delta_L_ns],
                )
            )
    return None


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


def _lost(levels: Sequence[AtDelta]) -> list[Notice]:
    without = [level.delta_L_ns for level in levels if not level.measured_ns]
    if not without:
        return []
    return [
        kinds.NOT_MEASURED(
            f"every run failed at {counted(len(without), 'ΔL')}, from {without[0]:,} ns on"
        )
    ]
