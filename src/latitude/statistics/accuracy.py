"""Errors of predictions relative to measurements."""

import math
import statistics
from collections.abc import Iterable, Sequence


def rrmse(predicted: Iterable[float], measured: Iterable[float]) -> float:
    """Relative root mean square error over levels: √(mean of ((predicted − measured)/measured)²).

    This is the measure of Table I of Shen et al. 2024, which has a value per program over ΔL. The
    paper prints no formula; here the relative errors of all levels have equal weight. NaN without
    levels.
    """
    return root_mean_square([p / m - 1 for p, m in zip(predicted, measured, strict=True)])


def root_mean_square(values: Sequence[float]) -> float:
    """√(mean of squares); NaN without values."""
    return math.sqrt(statistics.fmean(value * value for value in values)) if values else math.nan
