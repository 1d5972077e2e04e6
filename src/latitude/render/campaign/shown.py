"""Figures of a campaign as people read them."""

import math

import numpy as np

from latitude._types import Floats
from latitude.experiments.suites.cells import Equal
from latitude.statistics.correlation import Correlation
from latitude.statistics.drift import Drift
from latitude.statistics.mean_ratios import Contrast
from latitude.statistics.regression import Line
from latitude.units.quantities import format_share, format_time

NONE = "–"


def mean_words(equal: Equal) -> str:
    """A mean, and the load whose mean it is."""
    load = "" if equal.load is None else f" (load {format_share(equal.load)})"
    return f"{format_time(equal.mean_ns, 3)}{load}"


def slower(times: float) -> str:
    """1.234 → 23.4%."""
    return _share(times)


def percent(found: Contrast | Drift) -> str:
    """A factor as a change with its interval: 4.2% (3.9 to 4.5)."""
    if math.isnan(found.low):
        return _share(found.factor)
    low, high = (_share(value).removesuffix("%") for value in (found.low, found.high))
    return f"{_share(found.factor)} ({low} to {high})"


def slope(fit: Line) -> str:
    """What a µs costs: 12.3 µs (12 to 12.6)."""
    return cost_of(fit.slope, fit.slope_high - fit.slope)


def coefficient(found: Correlation) -> str:
    """R with its interval."""
    return f"{found.r:.2f} ({found.low:.2f} to {found.high:.2f})"


def cost_of(per_ns: float, half: float) -> str:
    """Of a µs, with half its interval."""
    text = signed_time(1e3 * per_ns)
    return text if math.isnan(half) else f"{text} ± {format_time(1e3 * half, 2)}"


def signed_time(ns: float) -> str:
    """A difference of times, −1.2 µs."""
    return f"{'−' if ns < 0 else ''}{format_time(abs(ns), 3)}"


def _share(times: float) -> str:
    """A factor as a change in %, to a hundredth under 1 % and a tenth over it."""
    change = 100 * (times - 1)
    size = abs(change)
    digits = 2 if size < 1 else 1 if size < 100 else 0  # noqa: PLR2004 - see above
    return f"{'−' if change < 0 else ''}{size:,.{digits}f}%"


def deviation(T_ns: Floats) -> str:
    """The sd of runtimes as a share of their mean."""
    if T_ns.size < 2:  # noqa: PLR2004 - a spread takes two
        return NONE
    return format_share(float(np.std(T_ns, ddof=1) / np.mean(T_ns)))
