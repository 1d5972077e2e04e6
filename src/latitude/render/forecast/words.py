"""The forecast in sentences; the terminal and the page say the same."""

import math

from latitude.random.forecast.estimate import Estimate
from latitude.random.forecast.random import Random
from latitude.random.forecast.result import Forecast
from latitude.random.forecast.tolerance import Tolerance, Tolerated
from latitude.units.quantities import format_share, format_time

_MANY = 5
"""Significant digits of runtimes that differ in little."""


def time(ns: float) -> str:
    """A runtime."""
    return format_time(ns, _MANY)


def interval(found: Estimate) -> str:
    """`31.2 ms to 31.5 ms`."""
    low = time(found.low) if math.isfinite(found.low) else "?"
    high = time(found.high) if math.isfinite(found.high) else "?"
    return f"{low} to {high}"


def change(share: float) -> str:
    """`+5.2%`."""
    return f"{'−' if share < 0 else '+'}{format_share(abs(share))}"


def headline(result: Forecast) -> str:
    """The answer in one sentence."""
    p = result.question.quantile
    at = result.quantile(p).value
    mean = result.mean.value
    return (
        f"Under this latency the program takes {time(mean)} on average, "
        f"{change(result.slowdown(mean))} against {time(result.T0_ns)} without it; "
        f"{format_share(p)} of runs finish within {time(at)}."
    )


def jensen_sentence(result: Forecast) -> str:
    """What variation alone costs."""
    gap = result.jensen
    constant = f"A constant latency of the same mean would take {time(result.T_mean_ns)}"
    if result.random.latency.sd == 0 and result.random.noise is None:
        return f"{constant}: nothing varies."
    if gap.low <= 0:
        return f"{constant}; as far as {result.samples:,} samples tell, variation costs nothing."
    share = gap.value / result.T_mean_ns if result.T_mean_ns else 0.0
    return (
        f"{constant}; variation alone costs {format_time(gap.value, 3)} more "
        f"({change(share)}, {format_time(gap.low, 3)} to {format_time(gap.high, 3)})."
    )


def random_sentence(random: Random) -> str:
    """What is drawn, and where it goes."""
    latency = random.latency
    place = {
        "flow": "on the wire",
        "sender": "on the sender's CPU, before each message is posted",
    }[random.where]
    each = {
        "message": "one draw a message",
        "pair": "one draw a pair of ranks and sample",
        "rank": "one draw a sending rank and sample",
    }[random.per]
    how = "in place of L" if random.total else "on top of L"
    text = (
        f"Latency {latency.text}, {how}, {place}, {each}: mean {format_time(latency.mean)}, "
        f"sd {format_time(latency.sd)}, p99 {format_time(latency.quantile(0.99))}."
    )
    if random.noise is not None:
        unit = "computation" if random.noise_per == "vertex" else "rank and sample"
        text += (
            f" Computation is multiplied with {random.noise.text}, sd "
            f"{format_share(random.noise.sd)}, one factor a {unit}."
        )
    return text


def tolerated(found: Tolerated | None) -> str:
    """`mean 5.4 µs, sd 5.4 µs, p99 26.9 µs`."""
    if found is None:
        return "any"
    return (
        f"mean {format_time(found.mean_ns, 3)}, sd {format_time(found.sd_ns, 3)}, "
        f"p99 {format_time(found.p99_ns, 3)}"
    )


def tolerance_sentence(tolerance: Tolerance, probability: float) -> str:
    """One degradation in one sentence."""
    constant = (
        f"a constant {format_time(tolerance.constant_ns, 3)}"
        if math.isfinite(tolerance.constant_ns)
        else "any constant latency"
    )
    if tolerance.scaled is None:
        shape = "latency of this shape, however large"
    else:
        shape = f"latency of this shape up to {tolerated(tolerance.scaled)}"
    return (
        f"T stays within {format_share(tolerance.degradation)} with probability "
        f"{format_share(probability)} under {shape} (under {constant})."
    )


def spread_words(tolerance: Tolerance) -> str:
    """The largest sd at the mean asked for."""
    if not tolerance.spread_possible:
        return "none: the mean alone is too much"
    return "any" if tolerance.spread is None else f"sd {format_time(tolerance.spread.sd_ns, 3)}"


def constant_words(tolerance: Tolerance) -> str:
    """The largest constant latency."""
    found = tolerance.constant_ns
    return format_time(found, 3) if math.isfinite(found) else "any"
