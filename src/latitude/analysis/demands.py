"""Demands on a program: its tolerances, its efficiencies, and runtimes no worse than before."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from latitude._core import InputError
from latitude.analysis.changes import Change, Changes
from latitude.analysis.over_runs import runs_of
from latitude.model.theta import NAMED, OFFERED
from latitude.results.analysis import Analysis
from latitude.results.check import Verdict
from latitude.results.over_runs import Spread
from latitude.sections.efficiency.result import FRACTIONS
from latitude.units.quantities import (
    format_change,
    format_per_byte,
    format_share,
    format_size,
    format_time,
    parse_fraction,
    parse_per_byte,
    parse_time,
    signed,
)

_MOST_NAMED = 3
_TOLERANCE = re.compile(r"\s*(\S.*?)\s+at\s+(\S+)\s*")
_EFFICIENCY = re.compile(
    r"\s*([a-z_]+)(?:\s+efficiency)?\s*(?:>=|≥)\s*(\S+)(?:\s+at\s+(\S+?)\s*=\s*(\S.*?))?\s*"
)


_SHOWN: dict[str, Callable[[Any], str]] = {
    "_ns_per_byte": format_per_byte,
    "_ns": format_time,
    "_bytes": format_size,
}
"""Formats of fields, by the ending of their names; results show the name without this ending."""
_SAME = (
    "L_ns", "o_ns", "g_ns", "O_ns_per_byte", "G_ns_per_byte", "S_bytes", "S_isend_bytes",
    "rendezvous", "gap", "compute_scale", "topology", "mapping", "collectives",
    "reduce_ns_per_byte", "async_progress",
)  # fmt: skip
"""Assumptions that must be equal when two results are compared."""


def _parts(pattern: re.Pattern[str], text: str, example: str) -> tuple[Any, ...]:
    """The parts of a demand. InputError: the demand has another form."""
    found = pattern.fullmatch(text)
    if found is None:
        raise InputError(f"'{text}' is not a demand; write e.g. '{example}'")
    return found.groups()


@dataclass(frozen=True, slots=True)
class ToleranceDemand:
    """A demand on tolerance: this much extra θ slows the program by at most this share."""

    text: str
    extra: float
    degradation: float

    @classmethod
    def parse(cls, text: str) -> "ToleranceDemand":
        """Parses `5us at 1%`."""
        example = "5us at 1%"
        extra, share = _parts(_TOLERANCE, text, example)
        return cls(
            text.strip(),
            parse_time(extra, "tolerance", example),
            parse_fraction(share, "tolerance", example),
        )

    def verdict(self, known: Analysis) -> Verdict:
        """Whether the demand holds."""
        delta = known.tolerated(self.degradation)
        extra = "any" if math.isinf(delta) else format_time(delta)
        return Verdict(
            name="tolerance",
            demand=f"{format_time(self.extra)} of extra {known.theta.meaning} at "
            f"{format_share(self.degradation)} slower",
            found=f"{extra} at {format_share(self.degradation)} slower",
            holds=delta >= self.extra,
            where=None,
        )


@dataclass(frozen=True, slots=True)
class EfficiencyDemand:
    """A demand on an efficiency: a least value at some θ."""

    text: str
    name: str
    least: float
    theta: str | None
    value: float | None

    @classmethod
    def parse(cls, text: str) -> "EfficiencyDemand":
        """Parses `transfer >= 0.95 at L=10us`; without `at`, θ is at the baseline."""
        example = "transfer >= 0.95 at L=10us"
        name, least, theta, value = _parts(_EFFICIENCY, text, example)
        if name not in FRACTIONS:
            raise InputError(f"unknown efficiency '{name}'; use one of {', '.join(FRACTIONS)}")
        if theta is not None and not re.fullmatch(NAMED, theta):
            raise InputError(f"unknown parameter '{theta}'; use one of {OFFERED}")
        parse = parse_per_byte if (theta or "").startswith("G") else parse_time
        at = None if value is None else parse(value, "efficiency", example)
        share = parse_fraction(least, "efficiency", "0.95")
        if share > 1:
            raise InputError(f"'{text}': no efficiency is above 1; write e.g. '{example}'")
        return cls(text.strip(), name, share, theta, at)

    def verdict(self, known: Analysis) -> Verdict:
        """Whether the demand holds. InputError: the result varies another parameter."""
        if self.theta is not None and self.theta != known.theta.name:
            raise InputError(
                f"'{self.text}': the result varies {known.theta.name}, not {self.theta}; give the "
                f"trace, or analyse it with --sweep {self.theta}"
            )
        found = efficiency_at(known, self.name, self.value)
        return Verdict(
            name=self.name,
            demand=self.text,
            found=f"{found:.4g}",
            holds=found >= self.least,
            where=None,
        )


Demand = ToleranceDemand | EfficiencyDemand


def efficiency_at(known: Analysis, name: str, value: float | None) -> float:
    """An efficiency at a value of θ; None is the baseline.

    InputError: the efficiency is not known.
    """
    if known.efficiency is None:
        raise InputError(
            f"{known.provenance.input}: this result has no efficiencies; analyse the run without "
            "--without efficiency and --no-path"
        )
    runtime = known.T_ns if value is None else known.runtime_at(value)
    return float(getattr(known.efficiency.at(runtime), name))


def _comparable(known: Analysis, other: Analysis) -> None:
    """Raises InputError if two results cannot be compared."""
    name, own = other.provenance.input, known.provenance.input
    if known.trace.ranks != other.trace.ranks:
        raise InputError(
            f"{name}: has {other.trace.ranks} ranks, and {own} {known.trace.ranks}; compare runs "
            "of one size"
        )
    for key in _SAME:
        theirs, ours = getattr(other.model, key), getattr(known.model, key)
        if theirs != ours:
            raise InputError(
                f"{name}: was analysed with {_parameter(key, theirs)}, and {own} with "
                f"{_parameter(key, ours)}; analyse both with the same options"
            )
    if known.theta.name != other.theta.name:
        raise InputError(
            f"{name}: varies {other.theta.name}, and {own} {known.theta.name}; analyse both with "
            "one --sweep"
        )


def _parameter(key: str, value: Any) -> str:
    """A network's parameter as text, named after its field: `L_ns` is a time named L."""
    unit = next((unit for unit in _SHOWN if key.endswith(unit)), None)
    if unit is None or not isinstance(value, int | float):
        return f"{key} = {value}"
    return f"{key.removesuffix(unit)} = {_SHOWN[unit](value)}"


def no_worse(known: Analysis, old: Analysis, margin: float | None = None) -> list[Verdict]:
    """Whether a program is as fast and as tolerant as before.

    Runtime, tolerances and the computation of each function may be worse by `margin`, plus the
    spread of runs if both sides have enough runs. Computation belongs to the function that makes
    the next MPI call. InputError: the two results cannot be compared.
    """
    _comparable(known, old)
    known.stated_waits()
    old.stated_waits()
    changes = Changes.of(old, known, margin)
    return [
        _runtime(changes),
        *_tolerances(known, old, changes.runtime.margin),
        *_functions(changes),
    ]


def _relative(change: Change) -> str:
    """Relative change, and the spread of runs, as in `+1.02%; runs 9.9 ms to 10.1 ms`."""
    new, old = change.after.median, change.before.median
    grown = format_change(new / old - 1) if old else "from nothing" if new else "as before"
    if not change.told:
        return grown
    return f"{grown}; runs: {_range(change.after)}, before: {_range(change.before)}"


def _range(spread: Spread) -> str:
    return f"{format_time(spread.low)} to {format_time(spread.high)}"


def _allowed(change: Change) -> str:
    """The limit of a change."""
    beyond = " beyond the spread of runs" if change.told else ""
    return (
        f"at most {format_share(change.margin)} over {format_time(change.before.median, 5)}{beyond}"
    )


def _runtime(changes: Changes) -> Verdict:
    change = changes.runtime
    found, where = f"{format_time(change.after.median, 5)} ({_relative(change)})", None
    if change.grew:
        slower = changes.slower[:_MOST_NAMED]
        where = slower[0].name if slower else None
        more = ", ".join(f"{each.name} +{format_time(each.ns)}" for each in slower)
        found += (
            f"; computation of all ranks grew before MPI in {more}"
            if more
            else "; no function computes longer: it is communication, or computation moved"
        )
    return Verdict(
        name="runtime", demand=_allowed(change), found=found, holds=not change.grew, where=where
    )


def _tolerances(known: Analysis, old: Analysis, margin: float) -> list[Verdict]:
    """Verdicts on the tolerances at the old result's degradations."""
    verdicts = []
    for each in old.tolerance:
        if math.isinf(each.degradation):
            continue
        change = Change(
            _tolerated(old, each.degradation), _tolerated(known, each.degradation), margin
        )
        at = f"at {format_share(each.degradation)} slower"
        was, delta = (
            "any" if math.isinf(spread.median) else format_time(spread.median)
            for spread in (change.before, change.after)
        )
        verdicts.append(
            Verdict(
                name="tolerance",
                demand=f"at most {format_share(margin)} under {was} {at}",
                found=f"{delta} {at}",
                holds=not change.shrank,
                where=None,
            )
        )
    return verdicts


def _tolerated(of: Analysis, degradation: float) -> Spread:
    """Tolerated extra θ at this degradation, for each run that has an answer."""
    for limit, spread in zip(of.tolerance, runs_of(of).delta, strict=True):
        if math.isclose(limit.degradation, degradation):
            return spread
    return Spread.of([of.tolerated(degradation)])


def _functions(changes: Changes) -> list[Verdict]:
    """A verdict per function that computes longer than before, or else one verdict for all."""
    slower = [
        Verdict(
            name="computation",
            demand=f"{each.name}: {_allowed(each)}",
            found=f"{format_time(each.after.median, 5)} ({_relative(each)})",
            holds=False,
            where=each.name,
        )
        for each in changes.slower
    ]
    moved = ", ".join(f"{each.name} {signed(each.ns, 3)}" for each in changes.moved)
    return slower or [
        Verdict(
            name="computation",
            demand=f"each function at most {format_share(changes.runtime.margin)} over what it was",
            found=f"computation moved, and did not grow: {moved}"
            if moved
            else "none computes longer",
            holds=True,
            where=None,
        )
    ]


def verdicts(
    known: Analysis,
    demands: Sequence[Demand],
    old: Analysis | None,
    margin: float | None = None,
) -> list[Verdict]:
    """Verdicts on all demands, in order, then on the comparison with an earlier result.

    InputError: the program takes no time, so that it would meet any demand.
    """
    if known.baseline.T_ns == 0:
        raise InputError(
            f"{known.provenance.input}: takes no time, so every demand would hold; give the trace "
            "of a run that computes or sends"
        )
    compared = [] if old is None else no_worse(known, old, margin)
    return [*(demand.verdict(known) for demand in demands), *compared]
