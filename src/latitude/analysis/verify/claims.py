"""A result's claims, each held against what is proved of the program.

What a double can say of an exact number is limited: a path's length is a sum of many rounded ones,
in practice right to 1e-13 of T, and the engine calls paths tied that differ by 1e-12 of T. So much
is allowed, and never more than half a nanosecond. Where no sum can have been rounded, the numbers
must be the exact ones: slopes to the digit, lengths but for the last bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from latitude import _core
from latitude.analysis.analyze import POINTS
from latitude.analysis.efficiency import LEAST
from latitude.analysis.verify.exact import ExactGraph, Runtime, RuntimePieces
from latitude.analysis.verify.ledger import Ledger
from latitude.analysis.verify.stated import Stated, StatedBreakpoint
from latitude.files.progress import Progress
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import Theta, theta_of
from latitude.results.assumptions import Assumptions
from latitude.results.efficiency import FRACTIONS, OF_THETA, Fractions
from latitude.results.verification import Certificate
from latitude.trace.program import Program

_TIED = Fraction(1, 10**12)
"""Of T: what rounding may do to a length."""
_MOST_NS = Fraction(1, 2)
_LAST_BITS = Fraction(1, 1 << 50)
"""Relative: what remains of rounding where a sum is exact, and where few numbers are combined."""
_DIGITS = 53
"""Of a double."""
_SUM = 4
"""A curve's corner is off by what three numbers of it are."""
_BOUND = Fraction(1, 10**9)
"""Of a bound on T beyond the list, a share of T."""
_MOST_POINTS = 20_000
"""Beyond the list, that are looked at."""
_MORE = 1_000
"""Breakpoints that are looked at beyond as many as there are."""

_PARTS = {
    "calc_ns": ("computation",),
    "overhead_ns": ("overhead", "gap", "copied"),
    "latency_ns": ("latency",),
    "bandwidth_ns": ("byte",),
}
"""Of T, and whose prices they are."""
_COUNTED = {"lambda_G": "byte", "lambda_o": "overhead"}

NOT_VERIFIED = (
    "trace", "efficiency.traced", "what_if", "critical_path", "by_rank", "waits", "by_call",
    "by_call_site", "pairs", "slack", "near_paths", "warnings",
)  # fmt: skip
"""Fields that say more of one critical path, of messages, or of the run."""


@dataclass(frozen=True, slots=True)
class AskedAnalysis:
    """What the result was asked for."""

    theta: Theta
    interval: tuple[float, float] | None
    """None: as far as it takes."""
    tolerance: Sequence[float]
    limits_ns: Sequence[float]


class Verifier:
    """A program on a network, and the claims of a result about it."""

    def __init__(
        self, stated: Stated, program: Program, network: Network, question: AskedAnalysis
    ) -> None:
        self.stated, self.program, self.network, self.question = stated, program, network, question
        self.links: Links = network.links(program.ranks)
        self.core = network.core_of(self.links)
        self.graph = ExactGraph(program.graph, self.core)
        self.ledger = Ledger()
        self.theta = question.theta
        self.base = Fraction(self.theta.base)
        self.corners = 0

    def run(self, progress: Progress) -> Ledger:
        """Holds all claims against what is proved."""
        self._assumptions()
        self._sizes()
        progress.stage("Proving the runtime")
        latency = theta_of("L", self.network, self.links)
        runtime = self.graph.along(latency)
        self._baseline(latency, runtime)
        self._parts(runtime.at(Fraction(latency.base)))
        if self.theta.name != "L":
            runtime = self.graph.along(self.theta)
        self._sensitivity(runtime)
        progress.stage("Proving tolerances")
        self._interval()
        self._tolerances(runtime)
        progress.stage("Proving critical values")
        interval, listed = self.stated.of_theta.interval, self._listed()
        if 0 <= interval.low <= listed <= interval.high:
            low, until = Fraction(interval.low), Fraction(listed)
            beside = 2 * _rounding(runtime.at(until))  # what may tie with the ends
            pieces = RuntimePieces.of(runtime, max(low - beside, Fraction(0)), until + beside)
            self.corners = sum(low < corner < until for corner in pieces.corners)
            self._curve(runtime, pieces, until)
            self._breakpoints(pieces, low, until)
            self._beyond(runtime, until)
        progress.stage("Proving efficiencies")
        self._efficiency(runtime)
        return self.ledger

    def certificate(self, path: Path, *, force: bool) -> Certificate:
        """Writes what proves T of the network as it is."""
        from latitude.analysis.verify.certificate import (  # noqa: PLC0415 - needs HiGHS, an extra
            write_certificate,
        )

        latency = theta_of("L", self.network, self.links)
        runtime = self.graph.along(latency)
        rows = self.graph.rows
        return write_certificate(rows, runtime, self.core, latency.base, path, force=force)

    # What was assumed

    def _assumptions(self) -> None:
        program = self.program
        assumed = Assumptions.of(
            self.network, program.ranks, program.collectives, program.reduce_ns_per_byte
        ).plain()
        for name, exact in assumed.items():
            if name != "source":  # of words: where the file with the network lay
                self.ledger.same(
                    f"model.{name}",
                    self.stated.model.get(name),
                    exact,
                    reason="is not what the result's command says; see `latitude network` for "
                    "the network that answers are for",
                )

    def _sizes(self) -> None:
        graph, stated, same = self.program.graph, self.stated.graph, self.ledger.same
        sends = graph.kind == _core.Kind.send
        edges = int(graph.chained.sum()) + graph.dep_vertex.size + int(sends.sum())
        same("trace.ranks", self.stated.ranks, self.program.ranks)
        same("graph.vertices", stated.vertices, int(graph.kind.size))
        same("graph.edges", stated.edges, edges)
        same("graph.messages", stated.messages, int(sends.sum()))
        same("graph.bytes", stated.bytes, int(graph.value[sends].sum()))

    # At one value of θ

    def _allowed(self, runtime: Runtime, theta: Fraction) -> Fraction:
        """By how much a length may be off at θ, ns."""
        length = runtime.at(theta)
        return (
            length * _LAST_BITS if runtime.digits(theta, length) <= _DIGITS else _rounding(length)
        )

    def _baseline(self, latency: Theta, runtime: Runtime) -> None:
        stated, number = self.stated.baseline, self.ledger.number
        base = Fraction(latency.base)
        length = runtime.at(base)
        number("baseline.L_ns", stated.L_ns, base, 0, unit="ns")
        number("baseline.T_ns", stated.T_ns, length, self._allowed(runtime, base), unit="ns")
        self._slopes(
            "baseline.lambda_L", runtime, base, stated.lambda_L_left, stated.lambda_L_right
        )
        number("baseline.lambda_L", stated.lambda_L, stated.lambda_L_right, 0)
        on_path = base * Fraction(stated.lambda_L_right)
        if len(self.links.classes) > 1:
            on_path = Fraction(stated.latency_ns)
        self._share("baseline.rho_L", stated.rho_L, on_path, length)

    def _slopes(
        self, name: str, runtime: Runtime, theta: Fraction, left: float, right: float
    ) -> None:
        """Both slopes at θ."""
        if theta > 0:  # 0 has no left
            self._slope(f"{name}_left", runtime, theta, left, right=False)
        self._slope(f"{name}_right", runtime, theta, right, right=True)
        if left > right:
            self.ledger.reject(
                f"{name}_right", right, left, reason="is less than the slope to the left"
            )

    def _slope(
        self, name: str, runtime: Runtime, theta: Fraction, stated: float, *, right: bool
    ) -> None:
        line = runtime.line(theta, right=right)
        exact = line.slope
        if not _near(stated, exact) and runtime.digits(theta, line.at(theta)) > _DIGITS:
            short = runtime.shortfall(theta, Fraction(stated))
            if short is not None and short <= self._allowed(runtime, theta):
                exact = Fraction(stated)
        side = "right" if right else "left"
        self.ledger.number(
            name,
            stated,
            exact,
            abs(exact) * _LAST_BITS,
            unit=self._unit_of_slope(),
            where=self._place(theta),
            reason=f"no longest path has this slope to the {side}",
        )

    def _unit_of_slope(self) -> str:
        return "B" if self.theta.unit != "ns" else ""

    def _share(self, name: str, stated: float, part: Fraction, whole: Fraction) -> None:
        """A quotient of two numbers that doubles have been made of."""
        exact = part / whole if whole > 0 else Fraction(0)
        self.ledger.number(name, stated, exact, max(exact, Fraction(1)) * _TIED)

    def _parts(self, length: Fraction) -> None:
        """T's parts, and what is counted, on one critical path: any of those that tie."""
        stated, prices, one = self.stated.baseline, self.graph.prices, Fraction(1)
        allowed = _rounding(length)
        asked = [(name, prices.scaled(*own), "ns") for name, own in _PARTS.items()]
        asked += [(name, prices.counted(own), "") for name, own in _COUNTED.items()]
        for name, changed, unit in asked:
            value, runtime = Fraction(getattr(stated, name)), self.graph.with_prices(changed)
            left, right = runtime.slopes(one)
            exact = min(max(value, left), right)
            if abs(value - exact) > allowed:  # a path that ties but for rounding has so much
                near = value + (allowed if value < exact else -allowed)
                short = runtime.shortfall(one, near)
                exact = value if short is not None and short <= allowed else exact
            self.ledger.number(
                f"baseline.{name}",
                value,
                exact,
                allowed if unit else abs(exact) * _LAST_BITS,
                unit=unit,
                reason="no critical path has so much of it",
            )
        whole = sum((Fraction(getattr(stated, name)) for name in _PARTS), Fraction(0))
        self.ledger.number(
            "baseline (sum of its parts)", whole, length, _SUM * allowed, unit="ns",
            reason="the parts do not make up T",
        )  # fmt: skip

    def _sensitivity(self, runtime: Runtime) -> None:
        stated, theta, same = self.stated.theta, self.theta, self.ledger.same
        same("theta.name", stated.name, theta.name)
        same("theta.meaning", stated.meaning, theta.meaning)
        same("theta.unit", stated.unit, theta.unit)
        self.ledger.number("theta.base", stated.base, self.base, 0, unit=theta.unit)
        self._slopes("theta.lambda", runtime, self.base, stated.slope_left, stated.slope_right)
        self.ledger.number("theta.lambda", stated.slope, stated.slope_right, 0)
        on_path = self.base * Fraction(stated.slope_right)
        self._share("theta.rho", stated.share, on_path, runtime.at(self.base))

    # Values of θ

    def _interval(self) -> None:
        stated = self.stated.of_theta
        values = (np.inf if t.value is None else t.value for t in stated.tolerance)
        low, high = self.question.interval or self.theta.default_interval(values)
        unit = self.theta.unit
        self.ledger.number("interval.low", stated.interval.low, low, 0, unit=unit)
        self.ledger.number("interval.high", stated.interval.high, high, 0, unit=unit)

    def _tolerances(self, runtime: Runtime) -> None:
        length = runtime.at(self.base)
        allowed = self._allowed(runtime, self.base)
        asked = [(Fraction(x), length * (1 + Fraction(x))) for x in self.question.tolerance]
        limits = map(Fraction, self.question.limits_ns)
        asked += [(limit / length - 1 if length > 0 else Fraction(0), limit) for limit in limits]
        asked.sort(key=lambda each: each[1])
        stated, ledger = self.stated.of_theta.tolerance, self.ledger
        ledger.same("tolerance (rows)", len(stated), len(asked), reason="not one per limit asked")
        for row, (degradation, limit) in zip(stated, asked, strict=False):
            where = f"at {100 * float(degradation):.6g} %"
            if length > 0:
                share = _TIED * (1 + degradation)
                ledger.number(
                    "tolerance.degradation", row.degradation, degradation, share, where=where
                )
            more = allowed * (1 + degradation) + limit * _LAST_BITS
            ledger.number(
                "tolerance.T_limit_ns", row.T_limit_ns, limit, more, unit="ns", where=where
            )
            self._last("tolerance", where, row.value, row.delta, runtime, limit, self.base)

    def _last(
        self,
        name: str,
        where: str,
        value: float | None,
        delta: float | None,
        runtime: Runtime,
        limit: Fraction,
        start: Fraction,
    ) -> None:
        """The largest θ at which T is within a limit, and its distance from the base."""
        at_start = runtime.at(start)
        allowed = self._allowed(runtime, start)
        limit = Fraction(float(limit))  # as the engine was asked
        exact = (
            runtime.last_within(max(limit, at_start), start)
            if limit >= at_start - allowed
            else None
        )
        if value is None and abs(limit - at_start) <= allowed:
            exact = None  # within rounding of the least T: a value of θ, or none
        room = Fraction(0)
        if exact is not None:
            left, right = runtime.slopes(exact)
            room = 2 * _rounding(limit) / (left or right) + exact * _LAST_BITS
        unit = self.theta.unit
        self.ledger.number(
            f"{name}.value", value, exact, room, unit=unit, where=where,
            reason="T is within the limit up to another value",
        )  # fmt: skip
        distance = None if value is None else Fraction(value) - self.base
        least = Fraction(0) if value is None else (Fraction(value) + self.base) * _LAST_BITS
        self.ledger.number(f"{name}.delta", delta, distance, least, unit=unit, where=where)

    # The whole interval

    def _place(self, theta: Fraction) -> str:
        return f"{self.theta.symbol} = {self.theta.text(float(theta), 9)}"

    def _curve(self, runtime: Runtime, pieces: RuntimePieces, until: Fraction) -> None:
        curve, interval = self.stated.of_theta.curve, self.stated.of_theta.interval
        ledger, unit = self.ledger, self.theta.unit
        if not ledger.same("curve (points)", len(curve.value), POINTS):
            return
        places = np.linspace(interval.low, interval.high, POINTS).tolist()
        for value, place, length, slope, share in zip(
            curve.value, places, curve.T_ns, curve.slope, curve.share, strict=True
        ):
            theta, where = Fraction(value), self._place(Fraction(value))
            step = Fraction(place) * _LAST_BITS
            if not ledger.number("curve.value", value, place, step, unit=unit, where=where):
                continue
            known = pieces if theta <= until else runtime
            exact = known.at(theta)
            allowed = _rounding(exact)
            ledger.number("curve.T_ns", length, exact, allowed, unit="ns", where=where)
            steep = known.slope(theta)
            if not _near(slope, steep) and runtime.digits(theta, exact) > _DIGITS:
                short = known.shortfall(theta, Fraction(slope))
                steep = Fraction(slope) if short is not None and short <= allowed else steep
            ledger.number(
                "curve.lambda", slope, steep, abs(steep) * _LAST_BITS,
                unit=self._unit_of_slope(), where=where, reason="no longest path has this slope",
            )  # fmt: skip
            self._share("curve.rho", share, theta * Fraction(slope), exact)

    def _listed(self) -> float:
        """Up to which θ all critical values are listed."""
        stated, ledger = self.stated.of_theta, self.ledger
        critical = stated.critical
        ends = [stated.interval.low, *(row.value for row in stated.breakpoints)]
        until = stated.interval.high if critical.complete else ends[-1]
        unit = self.theta.unit
        ledger.same("critical.complete", critical.complete, not critical.beyond)
        ledger.same("critical.listed", critical.listed, len(stated.breakpoints))
        ledger.number("critical.until", critical.until, until, 0, unit=unit)
        return until

    def _breakpoints(self, pieces: RuntimePieces, low: Fraction, until: Fraction) -> None:
        """Each is one, and none is missing."""
        ledger, name = self.ledger, "breakpoints"
        all_of_them, most = self.stated.of_theta.breakpoints, len(pieces.corners) + _MORE
        few = len(all_of_them) <= most
        ledger.order(f"{name} (rows)", holds=few, reason="far more than there are")
        stated = all_of_them[:most]
        before, slope_before = float(low), None
        end = self.stated.of_theta.interval.high
        for row in stated:
            theta, where = Fraction(row.value), self._place(Fraction(row.value))
            inside = before < row.value < end
            reason = "not in the interval, or not behind the one before"
            if not ledger.order(f"{name} (order)", holds=inside, where=where, reason=reason):
                continue
            if slope_before is not None:
                ledger.number(
                    f"{name} (joined)", row.lambda_left, slope_before, 0,
                    unit=self._unit_of_slope(), where=where,
                    reason="not the slope to the right of the one before",
                )  # fmt: skip
            before, slope_before = row.value, row.lambda_right
            exact = pieces.at(theta)
            allowed = _rounding(exact)
            ledger.number(f"{name}.T_ns", row.T_ns, exact, allowed, unit="ns", where=where)
            for side, slope in (("left", row.lambda_left), ("right", row.lambda_right)):
                found = Fraction(slope)
                short = pieces.shortfall(theta, found)
                if short is None or short > allowed:
                    found = pieces.slope(theta)
                ledger.number(
                    f"{name}.lambda_{side}", slope, found, 0,
                    unit=self._unit_of_slope(), where=where,
                    reason=f"no longest path has this slope to the {side}",
                )  # fmt: skip
            rises, reason = row.lambda_left < row.lambda_right, "the slope does not rise"
            ledger.order(f"{name} (rising slope)", holds=rises, where=where, reason=reason)
        self._missing(pieces, low, until, stated)

    def _missing(
        self,
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
            allowed = _SUM * _rounding(exact)
            self.ledger.number(
                name, length + slope * (theta - at), exact, allowed, unit=unit,
                where=self._place(theta), reason="T is above the line through those that are "
                "stated: one is missing before this, or wrong",
            )  # fmt: skip

    def _beyond(self, runtime: Runtime, until: Fraction) -> None:
        """Points of T where critical values are not listed, and how far T may be from them."""
        stated, ledger, name = self.stated.of_theta, self.ledger, "critical.beyond"
        rows = stated.critical.beyond
        few = len(rows) <= _MOST_POINTS
        ledger.order(f"{name} (rows)", holds=few, reason="far more than analyze writes")
        last = stated.breakpoints[-1].lambda_right if stated.breakpoints else None
        start = runtime.line(until)
        before = until, start.at(until), start.slope if last is None else Fraction(last)
        bound = Fraction(0)
        for row in rows[:_MOST_POINTS]:
            theta, where = Fraction(row.value), self._place(Fraction(row.value))
            reason = "not behind the one before"
            if not ledger.order(f"{name} (order)", holds=theta > before[0], reason=reason):
                continue
            exact = runtime.at(theta)
            allowed = _rounding(exact)
            ledger.number(f"{name}.T_ns", row.T_ns, exact, allowed, unit="ns", where=where)
            slope = Fraction(row.slope)
            short = runtime.shortfall(theta, slope)
            steep = slope if short is not None and short <= allowed else runtime.slope(theta)
            ledger.number(
                f"{name}.lambda", slope, steep, 0, unit=self._unit_of_slope(), where=where,
                reason="no longest path has this slope",
            )  # fmt: skip
            bound = max(bound, _uncertainty(before, (theta, exact, slope)))
            before = theta, exact, slope
        end = stated.interval.high if rows else float(before[0])
        ledger.number(f"{name} (end)", float(before[0]), end, 0, unit=self.theta.unit)
        ledger.number("critical.bound", stated.critical.bound, bound, _BOUND)

    # Efficiencies

    def _efficiency(self, runtime: Runtime) -> None:
        stated, ledger = self.stated.of_theta.efficiency, self.ledger
        work = computation_of(self.program.graph)
        scale = Fraction(self.network.compute_scale)
        mean, most = scale * sum(work) / len(work), scale * max(work)
        length = runtime.at(self.base)
        ideal = scale * self._ideal()
        exact = Fractions.of(float(mean), float(most), float(length), float(ideal))
        ledger.same("efficiency.processors", stated.processors, len(work))
        for name in FRACTIONS:
            value = getattr(exact, name)
            allowed = max(abs(value), 1.0) * float(_TIED)
            found = getattr(stated.predicted, name)
            ledger.number(f"efficiency.predicted.{name}", found, value, allowed)
        for name in ("T_ns", "T_ideal_ns", "useful_mean_ns", "useful_max_ns"):
            value = getattr(exact, name)
            allowed = _rounding(Fraction(value))
            found = getattr(stated.predicted, name)
            ledger.number(f"efficiency.predicted.{name}", found, value, allowed, unit="ns")
        works = dict(zip(OF_THETA, (mean, most, ideal), strict=True))
        self._efficiency_curve(works)
        self._thresholds(runtime, works)

    def _efficiency_curve(self, works: dict[str, Fraction]) -> None:
        stated, curve = self.stated.of_theta.efficiency.curve, self.stated.of_theta.curve
        if not self.ledger.same("efficiency.curve (points)", len(stated), len(curve.value)):
            return
        for row, value, length in zip(stated, curve.value, curve.T_ns, strict=True):
            where = self._place(Fraction(value))
            self.ledger.number("efficiency.curve.value", row.value, value, 0, where=where)
            for name, work in works.items():
                exact = work / Fraction(length) if length > 0 else Fraction(1)
                allowed = max(exact, Fraction(1)) * _TIED
                self.ledger.number(
                    f"efficiency.curve.{name}", getattr(row, name), exact, allowed, where=where
                )

    def _thresholds(self, runtime: Runtime, works: dict[str, Fraction]) -> None:
        stated, ledger = self.stated.of_theta.efficiency.thresholds, self.ledger
        asked = [(name, least) for name in OF_THETA for least in LEAST]
        found = [(row.efficiency, row.least) for row in stated]
        if not ledger.same("efficiency.thresholds (rows)", found, asked):
            return
        length = runtime.at(self.base)
        for row in stated:
            name, where = "efficiency.thresholds", f"{row.efficiency} of {row.least:g}"
            limit = works[row.efficiency] / Fraction(row.least)
            if abs(limit - length) > self._allowed(runtime, self.base):
                ledger.same(f"{name}.reached", row.reached, limit >= length, where=where)
            self._last(name, where, row.value, row.delta, runtime, limit, Fraction(0))

    def _ideal(self) -> Fraction:
        """T where messages cost nothing, and hold nothing up."""
        graph = self.graph
        if self.core.gap != "none":
            core = self.core
            free = _core.Network(
                L=0.0, o=0.0, g=0.0, G=0.0, O=0.0, S=core.S, rendezvous=core.rendezvous, gap="none"
            )
            graph = ExactGraph(self.program.graph, free)
        return graph.with_prices(graph.prices.free()).at(Fraction(0))


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


def _rounding(length: Fraction) -> Fraction:
    """What may be lost of a length, ns."""
    return min(length * _TIED, _MOST_NS)


def _near(stated: float, exact: Fraction) -> bool:
    return abs(Fraction(stated) - exact) <= abs(exact) * _LAST_BITS


def computation_of(graph: _core.Graph) -> list[Fraction]:
    """What each processor computes between calls, ns: ranks, and threads of ranks that compute."""
    rank = np.repeat(np.arange(graph.ranks), np.diff(graph.rank_begin).astype(np.int64))
    own = (graph.kind == _core.Kind.calc) & (graph.origin == _core.NO_ORIGIN)
    processor = rank.astype(np.int64) * 256 + graph.cpu
    total: dict[int, int] = {256 * each: 0 for each in range(graph.ranks)}
    numbers, inverse = np.unique(processor[own], return_inverse=True)
    sums = np.zeros(numbers.size, np.int64)
    np.add.at(sums, inverse, graph.value[own])
    for number, ns in zip(numbers.tolist(), sums.tolist(), strict=True):
        if ns > 0 or number in total:
            total[number] = ns
    return [Fraction(total[number]) for number in sorted(total)]
