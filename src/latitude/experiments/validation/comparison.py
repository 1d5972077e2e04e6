"""Puts predictions and measurements together into the result of a validation."""

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from latitude._types import Floats
from latitude.analysis.prediction import Asked, Prediction, not_known
from latitude.experiments.launch import OUTPUT
from latitude.experiments.planned import Planned
from latitude.experiments.validation.conclusion import LIMIT, concluded, disturbances
from latitude.experiments.validation.own_errors import OwnRun, at_ends, own_errors
from latitude.experiments.validation.plan import Setup, ValidationQuestion
from latitude.experiments.validation.runs import ValidationStore
from latitude.experiments.validation.spread import RunSpread, chance
from latitude.experiments.validation.tolerance import TARGET, Blocks, MeasuredTolerance
from latitude.model.network import Network, warnings_of
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.assumptions import Assumptions
from latitude.results.runs import RunRecord, Runs, Study
from latitude.results.validation import (
    AtDelta,
    FailedRun,
    ModelAlone,
    PerfectModel,
    PredictedCurve,
    TolerancePair,
    TracedThere,
    Validation,
)
from latitude.statistics.accuracy import root_mean_square, rrmse
from latitude.trace.program import Program
from latitude.units.quantities import counted, format_share, format_time


@dataclass(frozen=True, slots=True)
class Basis:
    """The subject of a validation, and the network of its predictions."""

    question: ValidationQuestion
    setup: Setup
    program: str
    """Name of the program."""
    network: Network
    network_source: str
    told: list[Notice]
    """Notices about the network."""


@dataclass(frozen=True, slots=True)
class MadeRuns:
    """All runs, and their results without predictions."""

    traced: list[Planned]
    """Traced runs at ΔL = 0."""
    there: list[Planned]
    """Runs traced at the largest ΔL."""
    kept: list[Planned]
    """All traced runs that ended well."""
    timed: list[Planned]
    records: list[RunRecord]
    """Records of the timed runs."""
    blocks: Blocks
    injected_ns: Floats
    """Injected latency at each level, or the requested latency if no run succeeded."""
    tolerance: list[MeasuredTolerance]
    """Results for each degradation, rising."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """Predictions of traces at the injected latencies."""

    program: Program
    """The first trace, in the form used for predictions."""
    traces: int
    asked: Asked
    prediction: Prediction
    own: Sequence[OwnRun]
    """Each traced run with T of its own trace."""
    alone: Prediction | None = None
    """Prediction of the model alone, if `prediction` comes from replayed traces."""
    there: Prediction | None = None
    """Prediction of T at the largest requested ΔL from runs traced at that ΔL, by the model alone.
    """
    told: list[Notice] = field(default_factory=list)


def compared(
    basis: Basis, made: MadeRuns, predicted: Predicted, store: ValidationStore
) -> Validation:
    """The result of the validation."""
    question, network, program = basis.question, basis.network, predicted.program
    prediction = predicted.prediction
    levels = _levels(basis, made, prediction)
    wanted = [level for level in levels if level.measured_ns and not level.placed]
    T = [level.median_ns for level in wanted]
    shift = levels[0].median_ns - levels[0].predicted_ns
    spreads = [level.spread for level in levels if not math.isnan(level.spread)]
    there = _traced_there(predicted, levels, max(question.deltas_ns), len(made.there))
    own = own_errors(predicted.own)
    ends = list(at_ends(own))
    error = rrmse([level.predicted_ns for level in wanted], T)
    limit = LIMIT if question.at_most is None else question.at_most
    runs_at = [np.array(level.measured_ns, np.float64) for level in levels if not level.placed]
    by_chance = chance(runs_at, len(made.traced), limit)
    others = store.others(made.timed, program.ranks)
    disturbed = list(disturbances(others, os.cpu_count() or 1))
    return Validation(
        provenance=program.provenance(),
        program=basis.program,
        command=list(basis.setup.command),
        intra_node=basis.setup.intra_node,
        base_L_ns=basis.setup.base_ns,
        order_seed=question.seed,
        trace=program.trace,
        traces=predicted.traces,
        conclusion=concluded(levels, ends, error, by_chance, limit, disturbed),
        perfect=None
        if by_chance is None
        else PerfectModel(
            rrmse=by_chance.rrmse, rrmse_p90=by_chance.likely, runs_needed=by_chance.needed
        ),
        own=own,
        ends=ends,
        model=Assumptions.of(network, program),
        network_source=basis.network_source,
        rrmse=error,
        rmse_ns=root_mean_square([level.error * level.median_ns for level in wanted]),
        spread=root_mean_square(spreads),
        shifted_rrmse=rrmse([level.predicted_ns + shift for level in wanted], T),
        model_alone=None if predicted.alone is None else _alone(predicted.alone, levels),
        traced_there=there,
        levels=levels,
        tolerance=list(_tolerances(question.degradations, prediction, made)),
        precision=question.precision or TARGET,
        not_known=not_known(predicted.traces, network),
        curve=PredictedCurve(
            delta_L_ns=predicted.asked.curve,
            T_ns=prediction.answers.curve_T_ns,
            low_T_ns=prediction.low.curve_T_ns,
            high_T_ns=prediction.high.curve_T_ns,
        ),
        failures=list(_failures(made, store)),
        warnings=[
            *_advised(program.warnings),
            *warnings_of(network),
            *basis.told,
            *predicted.told,
            *_otherwise(there),
            *_lost(levels),
        ],
        network=network,
    )


def _levels(basis: Basis, made: MadeRuns, prediction: Prediction) -> list[AtDelta]:
    study = study_of(basis.program, made.timed, made.records)
    spread = RunSpread.of_blocks(made.blocks)
    return [
        at_delta(
            cell,
            prediction,
            index,
            float(made.injected_ns[index]),
            spread.half(cell.n) if cell.n else math.nan,
            placed=round(cell.level.mean_ns) not in basis.question.deltas_ns,
        )
        for index, cell in enumerate(study.cells)
    ]


def _tolerances(
    degradations: Sequence[float], prediction: Prediction, made: MadeRuns
) -> Iterator[TolerancePair]:
    for degradation, tolerated, least, most, found in zip(
        degradations,
        prediction.answers.tolerated.tolist(),
        prediction.low.tolerated.tolist(),
        prediction.high.tolerated.tolist(),
        made.tolerance,
        strict=True,
    ):
        yield TolerancePair(
            degradation=degradation,
            predicted_delta_L_ns=tolerated,
            predicted_low_ns=least,
            predicted_high_ns=most,
            measured_delta_L_ns=found.estimate_ns,
            measured_low_ns=found.low_ns,
            measured_high_ns=found.high_ns,
            below_ns=found.below_ns,
            above_ns=found.above_ns,
            repetitions_needed=found.needed,
        )


def _failures(made: MadeRuns, store: ValidationStore) -> Iterator[FailedRun]:
    folder_of = {run.id: store.folder(run) for run in made.timed}
    for run in made.records:
        if run.runtime_ns is None:
            yield FailedRun(
                delta_L_ns=round(run.asked_mean_ns),
                repetition=run.repetition,
                why=run.error or run.status,
                exit_status=run.exit_code or 0,
                output=str(folder_of[run.run_id] / OUTPUT),
            )


def tracing_disturbed(traced_ns: Sequence[float | None], plain_ns: Floats) -> str | None:
    """The reason why traced runs do not represent the other runs, as a sentence, or None.

    The median of traced runs differs from that of the other runs at ΔL = 0 by more than runs of
    either group vary. The variation is the median absolute deviation, scaled to a normal
    distribution's sd. A single run that the machine delayed hardly changes this deviation. A
    replayed trace would keep the effect of tracing, too. The answer is None if neither group has
    two runs.
    """
    traced = np.array([each for each in traced_ns if each is not None])
    plain = plain_ns[~np.isnan(plain_ns)]
    spreads = [
        float(scipy.stats.median_abs_deviation(each, scale="normal"))
        for each in (traced, plain)
        if each.size > 1
    ]
    if not (traced.size and plain.size and spreads):
        return None
    usual = float(np.median(plain))
    off, spread = float(np.median(traced)) - usual, max(spreads)
    if abs(off) <= spread:
        return None
    how = "longer" if off > 0 else "shorter"
    return (
        f"traced runs took {format_share(abs(off) / usual)} {how} than the others at ΔL = 0, "
        f"although runs of one kind differ by {format_share(spread / usual)} only. Latitude does "
        "not replay these runs, because tracing changed them"
    )


def study_of(name: str, runs: Sequence[Planned], records: Sequence[RunRecord]) -> Study:
    """The table of the runs, in the order of rising ΔL."""
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


def at_delta(
    cell: Runs,
    prediction: Prediction,
    index: int,
    injected: float,
    half: float = math.nan,
    *,
    placed: bool = False,
) -> AtDelta:
    """Compares the runs at one ΔL with their prediction, the `index`-th of `prediction`.

    `half`, half the interval of the runs' median as a share, widens the prediction's interval. The
    median may differ by that share from the prediction of a perfect model.
    """
    T = float(prediction.answers.T_ns[index])
    by_runs = T * float(np.nan_to_num(half))
    low, high = (float(end.T_ns[index]) for end in (prediction.low, prediction.high))
    least, most = (float(each[index]) for each in prediction.range_ns)
    measured = [round(each) for each in cell.T_ns.tolist()]
    return AtDelta(
        delta_L_ns=round(cell.level.mean_ns),
        placed=placed,
        injected_delta_L_ns=injected,
        predicted_ns=T,
        predicted_low_ns=max(T - math.hypot(T - low, by_runs), 0.0),
        predicted_high_ns=T + math.hypot(high - T, by_runs),
        predicted_least_ns=least,
        predicted_most_ns=most,
        lambda_L=float(prediction.answers.slope[index]),
        lambda_L_low=float(prediction.low.slope[index]),
        lambda_L_high=float(prediction.high.slope[index]),
        measured_ns=measured,
        median_ns=cell.median_ns,
        error=T / cell.median_ns - 1,
        spread=cell.spread,
        inside=bool(measured) and min(measured) <= T <= max(measured),
    )


def _alone(prediction: Prediction, levels: Sequence[AtDelta]) -> ModelAlone:
    T = prediction.answers.T_ns.tolist()
    both = [
        (t, level.median_ns)
        for t, level in zip(T, levels, strict=True)
        if level.measured_ns and not level.placed
    ]
    return ModelAlone(rrmse=rrmse(*zip(*both, strict=True)) if both else math.nan, predicted_ns=T)


def _traced_there(
    predicted: Predicted, levels: Sequence[AtDelta], delta_ns: int, traces: int
) -> TracedThere | None:
    """T at the largest ΔL, predicted from traces of that ΔL and of ΔL = 0 by the model alone."""
    if predicted.there is None:
        return None
    index = next(i for i, level in enumerate(levels) if level.delta_L_ns == delta_ns)
    at_zero = predicted.alone or predicted.prediction
    least, most = (float(each[0]) for each in predicted.there.range_ns)
    zero_least, zero_most = (float(each[index]) for each in at_zero.range_ns)
    T, zero_T = float(predicted.there.answers.T_ns[0]), float(at_zero.answers.T_ns[index])
    measured = levels[index].median_ns
    return TracedThere(
        delta_L_ns=delta_ns,
        traces=traces,
        predicted_ns=T,
        predicted_least_ns=least,
        predicted_most_ns=most,
        lambda_L=float(predicted.there.answers.slope[0]),
        error=T / measured - 1,
        at_zero_predicted_ns=zero_T,
        at_zero_least_ns=zero_least,
        at_zero_most_ns=zero_most,
        at_zero_lambda_L=float(at_zero.answers.slope[index]),
        at_zero_error=zero_T / measured - 1,
    )


def _otherwise(there: TracedThere | None) -> list[Notice]:
    """A warning if the program takes other paths when its messages come later."""
    if there is None or there.alike:
        return []
    change = there.predicted_ns / there.at_zero_predicted_ns - 1
    how = "longer" if change > 0 else "shorter"
    delta = format_time(float(there.delta_L_ns), 4)
    return [
        kinds.OTHERWISE_THERE(
            f"from traces at ΔL = {delta}, the predicted runtime there is "
            f"{format_share(abs(change))} {how} (λ = {there.lambda_L:,.0f}) than from traces at "
            f"ΔL = 0 (λ = {there.at_zero_lambda_L:,.0f}): the program does other work, or another "
            "order of work, when its messages come later"
        )
    ]


def _advised(warnings: Sequence[Notice]) -> list[Notice]:
    """Warnings of the trace, with the remedy for a validation if ranks share cores."""
    advice = (
        "give each rank that computes its own core; if ranks only wait, --base 200us emulates a "
        "slower network, on which waiting for a core does not count"
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
