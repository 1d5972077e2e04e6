"""Which values of θ the curves show: the whole interval, or close to the tolerances."""

import math

from latitude.render.charts.chart import Unit, unit_for
from latitude.render.html.markup import subscripted
from latitude.results.analysis import Analysis

_CLOSE = 0.45
"""Tolerances within this share of the interval get a closer view: they would be slivers."""
_ROOM = 1.3
"""Room to the right of the last tolerance in the closer view."""


def delta_unit(analysis: Analysis) -> Unit:
    """Unit of the axis of θ."""
    if analysis.theta.unit == "ns/B":
        return Unit("ns/B", 1.0)
    return unit_for(max(abs(end) for end in whole(analysis)))


def whole(analysis: Analysis) -> tuple[float, float]:
    """The interval of interest as Δθ."""
    low, high = analysis.interval
    return low - analysis.theta.base, high - analysis.theta.base


def close_end(analysis: Analysis) -> float | None:
    """Where the closer view ends (Δθ), or None when the whole interval shows it well."""
    low, high = whole(analysis)
    finite = [t.delta for t in analysis.tolerance if math.isfinite(t.delta)]
    inside = [delta for delta in finite if delta <= high]
    if not inside or not low <= 0 < high or max(inside) <= 0:
        return None
    end = max(inside) * _ROOM
    return end if end < _CLOSE * high else None


def axis_title(analysis: Analysis) -> str:
    """Title of the axis of Δθ."""
    theta = analysis.theta
    return f"extra {theta.meaning} Δ{subscripted(theta.symbol)} ({delta_unit(analysis).name})"
