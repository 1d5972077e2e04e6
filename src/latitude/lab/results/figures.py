"""Figures of runs as text."""

import math

from latitude.lab.statistics.mean_and_spread import Relation
from latitude.lab.statistics.mean_ratios import Contrast, Drift
from latitude.results.runs import Equal, Runs, Study
from latitude.units.quantities import counted, format_share, format_time, signed

NONE = "–"


def slower(times: float) -> str:
    """A factor as a change in %, with 2 decimals below 1 % and 1 below 100 %: 1.234 → 23.4%."""
    change = 100 * (times - 1)
    size = abs(change)
    digits = 2 if size < 1 else 1 if size < 100 else 0  # noqa: PLR2004 - see above
    return f"{'−' if change < 0 else ''}{size:,.{digits}f}%"


def usual(study: Study, cell: Runs) -> str:
    """The slowdown of a cell's runs, `172% slower (median of 3 runs: 168% to 356%)`."""
    low, high = map(slower, study.ends(cell))
    return (
        f"{slower(study.times(cell))} slower (median of {counted(cell.n, 'run')}: {low} to {high})"
    )


def percent(found: Contrast | Drift) -> str:
    """A factor as a change with its interval: 4.2% (3.9 to 4.5)."""
    if math.isnan(found.low):
        return slower(found.factor)
    low, high = (slower(value).removesuffix("%") for value in (found.low, found.high))
    return f"{slower(found.factor)} ({low} to {high})"


def slope(found: Relation) -> str:
    """The cost per µs: 12.3 µs ± 0.3 µs."""
    return cost_of(found.slope, found.slope_high - found.slope)


def cost_of(per_ns: float, half: float) -> str:
    """The cost per µs, with half its interval."""
    text = signed(1e3 * per_ns, 3, "")
    return text if math.isnan(half) else f"{text} ± {format_time(1e3 * half, 2)}"


def mean_words(equal: Equal) -> str:
    """A mean, and the load with this mean."""
    load = "" if equal.load is None else f" (load {format_share(equal.load)})"
    return f"{format_time(equal.mean_ns, 3)}{load}"


def deviation(cell: Runs) -> str:
    """The sd of runtimes as a share of their mean."""
    return NONE if math.isnan(cell.spread) else format_share(cell.spread)
