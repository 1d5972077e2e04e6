"""Everything a validation does, from the plan to the result; [S] §III."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.cpu_order import in_order
from latitude.analysis.prediction import Asked, Prediction, answers, not_known, prediction_of
from latitude.analysis.replay import replayed
from latitude.experiments.launch import OUTPUT
from latitude.experiments.planned import Planned
from latitude.experiments.validation.plan import is_traced, planned
from latitude.experiments.validation.runs import Performer
from latitude.experiments.validation.tolerance import (
    TARGET,
    Blocks,
    MeasuredTolerance,
    blocks_of,
    injected_ns,
    measured_tolerances,
)
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
from latitude.units.quantities import counted, format_share


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
    places: bool = True
    """Whether runs are made around predicted tolerances, besides `deltas_ns`."""
    precision: float | None = None
    """Half the width of each measured tolerance's interval, as a share of it; None: as wide as
    `repetitions` make it."""
    most: int = 50
    """Repetitions for that."""

    def next_repetitions(self, made: int, found: Sequence[MeasuredTolerance]) -> int | None:
        """How many there should be after `made` ones; None: these are enough.

        At most three times as many: the spread of few is a guess.
        """
        if self.precision is None or made >= self.most:
            return None
        wide = [each for each in found if not each.narrow(self.precision)]
        if not wide:
            return None
        needed = max(each.needed or 3 * made for each in wide)
        return min(max(needed, made + 1), 3 * made, self.most)


def validate(
    performer: Performer,
    question: ValidationQuestion,
    network_of: Callable[[Program], tuple[Network, str, list[Notice]]],
    loading: Mapping[str, Any],
    given: Program | None = None,
) -> Validation:
    """Traces, measures, predicts, compares.

    `network_of` finds the network's parameters, says where they come from, and what to tell, once
    there is a trace; `loading` is how `latitude.load` builds the graph. `given` is predicted from
    in place of traced runs: there are none then, and nothing is replayed. InputError when the
    program cannot be traced, or its trace not be predicted from: before the other runs. InputError,
    too, when the runs have another number of ranks than the trace.
    """
    setup, store = performer.setup, performer.store
    subject = setup.subject(performer.program(), question.limit_s)
    tolerance = sorted(question.tolerance)

    def runs_at(deltas: Sequence[int], repetitions: int) -> list[Planned]:
        runs = planned(setup, subject, deltas, repetitions, question.traces, question.seed)
        pending = [run for run in runs if store.of(run).next_attempt(run.id) is not None]
        performer.show.begin(len(runs), len(runs) - len(pending))
        return runs

    def loaded(traced: Planned) -> Program:
        return load(store.trace(traced), **loading)

    if given is None:
        earliest = runs_at(question.deltas_ns, question.repetitions)[0]
        performer.make([earliest])
        plain = loaded(earliest)
    else:
        plain = given
    network, network_source, told = network_of(plain)
    if given is not None:
        plain = in_order(given, network)

    def as_asked(plain: Program, network: Network) -> Program:
        return replayed(plain, network, setup.base_ns) if question.replay else plain

    first = as_asked(plain, network)
    end = float(max(question.deltas_ns))
    places: list[int] = []
    if question.places:
        early = answers(first, network, Asked.up_to(end, [0.0], tolerance, setup.base_ns))
        tolerated = dict(zip(tolerance, early.tolerated.tolist(), strict=True))
        places = store.places(tolerated, question.deltas_ns)
    deltas = sorted({*question.deltas_ns, *places})
    runs, records, blocks, found = _measured(
        performer, question, deltas, lambda count: runs_at(deltas, count), plain
    )
    timed = [run for run in runs if not is_traced(run)]

    injected = injected_ns(blocks)
    injected = np.where(np.isnan(injected), blocks.delta_ns, injected)
    asked = Asked.up_to(max(end, float(injected.max())), injected, tolerance, setup.base_ns)
    traces = [plain, *(loaded(run) for run in runs[1:] if is_traced(run))]
    disturbed = tracing_disturbed(
        [run.runtime_ns for run in store.runs([run for run in runs if is_traced(run)])],
        blocks.T_ns[:, 0],
    )
    alone = prediction_of(traces, network, asked)
    keeps = question.replay and disturbed is None
    prediction = prediction_of(traces, network, asked, as_asked) if keeps else alone
    if not keeps:
        first = plain
    if question.replay and disturbed is not None:
        told = [*told, kinds.REPLAY_REFUSED(disturbed)]
    study = study_of(subject.name, timed, records)
    folder_of = {run.id: store.folder(run) for run in timed}
    levels = [
        at_delta(
            cell,
            prediction,
            index,
            float(injected[index]),
            placed=round(cell.level.mean_ns) not in question.deltas_ns,
        )
        for index, cell in enumerate(study.cells)
    ]
    compared = [level for level in levels if level.measured_ns and not level.placed]
    T = [level.median_ns for level in compared]
    shift = levels[0].median_ns - levels[0].predicted_ns
    spreads = [level.spread for level in levels if not math.isnan(level.spread)]
    return Validation(
        provenance=first.provenance(),
        program=subject.name,
        command=list(setup.command),
        intra_node=setup.intra_node,
        base_L_ns=setup.base_ns,
        order_seed=question.seed,
        trace=first.trace,
        traces=len(traces),
        model=Assumptions.of(
            network, first.trace.ranks, first.collectives, first.reduce_ns_per_byte
        ),
        network_source=network_source,
        rrmse=rrmse([level.predicted_ns for level in compared], T),
        rmse_ns=root_mean_square([level.error * level.median_ns for level in compared]),
        spread=root_mean_square(spreads),
        shifted_rrmse=rrmse([level.predicted_ns + shift for level in compared], T),
        model_alone=_alone(alone, levels) if keeps else None,
        levels=levels,
        tolerance=[
            TolerancePair(
                degradation=degradation,
                predicted_delta_L_ns=tolerated,
                predicted_low_ns=least,
                predicted_high_ns=most,
                measured_delta_L_ns=measured.estimate_ns,
                measured_low_ns=measured.low_ns,
                measured_high_ns=measured.high_ns,
                below_ns=measured.below_ns,
                above_ns=measured.above_ns,
                repetitions_needed=measured.needed,
            )
            for degradation, tolerated, least, most, measured in zip(
                tolerance,
                prediction.answers.tolerated.tolist(),
                prediction.low.tolerated.tolist(),
                prediction.high.tolerated.tolist(),
                found,
                strict=True,
            )
        ],
        precision=question.precision or TARGET,
        not_known=not_known(len(traces), network),
        curve=PredictedCurve(
            delta_L_ns=asked.curve,
            T_ns=prediction.answers.curve_T_ns,
            low_T_ns=prediction.low.curve_T_ns,
            high_T_ns=prediction.high.curve_T_ns,
        ),
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


def _measured(
    performer: Performer,
    question: ValidationQuestion,
    deltas: Sequence[int],
    runs_of: Callable[[int], list[Planned]],
    program: Program,
) -> tuple[list[Planned], list[RunRecord], Blocks, list[MeasuredTolerance]]:
    """All runs, made as often as the question wants: `runs_of` plans so many repetitions."""
    repetitions: int | None = question.repetitions
    while repetitions is not None:
        runs = runs_of(repetitions)
        performer.make(runs)
        records = performer.store.runs([run for run in runs if not is_traced(run)])
        _same_ranks(program, records)
        blocks = blocks_of(deltas, records)
        found = measured_tolerances(blocks, sorted(question.tolerance), question.precision)
        repetitions = question.next_repetitions(repetitions, found)
    return runs, records, blocks, found


def _same_ranks(program: Program, records: Sequence[RunRecord]) -> None:
    """InputError when a run was not of the program that was traced."""
    for run in records:
        if run.ranks not in (None, program.ranks):
            raise InputError(
                f"{program.path} has {program.ranks:,} ranks, and the command ran with "
                f"{run.ranks:,}; give the trace of this command on as many"
            )


def tracing_disturbed(traced_ns: Sequence[float | None], plain_ns: Floats) -> str | None:
    """Why traced runs cannot stand for others, as a sentence; None where nothing speaks against it.

    Their median is off from that of the runs at ΔL = 0 by more than either kind of runs differs
    among itself: by the median absolute deviation, scaled to a normal distribution's sd, as one run
    that the machine held up must not hide what tracing did to the others. A replayed trace keeps
    what its run took, so it would keep that, too. Nothing speaks against it where no kind has two
    runs.
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
        f"traced runs took {format_share(abs(off) / usual)} {how} than the others at ΔL = 0, where "
        f"runs of one kind differ by {format_share(spread / usual)}: they are not replayed, as "
        "that would keep what tracing changed"
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


def at_delta(
    cell: Runs, prediction: Prediction, index: int, injected: float, *, placed: bool = False
) -> AtDelta:
    """Runs at one ΔL beside what was predicted, which is the prediction's `index`-th."""
    T = float(prediction.answers.T_ns[index])
    least, most = (float(each[index]) for each in prediction.range_ns)
    measured = [round(each) for each in cell.T_ns.tolist()]
    return AtDelta(
        delta_L_ns=round(cell.level.mean_ns),
        placed=placed,
        injected_delta_L_ns=injected,
        predicted_ns=T,
        predicted_low_ns=float(prediction.low.T_ns[index]),
        predicted_high_ns=float(prediction.high.T_ns[index]),
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
