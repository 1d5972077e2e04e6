"""Claims over θ: the interval, tolerances, the curve, critical values, and that none is missing."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from latitude.analysis.answer import POINTS
from latitude.analysis.verify.exact import Runtime, RuntimePieces
from latitude.analysis.verify.held import DIGITS, LAST_BITS, SUM, TIED, Held, near, rounding
from latitude.analysis.verify.stated import StatedBreakpoint

_BOUND = Fraction(1, 10**9)
"""Of a bound on T beyond the list, a share of T."""
_MOST_POINTS = 20_000
"""Beyond the list, that are looked at."""
_MORE = 1_000
"""Breakpoints that are looked at beyond as many as there are."""


def interval(held: Held) -> None:
    """The interval of θ, as asked or as far as the tolerances reach."""
    stated = held.stated.of_theta
    values = (np.inf if t.value is None else t.value for t in stated.tolerance)
    low, high = held.question.interval or held.theta.default_interval(values)
    unit = held.theta.unit
    held.ledger.number("interval.low", stated.interval.low, low, 0, unit=unit)
    held.ledger.number("interval.high", stated.interval.high, high, 0, unit=unit)


def tolerances(held: Held, runtime: Runtime) -> None:
    """Each is the last θ at which T is within its limit."""
    length = runtime.at(held.base)
    allowed = held.allowed(runtime, held.base)
    asked = [(Fraction(x), length * (1 + Fraction(x))) for x in held.question.tolerance]
    limits = map(Fraction, held.question.limits_ns)
    asked += [(limit / length - 1 if length > 0 else Fraction(0), limit) for limit in limits]
    asked.sort(key=lambda each: each[1])
    stated, ledger = held.stated.of_theta.tolerance, held.ledger
    ledger.same("tolerance (rows)", len(stated), len(asked), reason="not one per limit asked")
    for row, (degradation, limit) in zip(stated, asked, strict=False):
        where = f"at {100 * float(degradation):.6g} %"
        if length > 0:
            share = TIED * (1 + degradation)
            ledger.number("tolerance.degradation", row.degradation, degradation, share, where=where)
        more = allowed * (1 + degradation) + limit * LAST_BITS
        ledger.number("tolerance.T_limit_ns", row.T_limit_ns, limit, more, unit="ns", where=where)
        held.last("tolerance", where, row.value, row.delta, runtime, limit, held.base)


def curve(held: Held, runtime: Runtime, pieces: RuntimePieces, until: Fraction) -> None:
    """T, slope and share at every point; `pieces` is T up to `until`."""
    curve, interval = held.stated.of_theta.curve, held.stated.of_theta.interval
    ledger, unit = held.ledger, held.theta.unit
    if not ledger.same("curve (points)", len(curve.value), POINTS):
        return
    places = np.linspace(interval.low, interval.high, POINTS).tolist()
    for value, place, length, slope, share in zip(
        curve.value, places, curve.T_ns, curve.slope, curve.share, strict=True
    ):
        theta, where = Fraction(value), held.place(Fraction(value))
        step = Fraction(place) * LAST_BITS
        if not ledger.number("curve.value", value, place, step, unit=unit, where=where):
            continue
        known = pieces if theta <= until else runtime
        exact = known.at(theta)
        allowed = rounding(exact)
        ledger.number("curve.T_ns", length, exact, allowed, unit="ns", where=where)
        steep = known.slope(theta)
        if not near(slope, steep) and runtime.digits(theta, exact) > DIGITS:
            short = known.shortfall(theta, Fraction(slope))
            steep = Fraction(slope) if short is not None and short <= allowed else steep
        ledger.number(
            "curve.lambda", slope, steep, abs(steep) * LAST_BITS,
            unit=held.unit_of_slope(), where=where, reason="no longest path has this slope",
        )  # fmt: skip
        held.share("curve.rho", share, theta * Fraction(slope), exact)


def listed(held: Held) -> float:
    """Up to which θ all critical values are listed."""
    stated, ledger = held.stated.of_theta, held.ledger
    critical = stated.critical
    ends = [stated.interval.low, *(row.value for row in stated.breakpoints)]
    until = stated.interval.high if critical.complete else ends[-1]
    unit = held.theta.unit
    ledger.same("critical.complete", critical.complete, not critical.beyond)
    ledger.same("critical.listed", critical.listed, len(stated.breakpoints))
    ledger.number("critical.until", critical.until, until, 0, unit=unit)
    return until


def breakpoints(held: Held, pieces: RuntimePieces, low: Fraction, until: Fraction) -> None:
    """Each is one, and none is missing."""
    ledger, name = held.ledger, "breakpoints"
    all_of_them, most = held.stated.of_theta.breakpoints, len(pieces.corners) + _MORE
    few = len(all_of_them) <= most
    ledger.order(f"{name} (rows)", holds=few, reason="far more than there are")
    stated = all_of_them[:most]
    before, slope_before = float(low), None
    end = held.stated.of_theta.interval.high
    for row in stated:
        theta, where = Fraction(row.value), held.place(Fraction(row.value))
        inside = before < row.value < end
        reason = "not in the interval, or not behind the one before"
        if not ledger.order(f"{name} (order)", holds=inside, where=where, reason=reason):
            continue
        if slope_before is not None:
            ledger.number(
                f"{name} (joined)", row.lambda_left, slope_before, 0,
                unit=held.unit_of_slope(), where=where,
                reason="not the slope to the right of the one before",
            )  # fmt: skip
        before, slope_before = row.value, row.lambda_right
        exact = pieces.at(theta)
        allowed = rounding(exact)
        ledger.number(f"{name}.T_ns", row.T_ns, exact, allowed, unit="ns", where=where)
        for side, slope in (("left", row.lambda_left), ("right", row.lambda_right)):
            found = Fraction(slope)
            short = pieces.shortfall(theta, found)
            if short is None or short > allowed:
                found = pieces.slope(theta)
            ledger.number(
                f"{name}.lambda_{side}", slope, found, 0,
                unit=held.unit_of_slope(), where=where,
                reason=f"no longest path has this slope to the {side}",
            )  # fmt: skip
        rises, reason = row.lambda_left < row.lambda_right, "the slope does not rise"
        ledger.order(f"{name} (rising slope)", holds=rises, where=where, reason=reason)
    _missing(held, pieces, low, until, stated)


def _missing(
    held: Held,
    pieces: RuntimePieces,
    low: Fraction,
    until: Fraction,
    stated: Sequence[StatedBreakpoint],
) -> None:
    """The line through those that are stated is T, so that there are no others."""
    name, unit = "breakpoints (none missing)", "ns"
    first = Fraction(stated[0].lambda_left) if stated else pieces.slope(low)
    rows = [(Fraction(b.value), Fraction(b.T_ns), Fraction(b.lambda_right)) for b in stated]
    points = [(low, pieces.at(low), first), *sorted(rows)]
    places = {until, *(theta for theta, *_ in rows), *pieces.corners}
    k = 0
    for theta in sorted(place for place in places if low < place <= until):
        while k + 1 < len(points) and points[k + 1][0] < theta:
            k += 1
        at, length, slope = points[k]
        exact = pieces.at(theta)
        allowed = SUM * rounding(exact)
        held.ledger.number(
            name, length + slope * (theta - at), exact, allowed, unit=unit,
            where=held.place(theta), reason="T is above the line through those that are "
            "stated: one is missing before this, or wrong",
        )  # fmt: skip


def beyond(held: Held, runtime: Runtime, until: Fraction) -> None:
    """Points of T where critical values are not listed, and how far T may be from them."""
    stated, ledger, name = held.stated.of_theta, held.ledger, "critical.beyond"
    rows = stated.critical.beyond
    few = len(rows) <= _MOST_POINTS
    ledger.order(f"{name} (rows)", holds=few, reason="far more than analyze writes")
    last = stated.breakpoints[-1].lambda_right if stated.breakpoints else None
    start = runtime.line(until)
    before = until, start.at(until), start.slope if last is None else Fraction(last)
    bound = Fraction(0)
    for row in rows[:_MOST_POINTS]:
        theta, where = Fraction(row.value), held.place(Fraction(row.value))
        reason = "not behind the one before"
        if not ledger.order(f"{name} (order)", holds=theta > before[0], reason=reason):
            continue
        exact = runtime.at(theta)
        allowed = rounding(exact)
        ledger.number(f"{name}.T_ns", row.T_ns, exact, allowed, unit="ns", where=where)
        slope = Fraction(row.slope)
        short = runtime.shortfall(theta, slope)
        steep = slope if short is not None and short <= allowed else runtime.slope(theta)
        ledger.number(
            f"{name}.lambda", slope, steep, 0, unit=held.unit_of_slope(), where=where,
            reason="no longest path has this slope",
        )  # fmt: skip
        bound = max(bound, _uncertainty(before, (theta, exact, slope)))
        before = theta, exact, slope
    end = stated.interval.high if rows else float(before[0])
    ledger.number(f"{name} (end)", float(before[0]), end, 0, unit=held.theta.unit)
    ledger.number("critical.bound", stated.critical.bound, bound, _BOUND)


_Tangent = tuple[Fraction, Fraction, Fraction]
"""θ, T and a slope there."""


def _uncertainty(low: _Tangent, high: _Tangent) -> Fraction:
    """By which share of T the line between two points may be above it: where tangents meet."""
    (a, at_a, rises), (b, at_b, steeper) = low, high
    if steeper <= rises:
        return Fraction(0)
    theta = min(max((at_a - at_b + steeper * b - rises * a) / (steeper - rises), a), b)
    floor = max(at_a + rises * (theta - a), at_b + steeper * (theta - b))
    line = at_a + (theta - a) * (at_b - at_a) / (b - a)
    return max((line - floor) / floor, Fraction(0)) if floor > 0 else Fraction(0)
