"""One answer from several runs of a program."""

from collections.abc import Sequence

import msgspec
import numpy as np

from latitude.results.analysis import Analysis
from latitude.results.over_runs import OverRuns, Spread


def over_runs(analyses: Sequence[Analysis], traces: Sequence[str]) -> Analysis:
    """The analysis of the run with the median T (the lower of two), and the range of all.

    Args:
        analyses: of one run each, one or more, with the same questions.
        traces: where the runs' traces are.
    """
    runtimes = [analysis.baseline.T_ns for analysis in analyses]
    shown = int(np.argsort(runtimes, kind="stable")[(len(runtimes) - 1) // 2])
    limits = range(len(analyses[0].tolerance))
    return msgspec.structs.replace(
        analyses[shown],
        over_runs=OverRuns(
            traces=list(traces),
            shown=shown,
            T_ns=Spread.of(runtimes),
            wall_ns=Spread.of(analysis.trace.wall_ns or 0.0 for analysis in analyses),
            slope=Spread.of(analysis.sensitivity.slope for analysis in analyses),
            share=Spread.of(analysis.sensitivity.share for analysis in analyses),
            delta=[
                Spread.of(analysis.tolerance[limit].delta for analysis in analyses)
                for limit in limits
            ],
        ),
    )
