"""Predictions for a program, from one trace or several, and their uncertainty.

No function of this module gets measured times. Times are ns.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.cpu_order import in_order
from latitude.model.links import NOTHING_ADDED, AddedLatency
from latitude.model.network import Network
from latitude.model.theta import theta_of
from latitude.statistics.combined_intervals import KnownError, combined_intervals
from latitude.trace.program import Program

_POINTS = 101


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of a prediction."""

    offsets: Sequence[float] | Floats
    """Differences of θ from its value in the network, in its unit, at which to compute T and λ."""
    tolerance: Sequence[float]
    """Degradations, rising."""
    curve: Floats
    """Offsets of θ, for a plot."""
    theta: str = "L"
    """Name of the varied parameter."""
    added: AddedLatency = NOTHING_ADDED
    """Latency added to messages throughout; θ = L varies only the links of these messages."""

    @classmethod
    def up_to(
        cls,
        end: float,
        offsets: Sequence[float] | Floats,
        tolerance: Sequence[float],
        added: AddedLatency,
    ) -> "Asked":
        """Questions about L, with a curve from 0 to `end`."""
        return cls(offsets, tolerance, np.linspace(0.0, end, _POINTS), added=added)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of one trace on one network."""

    T_ns: Floats
    """T at each offset."""
    slope: Floats
    """λ = dT/dθ at each offset, towards higher θ."""
    curve_T_ns: Floats
    tolerated: Floats
    """Extra θ at which T has grown by each degradation; infinite if no θ does."""

    def joined(self) -> Floats:
        """All numbers in one array."""
        return np.concatenate([getattr(self, each.name) for each in fields(self)])

    def parted(self, numbers: Floats) -> "Answers":
        """The inverse of `joined`, for numbers of answers with the lengths of these answers."""
        sizes = [getattr(self, each.name).size for each in fields(self)]
        return Answers(*np.split(numbers, np.cumsum(sizes)[:-1]))


@dataclass(frozen=True, slots=True)
class RunError:
    """Standard error of the traces' median T, from the differences between runs of the program."""

    ns: float
    """Standard error, the same at all latencies, because computing does not depend on latency."""
    degrees: int
    """Degrees of freedom of the spread of the runs."""

    def of(self, answers: Answers) -> KnownError:
        """The errors of these answers, with NaN for λ and tolerances."""
        told = {"T_ns": self.ns, "curve_T_ns": self.ns}
        parts = [
            np.full(getattr(answers, f.name).size, told.get(f.name, np.nan))
            for f in fields(answers)
        ]
        return KnownError(np.concatenate(parts), self.degrees)


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """The prediction of several traces: medians of all numbers, and their intervals."""

    answers: Answers
    low: Answers
    high: Answers
    """Upper ends of the 90 % intervals (`low` has the lower ends); NaN if no uncertainty is known.
    """
    range_ns: tuple[Floats, Floats]
    """Least and greatest T of the traces, at each offset."""


def answers(program: Program, network: Network, asked: Asked) -> Answers:
    """T, λ and tolerances of a program. InputError: its network has no such θ."""
    placed = network.placed_as(program.path)
    program = in_order(program, placed)
    links = placed.links(program.ranks).later(asked.added)
    return answers_of(_core.Model(program.graph, placed.core_of(links)), placed, asked)


def answers_of(model: _core.Model, network: Network, asked: Asked) -> Answers:
    """T, λ and tolerances of a compiled program on `network`, which has placed ranks."""
    links = network.links(model.graph.ranks).later(asked.added)
    theta = theta_of(asked.theta, network, links, inside=asked.added.inside)
    dag = theta.along(model)
    T, slope = dag.tangents(theta.base + np.asarray(asked.offsets, dtype=np.float64))
    start = dag.runtime_at(theta.base)
    limits = start * (1 + np.asarray(asked.tolerance, dtype=np.float64))
    return Answers(
        T_ns=T,
        slope=slope,
        # On another draw of the network θ's base may be smaller, so the curve could begin below 0.
        curve_T_ns=dag.runtime(np.maximum(theta.base + asked.curve, 0.0)),
        tolerated=(dag.tolerance(limits, theta.base) if limits.size else limits) - theta.base,
    )


def _as_it_is(program: Program, _: Network) -> Program:
    return program


def prediction_of(
    programs: Sequence[Program],
    network: Network,
    asked: Asked,
    prepared: Callable[[Program, Network], Program] = _as_it_is,
    known: RunError | None = None,
) -> Prediction:
    """The common prediction of traces of one program.

    Intervals contain the differences between traces, if there are several. They also contain the
    changes of the first trace's answers over the network's draws, if its file has draws. `prepared`
    turns a trace and the assumed network of its run into the program to predict. `known` is the
    standard error of T, if the caller knows it from more runs than the traces. InputError: the
    traces have different numbers of ranks.
    """
    if len({program.ranks for program in programs}) > 1:
        raise InputError("the traces have different numbers of ranks; remove their directory")
    each = [answers(prepared(program, network), network, asked) for program in programs]
    changed = [answers(prepared(programs[0], other), other, asked) for other in network.varied()]
    return together(each, changed, known)


def together(
    traces: Sequence[Answers], changed: Sequence[Answers], known: RunError | None = None
) -> Prediction:
    """Medians over traces, with intervals; `changed` has the first trace on other networks."""
    first = traces[0]
    values = np.stack([each.joined() for each in traces])
    deviations = np.stack(list(_deviations(first, changed))) if changed else values[:0]
    error = None if known is None else known.of(first)
    low, high = combined_intervals(values, deviations, known=error)
    runtimes = [each.T_ns for each in traces]
    return Prediction(
        answers=first.parted(np.median(values, axis=0)),
        low=first.parted(np.maximum(low, 0.0)),
        high=first.parted(high),
        range_ns=(np.min(runtimes, axis=0), np.max(runtimes, axis=0)),
    )


def _deviations(first: Answers, changed: Sequence[Answers]) -> Iterator[Floats]:
    start = first.joined()
    for each in changed:
        with np.errstate(invalid="ignore"):  # both infinite: no deviation
            yield np.nan_to_num(each.joined() - start, nan=0.0, posinf=np.inf, neginf=-np.inf)


def not_known(traces: int, network: Network) -> list[str]:
    """Uncertainties that intervals do not contain, in words."""
    found = []
    if traces == 1:
        found.append("how much computation differs from run to run: there is one trace")
    defaults = network.defaults()
    given = [name for name in ("L", "o", "G") if name not in (*defaults, *network.draws)]
    if network.topology is not None:
        given = [name for name in given if name != "L"]
    if defaults:
        found.append(f"the network: {', '.join(defaults)} are defaults, not measured")
    if given:
        found.append(f"how exact {', '.join(given)} are: they were given without intervals")
    return found
