"""Claims at the network as it is: what was assumed, T, its slopes and its parts."""

from fractions import Fraction

from latitude import _core
from latitude.analysis.verify.exact import Runtime
from latitude.analysis.verify.held import LAST_BITS, SUM, Held, rounding
from latitude.model.theta import Theta
from latitude.results.assumptions import Assumptions

_PARTS = {
    "calc_ns": ("computation",),
    "overhead_ns": ("overhead", "gap", "copied"),
    "latency_ns": ("latency",),
    "bandwidth_ns": ("byte",),
}
"""Of T, and whose prices they are."""
_COUNTED = {"lambda_G": "byte", "lambda_o": "overhead"}


def assumptions(held: Held) -> None:
    """What the result says was assumed is what its command says."""
    program = held.program
    assumed = Assumptions.of(held.network, program).plain()
    for name, exact in assumed.items():
        if name != "source":  # of words: where the file with the network lay
            held.ledger.same(
                f"model.{name}",
                held.stated.model.get(name),
                exact,
                reason="is not what the result's command says; see `latitude network` for "
                "the network that answers are for",
            )


def sizes(held: Held) -> None:
    """The graph's vertices, edges, messages and bytes."""
    graph, stated, same = held.program.graph, held.stated.graph, held.ledger.same
    sends = graph.kind == _core.Kind.send
    edges = int(graph.chained.sum()) + graph.dep_vertex.size + int(sends.sum())
    same("trace.ranks", held.stated.ranks, held.program.ranks)
    same("graph.vertices", stated.vertices, int(graph.kind.size))
    same("graph.edges", stated.edges, edges)
    same("graph.messages", stated.messages, int(sends.sum()))
    same("graph.bytes", stated.bytes, int(graph.value[sends].sum()))


def baseline(held: Held, latency: Theta, runtime: Runtime) -> None:
    """T, both slopes in L, and the share of latency."""
    stated, number = held.stated.baseline, held.ledger.number
    base = Fraction(latency.base)
    length = runtime.at(base)
    number("baseline.L_ns", stated.L_ns, base, 0, unit="ns")
    number("baseline.T_ns", stated.T_ns, length, held.allowed(runtime, base), unit="ns")
    held.slopes("baseline.lambda_L", runtime, base, stated.lambda_L_left, stated.lambda_L_right)
    number("baseline.lambda_L", stated.lambda_L, stated.lambda_L_right, 0)
    on_path = base * Fraction(stated.lambda_L_right)
    if len(held.links.classes) > 1:
        on_path = Fraction(stated.latency_ns)
    held.share("baseline.rho_L", stated.rho_L, on_path, length)


def parts(held: Held, length: Fraction) -> None:
    """T's parts, and what is counted, on one critical path: any of those that tie."""
    stated, prices, one = held.stated.baseline, held.graph.prices, Fraction(1)
    allowed = rounding(length)
    asked = [(name, prices.scaled(*own), "ns") for name, own in _PARTS.items()]
    asked += [(name, prices.counted(own), "") for name, own in _COUNTED.items()]
    for name, changed, unit in asked:
        value, runtime = Fraction(getattr(stated, name)), held.graph.with_prices(changed)
        left, right = runtime.slopes(one)
        exact = min(max(value, left), right)
        if abs(value - exact) > allowed:  # a path that ties but for rounding has so much
            near = value + (allowed if value < exact else -allowed)
            short = runtime.shortfall(one, near)
            exact = value if short is not None and short <= allowed else exact
        held.ledger.number(
            f"baseline.{name}",
            value,
            exact,
            allowed if unit else abs(exact) * LAST_BITS,
            unit=unit,
            reason="no critical path has so much of it",
        )
    whole = sum((Fraction(getattr(stated, name)) for name in _PARTS), Fraction(0))
    held.ledger.number(
        "baseline (sum of its parts)", whole, length, SUM * allowed, unit="ns",
        reason="the parts do not make up T",
    )  # fmt: skip


def sensitivity(held: Held, runtime: Runtime) -> None:
    """θ itself, both slopes in it, and its share of T."""
    stated, theta, same = held.stated.theta, held.theta, held.ledger.same
    same("theta.name", stated.name, theta.name)
    same("theta.meaning", stated.meaning, theta.meaning)
    same("theta.unit", stated.unit, theta.unit)
    held.ledger.number("theta.base", stated.base, held.base, 0, unit=theta.unit)
    held.slopes("theta.lambda", runtime, held.base, stated.slope_left, stated.slope_right)
    held.ledger.number("theta.lambda", stated.slope, stated.slope_right, 0)
    on_path = held.base * Fraction(stated.slope_right)
    held.share("theta.rho", stated.share, on_path, runtime.at(held.base))
