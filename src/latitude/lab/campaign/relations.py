"""Correlations of a program's runtimes with mean and standard deviation of latency.

These are suites I and II of Underwood et al. 2018 ([U]), for real runs and for runs drawn from an
execution graph.
"""

from collections.abc import Sequence

import numpy as np

from latitude.lab.statistics.mean_and_spread import (
    Correlated,
    Plane,
    Relation,
    correlated,
    plane,
    relation,
    separable,
)
from latitude.results.runs import Over, Runs, Study, over_levels, over_runs
from latitude.statistics.conventions import LEAST


def related(
    study: Study, over: Over, mean: str = "mean_ns", sd: str = "sd_ns"
) -> Correlated | None:
    """Correlations over runs or levels of the design; None if they do not exist.

    Args:
        study: the runs of a program.
        over: `over_runs`, as in [U], or `over_levels`, with one value per level.
        mean: the column of a cell with the latency's mean: the requested mean, or `got_mean_ns`.
        sd: the column of a cell with the latency's standard deviation.
    """
    if not study.crossed:
        return None
    x, y, T = (over(study.design, name) for name in (mean, sd, "T_ns"))
    if T.size < LEAST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return correlated(x, y, T)


def as_achieved(study: Study, over: Over) -> Correlated | None:
    """Correlations with the messages' achieved mean and sd; None if a run lacks these numbers."""
    if not all(cell.known for cell in study.design):
        return None
    return related(study, over, "got_mean_ns", "got_sd_ns")


def plane_of(study: Study) -> Plane | None:
    """The separate costs of mean and sd, over the levels; None if they cannot be separated."""
    if not study.crossed or len(study.design) < LEAST:
        return None
    mean, sd, T = (over_levels(study.design, name) for name in ("mean_ns", "sd_ns", "T_ns"))
    return plane(mean, sd, T) if separable(mean, sd) else None


def along(cells: Sequence[Runs]) -> Relation | None:
    """Runtime against the mean over the runs of these cells; None if a line is impossible."""
    if len(cells) < 2:  # noqa: PLR2004 - a line needs two points
        return None
    x, T = over_runs(cells, "mean_ns"), over_runs(cells, "T_ns")
    if T.size < LEAST or np.ptp(x) == 0 or np.ptp(T) == 0:
        return None
    return relation(x, T)
