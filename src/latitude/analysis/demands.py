"""Demands on a program: what it tolerates, how efficient it is, and no slower than before."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from latitude._core import InputError
from latitude.model.theta import NAMED, OFFERED
from latitude.results.analysis import Analysis
from latitude.results.check import Verdict
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
)

MARGIN = 0.005
"""By which share a run may be slower than the one before."""
_OF_NOTE = 0.01
"""Functions with less of all computation than this are noise."""
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
"""How a field that ends so is shown, without that ending."""
_SAME = (
    "L_ns", "o_ns", "g_ns", "O_ns_per_byte", "G_ns_per_byte", "S_bytes", "S_isend_bytes",
    "rendezvous", "gap", "compute_scale", "topology", "mapping", "collectives",
    "reduce_ns_per_byte", "async_progress",
)  # fmt: skip
"""What two results must have been told alike to be compared."""


def _parts(pattern: re.Pattern[str], text: str, example: str) -> tuple[Any, ...]:
    """What a demand is made of. InputError when it has another form."""
    found = pattern.fullmatch(text)
    if found is None:
        raise InputError(f"'{text}' is no demand; write e.g. '{example}'")
    return found.groups()


@dataclass(frozen=True, slots=True)
class ToleranceDemand:
    """So much extra θ must not make the program slower than by a share."""

    text: str
    extra: float
    degradation: float

    @classmethod
    def parse(cls, text: str) -> "ToleranceDemand":
        """`5us at 1%`."""
        example = "5us at 1%"
        extra, share = _parts(_TOLERANCE, text, example)
        return cls(
            text.strip(),
            parse_time(extra, "tolerance", example),
            parse_fraction(share, "tolerance", example),
        )

    def verdict(self, known: Analysis) -> Verdict:
        """Whether it holds."""
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
    """An efficiency must be at least so much, at a value of θ."""

    text: str
    name: str
    least: float
    theta: str | None
    value: float | None

    @classmethod
    def parse(cls, text: str) -> "EfficiencyDemand":
        """`transfer >= 0.95 at L=10us`, or without a place, at the baseline."""
        example = "transfer >= 0.95 at L=10us"
        name, least, theta, value = _parts(_EFFICIENCY, text, example)
        if name not in FRACTIONS:
            raise InputError(f"there is no efficiency '{name}'; use one of {', '.join(FRACTIONS)}")
        if theta is not None and not re.fullmatch(NAMED, theta):
            raise InputError(f"there is no parameter '{theta}'; use one of {OFFERED}")
        parse = parse_per_byte if (theta or "").startswith("G") else parse_time
        at = None if value is None else parse(value, "efficiency", example)
        share = parse_fraction(least, "efficiency", "0.95")
        if share > 1:
            raise InputError(f"'{text}': no efficiency is above 1; write e.g. '{example}'")
        return cls(text.strip(), name, share, theta, at)

    def verdict(self, known: Analysis) -> Verdict:
        """Whether it holds. InputError where the result varies another parameter."""
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
    """An efficiency at a value of θ; None: at the baseline. InputError: not known."""
    if known.efficiency is None:
        raise InputError(
            f"{known.provenance.input}: this result has no efficiencies; analyse the run without "
            "--without efficiency and --no-path"
        )
    runtime = known.T_ns if value is None else known.runtime_at(value)
    return float(getattr(known.efficiency.at(runtime), name))


def _computation(known: Analysis) -> dict[str, float]:
    """By function: what all ranks compute just before its calls of MPI, ns.

    By line where no function is known, by MPI call where no line is.
    """
    function = {site.where: site.function for site in known.by_call_site}
    total: dict[str, float] = {}
    for _, call, where, _, _, what, ns in known.stated_waits().times.rows():
        if what == "computation":
            place = function.get(where or "") or where or call or "the end"
            total[place] = total.get(place, 0.0) + ns
    return total


def _comparable(known: Analysis, other: Analysis) -> None:
    """InputError where two results say nothing of each other."""
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
                f"{_parameter(key, ours)}; analyse both alike"
            )
    if known.theta.name != other.theta.name:
        raise InputError(
            f"{name}: varies {other.theta.name}, and {own} {known.theta.name}; analyse both with "
            "one --sweep"
        )


def _parameter(key: str, value: Any) -> str:
    """What a network was told, by the name of its field: `L_ns` is a time named L."""
    unit = next((unit for unit in _SHOWN if key.endswith(unit)), None)
    if unit is None or not isinstance(value, int | float):
        return f"{key} = {value}"
    return f"{key.removesuffix(unit)} = {_SHOWN[unit](value)}"


def no_worse(known: Analysis, old: Analysis, margin: float) -> list[Verdict]:
    """Whether a program is as fast and as tolerant as before.

    Runtime, tolerances, and what each function computes may be worse by the share `margin`. What is
    computed belongs to the function that makes the next call of MPI. InputError where the two
    cannot be compared.
    """
    _comparable(known, old)
    return [
        _runtime(known, old, margin),
        *_tolerances(known, old, margin),
        *_functions(known, old, margin),
    ]


def _change(new: float, old: float) -> str:
    """By how much it grew: `+1.02%`."""
    if not old:
        return "from nothing" if new else "as before"
    return format_change(new / old - 1)


def _grown(known: Analysis, old: Analysis) -> list[tuple[float, str]]:
    """How much longer each function computes, the most first."""
    before = _computation(old)
    growth = [(ns - before.get(name, 0.0), name) for name, ns in _computation(known).items()]
    return sorted(((ns, name) for ns, name in growth if ns > 0), reverse=True)


def _runtime(known: Analysis, old: Analysis, margin: float) -> Verdict:
    new, was = known.baseline.T_ns, old.baseline.T_ns
    holds = new <= was * (1 + margin)
    found, where = f"{format_time(new, 5)} ({_change(new, was)})", None
    if not holds:
        grown = _grown(known, old)[:_MOST_NAMED]
        where = grown[0][1] if grown else None
        more = ", ".join(f"{name} +{format_time(ns)}" for ns, name in grown)
        found += (
            f"; computation of all ranks grew before MPI in {more}"
            if more
            else "; no function computes longer: it is communication"
        )
    return Verdict(
        name="runtime",
        demand=f"at most {format_share(margin)} over {format_time(was, 5)}",
        found=found,
        holds=holds,
        where=where,
    )


def _tolerances(known: Analysis, old: Analysis, margin: float) -> list[Verdict]:
    """Of the degradations that the old result has."""
    verdicts = []
    for each in old.tolerance:
        if math.isinf(each.degradation):
            continue
        was, delta = old.tolerated(each.degradation), known.tolerated(each.degradation)
        at = f"at {format_share(each.degradation)} slower"
        text = "any" if math.isinf(was) else format_time(was)
        found = "any" if math.isinf(delta) else format_time(delta)
        verdicts.append(
            Verdict(
                name="tolerance",
                demand=f"at most {format_share(margin)} under {text} {at}",
                found=f"{found} {at}",
                holds=delta >= was * (1 - margin),
                where=None,
            )
        )
    return verdicts


def _functions(known: Analysis, old: Analysis, margin: float) -> list[Verdict]:
    """Functions that compute longer than before; one verdict for all if there are none."""
    before, total = _computation(old), sum(_computation(old).values())
    slower = [
        Verdict(
            name="computation",
            demand=f"{name}: at most {format_share(margin)} over "
            f"{format_time(before.get(name, 0.0), 5)}",
            found=f"{format_time(before.get(name, 0.0) + more, 5)} "
            f"({_change(before.get(name, 0.0) + more, before.get(name, 0.0))})",
            holds=False,
            where=name,
        )
        for more, name in _grown(known, old)
        if more > margin * before.get(name, 0.0) and before.get(name, 0.0) + more > _OF_NOTE * total
    ]
    return slower or [
        Verdict(
            name="computation",
            demand=f"each function at most {format_share(margin)} over what it was",
            found="none computes longer",
            holds=True,
            where=None,
        )
    ]


def verdicts(
    known: Analysis, demands: Sequence[Demand], old: Analysis | None, margin: float = MARGIN
) -> list[Verdict]:
    """All demands, in order, and those that compare with an earlier result.

    InputError of a program that takes no time: it would pass whatever it was meant to be.
    """
    if known.baseline.T_ns == 0:
        raise InputError(
            f"{known.provenance.input}: takes no time, so that nothing can be asked of it; give "
            "the trace of a run that computes or sends"
        )
    compared = [] if old is None else no_worse(known, old, margin)
    return [*(demand.verdict(known) for demand in demands), *compared]
