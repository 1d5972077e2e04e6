"""Claims of efficiencies, as the network makes them."""

from fractions import Fraction

import numpy as np

from latitude import _core
from latitude.analysis.efficiency import LEAST
from latitude.analysis.verify.exact import ExactGraph, Runtime
from latitude.analysis.verify.held import TIED, Held, rounding
from latitude.results.efficiency import FRACTIONS, OF_THETA, Fractions


def efficiency(held: Held, runtime: Runtime) -> None:
    """All fractions, their curve over θ, and where each falls below a value."""
    stated, ledger = held.stated.of_theta.efficiency, held.ledger
    work = computation_of(held.program.graph)
    scale = Fraction(held.network.compute_scale)
    mean, most = scale * sum(work) / len(work), scale * max(work)
    length = runtime.at(held.base)
    ideal = scale * _ideal(held)
    exact = Fractions.of(float(mean), float(most), float(length), float(ideal))
    ledger.same("efficiency.processors", stated.processors, len(work))
    for name in FRACTIONS:
        value = getattr(exact, name)
        allowed = max(abs(value), 1.0) * float(TIED)
        found = getattr(stated.predicted, name)
        ledger.number(f"efficiency.predicted.{name}", found, value, allowed)
    for name in ("T_ns", "T_ideal_ns", "useful_mean_ns", "useful_max_ns"):
        value = getattr(exact, name)
        allowed = rounding(Fraction(value))
        found = getattr(stated.predicted, name)
        ledger.number(f"efficiency.predicted.{name}", found, value, allowed, unit="ns")
    works = dict(zip(OF_THETA, (mean, most, ideal), strict=True))
    _efficiency_curve(held, works)
    _thresholds(held, runtime, works)


def _efficiency_curve(held: Held, works: dict[str, Fraction]) -> None:
    stated, curve = held.stated.of_theta.efficiency.curve, held.stated.of_theta.curve
    if not held.ledger.same("efficiency.curve (points)", len(stated), len(curve.value)):
        return
    for row, value, length in zip(stated, curve.value, curve.T_ns, strict=True):
        where = held.place(Fraction(value))
        held.ledger.number("efficiency.curve.value", row.value, value, 0, where=where)
        for name, work in works.items():
            exact = work / Fraction(length) if length > 0 else Fraction(1)
            allowed = max(exact, Fraction(1)) * TIED
            held.ledger.number(
                f"efficiency.curve.{name}", getattr(row, name), exact, allowed, where=where
            )


def _thresholds(held: Held, runtime: Runtime, works: dict[str, Fraction]) -> None:
    stated, ledger = held.stated.of_theta.efficiency.thresholds, held.ledger
    asked = [(name, least) for name in OF_THETA for least in LEAST]
    found = [(row.efficiency, row.least) for row in stated]
    if not ledger.same("efficiency.thresholds (rows)", found, asked):
        return
    length = runtime.at(held.base)
    for row in stated:
        name, where = "efficiency.thresholds", f"{row.efficiency} of {row.least:g}"
        limit = works[row.efficiency] / Fraction(row.least)
        if abs(limit - length) > held.allowed(runtime, held.base):
            ledger.same(f"{name}.reached", row.reached, limit >= length, where=where)
        held.last(name, where, row.value, row.delta, runtime, limit, Fraction(0))


def _ideal(held: Held) -> Fraction:
    """T where messages cost nothing, and hold nothing up."""
    graph = held.graph
    if held.core.gap != "none":
        core = held.core
        free = _core.Network(
            L=0.0,
            o=0.0,
            g=0.0,
            G=0.0,
            O=0.0,
            S=core.S,
            S_isend=core.S_isend,
            rendezvous=core.rendezvous,
            gap="none",
        )
        graph = ExactGraph(held.program.graph, free)
    return graph.with_prices(graph.prices.free()).at(Fraction(0))


def computation_of(graph: _core.Graph) -> list[Fraction]:
    """What each processor computes between calls, ns: ranks, and threads of ranks that compute."""
    rank = np.repeat(np.arange(graph.ranks), np.diff(graph.rank_begin).astype(np.int64))
    own = (graph.kind == _core.Kind.calc) & (graph.origin == _core.NO_ORIGIN)
    processor = rank.astype(np.int64) << 32 | graph.cpu
    total: dict[int, int] = {each << 32: 0 for each in range(graph.ranks)}
    numbers, inverse = np.unique(processor[own], return_inverse=True)
    sums = np.zeros(numbers.size, np.int64)
    np.add.at(sums, inverse, graph.value[own])
    for number, ns in zip(numbers.tolist(), sums.tolist(), strict=True):
        if ns > 0 or number in total:
            total[number] = ns
    return [Fraction(total[number]) for number in sorted(total)]
