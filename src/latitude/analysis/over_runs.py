"""One answer from several runs of a program."""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from latitude._core import InputError
from latitude.results.analysis import Analysis
from latitude.results.over_runs import OverRuns, Spread


def over_runs(analyses: Sequence[Analysis], traces: Sequence[str]) -> Analysis:
    """The analysis of the run with the median T, or the lower median, and the range of all runs.

    Args:
        analyses: one or more, with the same questions; each covers one run or several runs, all of
            which count.
        traces: paths of the runs' traces.

    Raises:
        InputError: the analyses have different tolerances.
    """
    if len(analyses) == 1:
        return analyses[0]
    first, *others = analyses
    limits = [each.degradation for each in first.tolerance]
    for other in others:
        if [each.degradation for each in other.tolerance] != limits:
            raise InputError(
                f"{other.provenance.input}: has other tolerances than "
                f"{first.provenance.input}; analyse both with one --tolerance"
            )
    runs = [runs_of(analysis) for analysis in analyses]
    functions = dict.fromkeys(name for each in runs for name in each.computation)
    shown = int(
        np.argsort([each.baseline.T_ns for each in analyses], kind="stable")[
            (len(analyses) - 1) // 2
        ]
    )
    before = sum(len(each.traces) for each in runs[:shown])
    return msgspec.structs.replace(
        analyses[shown],
        over_runs=OverRuns(
            traces=[
                name
                for analysis, trace, each in zip(analyses, traces, runs, strict=True)
                for name in (each.traces if analysis.over_runs else [trace])
            ],
            shown=before + runs[shown].shown,
            T_ns=_together(each.T_ns for each in runs),
            wall_ns=_together(each.wall_ns for each in runs),
            slope=_together(each.slope for each in runs),
            share=_together(each.share for each in runs),
            delta=[_together(each.delta[limit] for each in runs) for limit in range(len(limits))],
            computation={
                name: _together(
                    each.computation.get(name, Spread.of([0.0] * len(each.traces))) for each in runs
                )
                for name in functions
            },
        ),
    )


def runs_of(analysis: Analysis) -> OverRuns:
    """The answers for each run of an analysis: one entry per run."""
    if analysis.over_runs is not None:
        return analysis.over_runs
    return OverRuns(
        traces=[analysis.provenance.input],
        shown=0,
        T_ns=Spread.of([analysis.baseline.T_ns]),
        wall_ns=Spread.of([analysis.trace.wall_ns or 0.0]),
        slope=Spread.of([analysis.sensitivity.slope]),
        share=Spread.of([analysis.sensitivity.share]),
        delta=[Spread.of([each.delta]) for each in analysis.tolerance],
        computation={name: Spread.of([ns]) for name, ns in _computation(analysis).items()},
    )


def _together(spreads: Iterable[Spread]) -> Spread:
    return Spread.of(value for spread in spreads for value in spread.values)


def _computation(analysis: Analysis) -> dict[str, float]:
    """Computation just before MPI calls, summed over ranks, ns, by function.

    The key is the line if no function is known, and the MPI call if no line is known.
    """
    if analysis.waits is None:
        return {}
    function = {site.where: site.function for site in analysis.by_call_site}
    total: dict[str, float] = {}
    for *_, call, where, _, _, what, ns in analysis.waits.times.rows():
        if what == "computation":
            place = function.get(where or "") or where or call or "the end"
            total[place] = total.get(place, 0.0) + ns
    return total
