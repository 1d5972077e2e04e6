"""Every number of an analysis that has an exact value, compared with the exact value.

A double has limited precision. A path's length is a sum of many rounded numbers, in practice right
to 1e-13 of T, and the engine calls paths tied that differ by 1e-12 of T. So much is allowed, and
never more than half a nanosecond. If no sum can have been rounded, the numbers must be exact:
slopes to the digit, lengths up to the last bits.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from latitude import _core
from latitude.analysis.answer import POINTS
from latitude.analysis.cpu_order import in_order
from latitude.analysis.efficiency import LEAST
from latitude.cli.analyze import analysed
from latitude.cli.analyze_options import AnalyzeOptions
from latitude.cli.commands import build_parser
from latitude.cli.declare import as_declared
from latitude.model.network import Network
from latitude.model.theta import TOLERANCES, theta_of
from latitude.results.analysis import Analysis
from latitude.sections.efficiency.result import FRACTIONS, OF_THETA, Fractions
from latitude.trace.program import Program

from .exact import ExactGraph, Runtime, RuntimePieces

TIED = Fraction(1, 10**12)
"""Possible effect of rounding on a length, as a share of T."""
_MOST_NS = Fraction(1, 2)
LAST_BITS = Fraction(1, 1 << 50)
"""Relative rounding error of exact sums, and of combinations of few numbers."""
DIGITS = 53
"""Binary digits of a double."""
SUM = 4
"""A curve's corner is off by what three numbers of it are."""
_BOUND = Fraction(1, 10**9)
"""Largest bound on T beyond the list, as a share of T."""
_PARTS = {
    "calc_ns": ("computation",),
    "overhead_ns": ("recorded", "overhead", "gap", "copied"),
    "latency_ns": ("latency",),
    "bandwidth_ns": ("byte",),
}
"""The parts of T, and the prices that each depends on."""
_COUNTED = {"lambda_G": "byte", "lambda_o": "overhead"}

Number = Fraction | float | None
"""A number; None is infinite or absent."""


def stated(analysis: Analysis) -> dict[str, Any]:
    """The numbers of an analysis as plain data, with the same keys for any varied parameter."""
    text = json.dumps(analysis.plain())
    found: dict[str, Any] = json.loads(text, parse_constant=lambda _: None)  # infinite, or none
    return found


@dataclass(frozen=True)
class Rejection:
    """A number, or a word, that is not what was proved."""

    claim: str
    where: str
    stated: object
    exact: object


class Proof:
    """A program on a network, its proved numbers, and the differences of a result."""

    def __init__(
        self,
        result: dict[str, Any],
        program: Program,
        network: Network,
        sweep: str = "L",
        tolerance: Sequence[float] = TOLERANCES,
        limits_ns: Sequence[float] = (),
        interval: tuple[float, float] | None = None,
    ) -> None:
        names = {"lambda": "slope", "rho": "share"}
        self.stated: Any = json.loads(
            json.dumps(result),
            object_hook=lambda each: SimpleNamespace(
                **{names.get(key, key): value for key, value in each.items()}
            ),
        )
        network = network.placed_as(program.path)
        program = in_order(program, network)
        self.program, self.network = program, network
        self.tolerance, self.limits_ns, self.interval = tolerance, limits_ns, interval
        self.links = network.links(program.ranks)
        self.core = network.core_of(self.links)
        self.graph = ExactGraph(program.graph, self.core)
        self.theta = theta_of(sweep, network, self.links)
        self.base = Fraction(self.theta.base)
        self.rejections: list[Rejection] = []
        self.corners = 0
        self._prove()

    def _prove(self) -> None:
        self._sizes()
        latency = theta_of("L", self.network, self.links)
        runtime = self.graph.along(latency)
        self._baseline(Fraction(latency.base), runtime)
        self._parts(runtime.at(Fraction(latency.base)))
        if self.theta.name != "L":
            runtime = self.graph.along(self.theta)
        self._sensitivity(runtime)
        self._tolerances(runtime)
        interval, listed = self.stated.interval, self._listed()
        if 0 <= interval.low <= listed <= interval.high:
            low, until = Fraction(interval.low), Fraction(listed)
            beside = 2 * rounding(runtime.at(until))  # what may tie with the ends
            pieces = RuntimePieces.of(runtime, max(low - beside, Fraction(0)), until + beside)
            self.corners = sum(low < corner < until for corner in pieces.corners)
            self._curve(runtime, pieces, until)
            self._breakpoints(pieces, low, until)
            self._beyond(runtime, until)
        self._efficiency(runtime)

    def number(
        self, name: str, stated: Number, exact: Number, allowed: Fraction | float, where: str = ""
    ) -> bool:
        """Compares a number up to a tolerance; both may be None."""
        if stated is None or exact is None:
            holds = stated is exact
        else:
            holds = abs(Fraction(stated) - Fraction(exact)) <= allowed
        return self.holds(name, holds, stated, exact, where)

    def same(self, name: str, stated: object, exact: object, where: str = "") -> bool:
        """A word, a whole number, or anything else that is the same or is not."""
        return self.holds(name, stated == exact, stated, exact, where)

    def holds(
        self, name: str, holds: bool, stated: object = "", exact: object = "", where: str = ""
    ) -> bool:
        """Keeps what does not hold."""
        if not holds:
            self.rejections.append(Rejection(name, where, stated, exact))
        return holds

    def allowed(self, runtime: Runtime, theta: Fraction) -> Fraction:
        """Accepted error of a length at θ, ns."""
        length = runtime.at(theta)
        return length * LAST_BITS if runtime.digits(theta, length) <= DIGITS else rounding(length)

    def slopes(
        self, name: str, runtime: Runtime, theta: Fraction, left: float, right: float
    ) -> None:
        """Both slopes at θ, of any of the longest paths where they tie."""
        if theta > 0:  # 0 has no left
            self._slope(f"{name}_left", runtime, theta, left, right=False)
        self._slope(f"{name}_right", runtime, theta, right, right=True)
        self.holds(f"{name}_right", left <= right, right, left)

    def _slope(
        self, name: str, runtime: Runtime, theta: Fraction, stated: float, *, right: bool
    ) -> None:
        line = runtime.line(theta, right=right)
        exact = line.slope
        if not near(stated, exact) and runtime.digits(theta, line.at(theta)) > DIGITS:
            short = runtime.shortfall(theta, Fraction(stated))
            if short is not None and short <= self.allowed(runtime, theta):
                exact = Fraction(stated)
        self.number(name, stated, exact, abs(exact) * LAST_BITS, self.place(theta))

    def share(
        self, name: str, stated: float, part: Fraction, whole: Fraction, where: str = ""
    ) -> None:
        """A quotient of two numbers that doubles have been made of."""
        exact = part / whole if whole > 0 else Fraction(0)
        self.number(name, stated, exact, max(exact, Fraction(1)) * TIED, where)

    def place(self, theta: Fraction) -> str:
        """θ in words."""
        return f"{self.theta.symbol} = {self.theta.text(float(theta), 9)}"

    def last(
        self, name: str, where: str, row: Any, runtime: Runtime, limit: Fraction, start: Fraction
    ) -> None:
        """The largest θ at which T is within a limit, and its distance from the base."""
        value, at_start = row.value, runtime.at(start)
        allowed = self.allowed(runtime, start)
        limit = Fraction(float(limit))  # as the engine was asked
        exact = None
        if limit >= at_start - allowed:
            exact = runtime.last_within(max(limit, at_start), start)
        if value is None and abs(limit - at_start) <= allowed:
            exact = None  # within rounding of the least T: a value of θ, or none
        room = Fraction(0)
        if exact is not None:
            left, right = runtime.slopes(exact)
            room = 2 * rounding(limit) / (left or right) + exact * LAST_BITS
        self.number(f"{name}.value", value, exact, room, where)
        distance = None if value is None else Fraction(value) - self.base
        least = Fraction(0) if value is None else (Fraction(value) + self.base) * LAST_BITS
        self.number(f"{name}.delta", row.delta, distance, least, where)

    def _sizes(self) -> None:
        graph, stated, same = self.program.graph, self.stated.graph, self.same
        sends = graph.kind == _core.Kind.send
        edges = int(graph.chained.sum()) + graph.dep_vertex.size + int(sends.sum())
        same("trace.ranks", self.stated.trace.ranks, self.program.ranks)
        same("graph.vertices", stated.vertices, int(graph.kind.size))
        same("graph.edges", stated.edges, edges)
        same("graph.messages", stated.messages, int(sends.sum()))
        same("graph.bytes", stated.bytes, int(graph.value[sends].sum()))

    def _baseline(self, base: Fraction, runtime: Runtime) -> None:
        stated, number = self.stated.baseline, self.number
        length = runtime.at(base)
        number("baseline.L_ns", stated.L_ns, base, 0)
        number("baseline.T_ns", stated.T_ns, length, self.allowed(runtime, base))
        self.slopes("baseline.lambda_L", runtime, base, stated.lambda_L_left, stated.lambda_L_right)
        number("baseline.lambda_L", stated.lambda_L, stated.lambda_L_right, 0)
        on_path = base * Fraction(stated.lambda_L_right)
        if len(self.links.classes) > 1:
            on_path = Fraction(stated.path.latency_ns)
        self.share("baseline.rho_L", stated.rho_L, on_path, length)

    def _parts(self, length: Fraction) -> None:
        """T's parts, and what is counted, on one critical path: any of those that tie."""
        stated, prices, one = self.stated.baseline.path, self.graph.prices, Fraction(1)
        allowed = rounding(length)
        asked = [(name, prices.scaled(*own), True) for name, own in _PARTS.items()]
        asked += [(name, prices.counted(own), False) for name, own in _COUNTED.items()]
        for name, changed, is_time in asked:
            value, runtime = Fraction(getattr(stated, name)), self.graph.with_prices(changed)
            left, right = runtime.slopes(one)
            exact = min(max(value, left), right)
            if abs(value - exact) > allowed:  # a path that ties but for rounding has so much
                beside = value + (allowed if value < exact else -allowed)
                short = runtime.shortfall(one, beside)
                exact = value if short is not None and short <= allowed else exact
            room = allowed if is_time else abs(exact) * LAST_BITS
            self.number(f"baseline.path.{name}", value, exact, room)
        whole = sum((Fraction(getattr(stated, name)) for name in _PARTS), Fraction(0))
        self.number("baseline.path (sum)", whole, length, SUM * allowed)

    def _sensitivity(self, runtime: Runtime) -> None:
        stated, theta = self.stated.theta, self.theta
        self.same("theta.name", stated.name, theta.name)
        self.number("theta.base", stated.base, self.base, 0)
        self.slopes("theta.lambda", runtime, self.base, stated.lambda_left, stated.lambda_right)
        self.number("theta.lambda", stated.slope, stated.lambda_right, 0)
        on_path = self.base * Fraction(stated.lambda_right)
        self.share("theta.rho", stated.share, on_path, runtime.at(self.base))

    def _tolerances(self, runtime: Runtime) -> None:
        """The interval, and each tolerance: the last θ at which T is within its limit."""
        values = (np.inf if row.value is None else row.value for row in self.stated.tolerance)
        low, high = self.interval or self.theta.default_interval(values)
        self.number("interval.low", self.stated.interval.low, low, 0)
        self.number("interval.high", self.stated.interval.high, high, 0)
        length = runtime.at(self.base)
        allowed = self.allowed(runtime, self.base)
        asked = [(Fraction(x), length * (1 + Fraction(x))) for x in self.tolerance]
        limits = map(Fraction, self.limits_ns)
        asked += [(limit / length - 1 if length > 0 else Fraction(0), limit) for limit in limits]
        asked.sort(key=lambda each: each[1])
        self.same("tolerance (rows)", len(self.stated.tolerance), len(asked))
        for row, (degradation, limit) in zip(self.stated.tolerance, asked, strict=False):
            where = f"at {100 * float(degradation):.6g} %"
            if length > 0:
                share = TIED * (1 + degradation)
                self.number("tolerance.degradation", row.degradation, degradation, share, where)
            more = allowed * (1 + degradation) + limit * LAST_BITS
            self.number("tolerance.T_limit_ns", row.T_limit_ns, limit, more, where)
            self.last("tolerance", where, row, runtime, limit, self.base)

    def _curve(self, runtime: Runtime, pieces: RuntimePieces, until: Fraction) -> None:
        """T, slope and share at every point; `pieces` is T up to `until`."""
        curve, interval = self.stated.curve, self.stated.interval
        if not self.same("curve (points)", len(curve.value), POINTS):
            return
        places = np.linspace(interval.low, interval.high, POINTS).tolist()
        for value, place, length, slope, share in zip(
            curve.value, places, curve.T_ns, curve.slope, curve.share, strict=True
        ):
            theta, where = Fraction(value), self.place(Fraction(value))
            self.number("curve.value", value, place, Fraction(place) * LAST_BITS, where)
            known = pieces if theta <= until else runtime
            exact = known.at(theta)
            allowed = rounding(exact)
            self.number("curve.T_ns", length, exact, allowed, where)
            steep = known.slope(theta)
            if not near(slope, steep) and runtime.digits(theta, exact) > DIGITS:
                short = known.shortfall(theta, Fraction(slope))
                steep = Fraction(slope) if short is not None and short <= allowed else steep
            self.number("curve.lambda", slope, steep, abs(steep) * LAST_BITS, where)
            self.share("curve.rho", share, theta * Fraction(slope), exact, where)

    def _listed(self) -> float:
        """Up to which θ all critical values are listed."""
        critical, rows = self.stated.critical, self.stated.breakpoints
        ends = [self.stated.interval.low, *(row.value for row in rows)]
        until: float = self.stated.interval.high if critical.complete else ends[-1]
        self.same("critical.complete", critical.complete, not critical.beyond)
        self.same("critical.listed", critical.listed, len(rows))
        self.number("critical.until", critical.until, until, 0)
        return until

    def _breakpoints(self, pieces: RuntimePieces, low: Fraction, until: Fraction) -> None:
        """Each is one, and none is missing: the line through those that are stated is T."""
        name, rows = "breakpoints", self.stated.breakpoints
        before, slope_before = float(low), None
        for row in rows:
            theta, where = Fraction(row.value), self.place(Fraction(row.value))
            inside = before < row.value < self.stated.interval.high
            if not self.holds(f"{name} (order)", inside, where=where):
                continue
            if slope_before is not None:
                self.number(f"{name} (joined)", row.lambda_left, slope_before, 0, where)
            before, slope_before = row.value, row.lambda_right
            exact = pieces.at(theta)
            allowed = rounding(exact)
            self.number(f"{name}.T_ns", row.T_ns, exact, allowed, where)
            for side, slope in (("left", row.lambda_left), ("right", row.lambda_right)):
                found = Fraction(slope)
                short = pieces.shortfall(theta, found)
                if short is None or short > allowed:
                    found = pieces.slope(theta)
                self.number(f"{name}.lambda_{side}", slope, found, 0, where)
            rises = row.lambda_left < row.lambda_right
            self.holds(f"{name} (rising slope)", rises, where=where)
        first = Fraction(rows[0].lambda_left) if rows else pieces.slope(low)
        stated = [(Fraction(b.value), Fraction(b.T_ns), Fraction(b.lambda_right)) for b in rows]
        points = [(low, pieces.at(low), first), *sorted(stated)]
        places = {until, *(theta for theta, *_ in stated), *pieces.corners}
        k = 0
        for theta in sorted(place for place in places if low < place <= until):
            while k + 1 < len(points) and points[k + 1][0] < theta:
                k += 1
            at, length, slope = points[k]
            exact = pieces.at(theta)
            line, allowed = length + slope * (theta - at), SUM * rounding(exact)
            self.number(f"{name} (none missing)", line, exact, allowed, self.place(theta))

    def _beyond(self, runtime: Runtime, until: Fraction) -> None:
        """Points of T without listed critical values, and their largest distance from T."""
        critical, name = self.stated.critical, "critical.beyond"
        rows, known = critical.beyond, self.stated.breakpoints
        start = runtime.line(until)
        steep = Fraction(known[-1].lambda_right) if known else start.slope
        before = until, start.at(until), steep
        bound = Fraction(0)
        for row in rows:
            theta, where = Fraction(row.value), self.place(Fraction(row.value))
            if not self.holds(f"{name} (order)", theta > before[0], where=where):
                continue
            exact = runtime.at(theta)
            allowed = rounding(exact)
            self.number(f"{name}.T_ns", row.T_ns, exact, allowed, where)
            slope = Fraction(row.slope)
            short = runtime.shortfall(theta, slope)
            steep = slope if short is not None and short <= allowed else runtime.slope(theta)
            self.number(f"{name}.lambda", slope, steep, 0, where)
            bound = max(bound, _uncertainty(before, (theta, exact, slope)))
            before = theta, exact, slope
        end = self.stated.interval.high if rows else float(before[0])
        self.number(f"{name} (end)", float(before[0]), end, 0)
        self.number("critical.bound", critical.bound, bound, _BOUND)

    def _efficiency(self, runtime: Runtime) -> None:
        """All fractions, their curve over θ, and where each falls below a value."""
        stated, curve = self.stated.efficiency, self.stated.curve
        work = computation_of(self.program.graph)
        scale = Fraction(self.network.compute_scale)
        mean, most = scale * sum(work) / len(work), scale * max(work)
        length, ideal = runtime.at(self.base), scale * self._ideal()
        exact = Fractions.of(float(mean), float(most), float(length), float(ideal))
        self.same("efficiency.processors", stated.processors, len(work))
        for name in FRACTIONS:
            value = getattr(exact, name)
            allowed = max(abs(value), 1.0) * float(TIED)
            found = getattr(stated.predicted, name)
            self.number(f"efficiency.predicted.{name}", found, value, allowed)
        for name in ("T_ns", "T_ideal_ns", "useful_mean_ns", "useful_max_ns"):
            value = Fraction(getattr(exact, name))
            found = getattr(stated.predicted, name)
            self.number(f"efficiency.predicted.{name}", found, value, rounding(value))
        works = dict(zip(OF_THETA, (mean, most, ideal), strict=True))
        if self.same("efficiency.curve (points)", len(stated.curve), len(curve.value)):
            for row, place, at_place in zip(stated.curve, curve.value, curve.T_ns, strict=True):
                where = self.place(Fraction(place))
                self.number("efficiency.curve.value", row.value, place, 0, where)
                for name, part in works.items():
                    share = part / Fraction(at_place) if at_place > 0 else Fraction(1)
                    allowed = max(share, Fraction(1)) * TIED
                    self.number(
                        f"efficiency.curve.{name}", getattr(row, name), share, allowed, where
                    )
        asked = [(name, least) for name in OF_THETA for least in LEAST]
        name, rows = "efficiency.thresholds", [(t.efficiency, t.least) for t in stated.thresholds]
        if not self.same(f"{name} (rows)", rows, asked):
            return
        for row in stated.thresholds:
            where = f"{row.efficiency} of {row.least:g}"
            limit = works[row.efficiency] / Fraction(row.least)
            if abs(limit - length) > self.allowed(runtime, self.base):
                self.same(f"{name}.reached", row.reached, limit >= length, where)
            self.last(name, where, row, runtime, limit, Fraction(0))

    def _ideal(self) -> Fraction:
        """T where messages cost nothing, and hold nothing up."""
        graph, core = self.graph, self.core
        if core.gap != "none":
            free = _core.Network(
                L=0.0, o=0.0, g=0.0, G=0.0, O=0.0, S=core.S, S_isend=core.S_isend,
                rendezvous=core.rendezvous, gap="none",
            )  # fmt: skip
            graph = ExactGraph(self.program.graph, free)
        return graph.with_prices(graph.prices.free()).at(Fraction(0))


def proof_of(path: Path, *options: str) -> Proof:
    """The proof of an analysis by `latitude analyze` with these options."""
    words = ["analyze", str(path), *options]
    arguments = as_declared(build_parser("analyze").parse_args(words), AnalyzeOptions)
    found, program, network = analysed(path, arguments)
    return Proof(
        stated(found),
        program,
        network,
        found.sensitivity.name,
        arguments.tolerance,
        arguments.limit,
        arguments.latency or (arguments.sweep.interval if arguments.sweep else None),
    )


def rounding(length: Fraction) -> Fraction:
    """Possible rounding error of a length, ns."""
    return min(length * TIED, _MOST_NS)


def near(stated: float, exact: Fraction) -> bool:
    """Equal but for the last bits of a double."""
    return abs(Fraction(stated) - exact) <= abs(exact) * LAST_BITS


_Tangent = tuple[Fraction, Fraction, Fraction]
"""θ, T and a slope at θ."""


def _uncertainty(low: _Tangent, high: _Tangent) -> Fraction:
    """The share of T by which the line between two points may exceed T, where tangents meet."""
    (a, at_a, rises), (b, at_b, steeper) = low, high
    if steeper <= rises:
        return Fraction(0)
    theta = min(max((at_a - at_b + steeper * b - rises * a) / (steeper - rises), a), b)
    floor = max(at_a + rises * (theta - a), at_b + steeper * (theta - b))
    line = at_a + (theta - a) * (at_b - at_a) / (b - a)
    return max((line - floor) / floor, Fraction(0)) if floor > 0 else Fraction(0)


def computation_of(graph: _core.Graph) -> list[Fraction]:
    """Computation of each processor between calls, ns: ranks, and threads of ranks that compute."""
    rank = np.repeat(np.arange(graph.ranks), np.diff(graph.rank_begin).astype(np.int64))
    own = (graph.kind == _core.Kind.calc) & (graph.origin == _core.NO_ORIGIN)
    processor = rank.astype(np.int64) << 32 | graph.line
    total: dict[int, int] = {each << 32: 0 for each in range(graph.ranks)}
    numbers, inverse = np.unique(processor[own], return_inverse=True)
    sums = np.zeros(numbers.size, np.int64)
    np.add.at(sums, inverse, graph.value[own])
    for number, ns in zip(numbers.tolist(), sums.tolist(), strict=True):
        if ns > 0 or number in total:
            total[number] = ns
    return [Fraction(total[number]) for number in sorted(total)]
