"""What a result of `latitude analyze` says of a program, read back to be held to demands.

T is piecewise linear between the critical values. Where the result lists all of its interval, every
T, efficiency and tolerance there follows exactly. Where it lists only the first ones, what follows
beyond them is on the safe side: T may be shorter than what is said here, by the bound that the
result states, so efficiencies and tolerances may be a little better.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.results.analysis import Analysis
from latitude.results.efficiency import Fractions
from latitude.results.kept import KeptAnalysis, kept_as, read_as
from latitude.units.quantities import format_per_byte, format_share, format_size, format_time

_SHOWN: dict[str, Callable[[Any], str]] = {
    "_ns_per_byte": format_per_byte,
    "_ns": format_time,
    "_bytes": format_size,
}
"""How a field that ends so is shown, without that ending."""
_SAME = (
    "L_ns", "o_ns", "g_ns", "O_ns_per_byte", "G_ns_per_byte", "S_bytes", "S_isend_bytes",
    "rendezvous", "gap", "compute_scale", "topology", "mapping", "collectives",
    "reduce_ns_per_byte", "async_progress",
)  # fmt: skip
"""What two results must have been told alike to be compared."""


class _Curve(msgspec.Struct):
    T_ns: list[float]
    value: list[float] = []
    L_ns: list[float] = []


class _Breakpoint(msgspec.Struct):
    T_ns: float
    value: float | None = None
    L_ns: float | None = None


class _Critical(msgspec.Struct):
    beyond: list[_Breakpoint]


class _Fractions(msgspec.Struct):
    T_ideal_ns: float
    useful_mean_ns: float
    useful_max_ns: float


class _Efficiency(msgspec.Struct):
    predicted: _Fractions


class Known(KeptAnalysis, frozen=True, kw_only=True):
    """What demands are about."""

    curve: _Curve
    breakpoints: list[_Breakpoint]
    efficiency: _Efficiency
    critical: _Critical

    def __post_init__(self) -> None:
        """ValueError where rows do not fit each other."""
        values = self.curve.L_ns or self.curve.value
        if not values or len(values) != len(self.curve.T_ns):
            raise ValueError("its curve has no values, or not as many as runtimes")
        if any(bend.value is None and bend.L_ns is None for bend in self._bends()):
            raise ValueError("a breakpoint has no place")

    def _bends(self) -> list[_Breakpoint]:
        """All that is known of T between the interval's ends."""
        return self.breakpoints + self.critical.beyond

    def _line(self) -> tuple[Floats, Floats]:
        """θ and T at the interval's ends and all bends between: T is nowhere above this line."""
        values = self.curve.L_ns or self.curve.value
        bends = [(b.L_ns if b.value is None else b.value, b.T_ns) for b in self._bends()]
        ends = [(values[0], self.curve.T_ns[0]), (values[-1], self.curve.T_ns[-1])]
        points = np.array(sorted([*ends, *bends]), dtype=np.float64)
        return points[:, 0], points[:, 1]

    def runtime_at(self, value: float) -> float:
        """T where θ has this value. InputError outside the interval."""
        theta, runtime = self._line()
        if not theta[0] <= value <= theta[-1]:
            raise InputError(
                f"{self.provenance.input}: {self._text(value)} of {self.theta.name} is outside "
                f"what was analysed, {self._text(theta[0])} to {self._text(theta[-1])}; give the "
                "trace, or analyse it with a wider --latency"
            )
        return float(np.interp(value, theta, runtime))

    def tolerated(self, degradation: float) -> float:
        """By how much θ may grow before T has grown by this share. InputError: not known."""
        for known in self.tolerance:
            if known.degradation is not None and math.isclose(known.degradation, degradation):
                return known.extra
        limit = self.baseline.T_ns * (1 + degradation)
        theta, runtime = self._line()
        after = int(np.searchsorted(runtime, limit, side="right"))
        if after == runtime.size or theta[0] > self.theta.base:
            raise InputError(
                f"{self.provenance.input}: the tolerance at {format_share(degradation)} is not in "
                f"this result; give the trace, or analyse it with --tolerance {degradation:g}"
            )
        share = (limit - runtime[after - 1]) / (runtime[after] - runtime[after - 1])
        value = theta[after - 1] + share * (theta[after] - theta[after - 1])
        return float(value) - self.theta.base

    def efficiency_at(self, name: str, value: float | None) -> float:
        """An efficiency at a value of θ; None: at the baseline."""
        of = self.efficiency.predicted
        runtime = self.baseline.T_ns if value is None else self.runtime_at(value)
        found = Fractions.of(of.useful_mean_ns, of.useful_max_ns, runtime, of.T_ideal_ns)
        return float(getattr(found, name))

    def computation(self) -> dict[str, float]:
        """By function: what all ranks compute just before its calls of MPI, ns.

        By line where no function is known, by MPI call where no line is.
        """
        function = {site.where: site.function for site in self.by_call_site}
        total: dict[str, float] = {}
        for time in self.times:
            if time.what == "computation":
                place = function.get(time.where or "") or time.where or time.call or "the end"
                total[place] = total.get(place, 0.0) + time.ns
        return total

    def comparable(self, other: "Known") -> None:
        """InputError where two results say nothing of each other."""
        if self.trace.ranks != other.trace.ranks:
            raise InputError(
                f"{other.provenance.input}: has {other.trace.ranks} ranks, and "
                f"{self.provenance.input} {self.trace.ranks}; compare runs of one size"
            )
        for key in _SAME:
            theirs, ours = other.model.get(key), self.model.get(key)
            if theirs != ours:
                raise InputError(
                    f"{other.provenance.input}: was analysed with {_parameter(key, theirs)}, and "
                    f"{self.provenance.input} with {_parameter(key, ours)}; analyse both alike"
                )
        if self.theta.name != other.theta.name:
            raise InputError(
                f"{other.provenance.input}: varies {other.theta.name}, and "
                f"{self.provenance.input} {self.theta.name}; analyse both with one --sweep"
            )

    def _text(self, value: float) -> str:
        return f"{value:g} ns/B" if self.theta.unit == "ns/B" else format_time(float(value))


def _parameter(key: str, value: Any) -> str:
    """What a network was told, by the name of its field: `L_ns` is a time named L."""
    unit = next((unit for unit in _SHOWN if key.endswith(unit)), None)
    if unit is None or not isinstance(value, int | float):
        return f"{key} = {value}"
    return f"{key.removesuffix(unit)} = {_SHOWN[unit](value)}"


def known_of(analysis: Analysis) -> Known:
    """What an analysis says."""
    return kept_as(Known, analysis)


def read_known(path: Path) -> Known:
    """The same from its JSON. InputError when the file is no such result."""
    found = read_as(Known, path)
    source = msgspec.structs.replace(found.provenance, input=str(path))
    return msgspec.structs.replace(found, provenance=source)
