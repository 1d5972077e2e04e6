"""What the claims of a result are held against, and by how much they may be off.

What a double can say of an exact number is limited: a path's length is a sum of many rounded ones,
in practice right to 1e-13 of T, and the engine calls paths tied that differ by 1e-12 of T. So much
is allowed, and never more than half a nanosecond. Where no sum can have been rounded, the numbers
must be the exact ones: slopes to the digit, lengths but for the last bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from latitude.analysis.cpu_order import in_order
from latitude.analysis.verify.exact import ExactGraph, Runtime
from latitude.analysis.verify.ledger import Ledger
from latitude.analysis.verify.stated import Stated
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import Theta
from latitude.trace.program import Program

TIED = Fraction(1, 10**12)
"""Of T: what rounding may do to a length."""
_MOST_NS = Fraction(1, 2)
LAST_BITS = Fraction(1, 1 << 50)
"""Relative: what remains of rounding where a sum is exact, and where few numbers are combined."""
DIGITS = 53
"""Of a double."""
SUM = 4
"""A curve's corner is off by what three numbers of it are."""


@dataclass(frozen=True, slots=True)
class AskedAnalysis:
    """What the result was asked for."""

    theta: Theta
    interval: tuple[float, float] | None
    """None: as far as it takes."""
    tolerance: Sequence[float]
    limits_ns: Sequence[float]


class Held:
    """A program on a network, what is proved of it, and the claims of a result about it."""

    def __init__(
        self, stated: Stated, program: Program, network: Network, question: AskedAnalysis
    ) -> None:
        program = in_order(program, network)
        self.stated, self.program, self.network, self.question = stated, program, network, question
        self.links: Links = network.links(program.ranks)
        self.core = network.core_of(self.links)
        self.graph = ExactGraph(program.graph, self.core)
        self.ledger = Ledger()
        self.theta = question.theta
        self.base = Fraction(self.theta.base)

    def allowed(self, runtime: Runtime, theta: Fraction) -> Fraction:
        """By how much a length may be off at θ, ns."""
        length = runtime.at(theta)
        return length * LAST_BITS if runtime.digits(theta, length) <= DIGITS else rounding(length)

    def slopes(
        self, name: str, runtime: Runtime, theta: Fraction, left: float, right: float
    ) -> None:
        """Both slopes at θ."""
        if theta > 0:  # 0 has no left
            self.slope(f"{name}_left", runtime, theta, left, right=False)
        self.slope(f"{name}_right", runtime, theta, right, right=True)
        if left > right:
            self.ledger.reject(
                f"{name}_right", right, left, reason="is less than the slope to the left"
            )

    def slope(
        self, name: str, runtime: Runtime, theta: Fraction, stated: float, *, right: bool
    ) -> None:
        """The slope to one side of θ, of any of the longest paths where they tie."""
        line = runtime.line(theta, right=right)
        exact = line.slope
        if not near(stated, exact) and runtime.digits(theta, line.at(theta)) > DIGITS:
            short = runtime.shortfall(theta, Fraction(stated))
            if short is not None and short <= self.allowed(runtime, theta):
                exact = Fraction(stated)
        side = "right" if right else "left"
        self.ledger.number(
            name,
            stated,
            exact,
            abs(exact) * LAST_BITS,
            unit=self.unit_of_slope(),
            where=self.place(theta),
            reason=f"no longest path has this slope to the {side}",
        )

    def unit_of_slope(self) -> str:
        """Of dT/dθ: bytes, where θ is a time per byte."""
        return "B" if self.theta.unit != "ns" else ""

    def share(self, name: str, stated: float, part: Fraction, whole: Fraction) -> None:
        """A quotient of two numbers that doubles have been made of."""
        exact = part / whole if whole > 0 else Fraction(0)
        self.ledger.number(name, stated, exact, max(exact, Fraction(1)) * TIED)

    def place(self, theta: Fraction) -> str:
        """θ in words, as claims are told."""
        return f"{self.theta.symbol} = {self.theta.text(float(theta), 9)}"

    def last(
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
        allowed = self.allowed(runtime, start)
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
            room = 2 * rounding(limit) / (left or right) + exact * LAST_BITS
        unit = self.theta.unit
        self.ledger.number(
            f"{name}.value", value, exact, room, unit=unit, where=where,
            reason="T is within the limit up to another value",
        )  # fmt: skip
        distance = None if value is None else Fraction(value) - self.base
        least = Fraction(0) if value is None else (Fraction(value) + self.base) * LAST_BITS
        self.ledger.number(f"{name}.delta", delta, distance, least, unit=unit, where=where)


def rounding(length: Fraction) -> Fraction:
    """What may be lost of a length, ns."""
    return min(length * TIED, _MOST_NS)


def near(stated: float, exact: Fraction) -> bool:
    """Equal but for the last bits of a double."""
    return abs(Fraction(stated) - exact) <= abs(exact) * LAST_BITS
