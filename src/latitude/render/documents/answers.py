"""The answers of an analysis: its headline, T, λ and ρ at the baseline, tolerances."""

import math
from collections.abc import Callable

from latitude.model.theta import VariedParameter
from latitude.render.charts import theme
from latitude.render.document import Card, Cell, Content, Table, strong
from latitude.render.documents.analysis_charts import slower
from latitude.results.analysis import Analysis
from latitude.results.answer import Bounds, Tolerance
from latitude.results.over_runs import Spread
from latitude.units.quantities import counted, format_count, format_share, format_size, format_time

METHOD = (
    "Method: T(L) of an MPI execution graph is convex and piecewise linear; its slope λ counts the "
    "latencies on the critical path. Shen et al., “LLAMP: Assessing Network Latency Tolerance of "
    "HPC Applications with Linear Programming”, SC’24. Computed exactly, without a linear program, "
    "by Latitude."
)


def headline(analysis: Analysis) -> str:
    """The answer in one sentence."""
    if not analysis.tolerance:
        return f"This program runs {format_time(analysis.T_ns)} on this network."
    first, *rest = analysis.tolerance
    theta = analysis.theta
    if math.isinf(first.delta):
        return _unbounded(analysis)
    told = _tolerated(analysis)
    parts = [
        (
            f"This program tolerates {told[0]} of extra {theta.meaning} before it runs "
            f"{slower(first)} slower"
        )
    ]
    parts += [
        f"{text} before {slower(t)}"
        for text, t in zip(told[1:], rest, strict=True)
        if math.isfinite(t.delta)
    ]
    text = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + ", and " + parts[-1]
    never = [slower(t) for t in rest if math.isinf(t.delta)]
    return text + (f"; it never becomes {never[0]} slower." if never else ".")


def _tolerated(analysis: Analysis) -> list[str]:
    """The extra θ of each tolerance; for several runs the range."""
    theta, over = analysis.theta, analysis.over_runs
    if over is None:
        return [theta.difference(each.delta, 3) for each in analysis.tolerance]

    def text(delta: float) -> str:
        return "unlimited" if math.isinf(delta) else theta.difference(delta, 3)

    return [between(spread, text) for spread in over.delta]


def between(spread: Spread, text: Callable[[float], str]) -> str:
    """The range of a value over several runs: `0.5 to 0.6 µs`."""
    low, high = text(spread.low), text(spread.high)
    if low == high:
        return low
    number, _, unit = low.rpartition(" ")
    return f"{number if number and high.endswith(f' {unit}') else low} to {high}"


def line_to_change(analysis: Analysis) -> str:
    """The source line that receives most of the path's latencies; empty if not known."""
    shares = analysis.by_call_site
    total = sum(share.lambda_L for share in shares)
    if not total or shares[0].line is None:
        return ""
    top = shares[0]
    return (
        f" The line with most latency: {next(iter(top.calls), '')}, {top.where} "
        f"({format_share(top.lambda_L / total)})."
    )


_LEFT_OUT = {
    "incomplete": "What was kept of this trace",
    "unsupported-skipped": "What is left of this program without the calls that were skipped",
}
"""Warnings about incomplete programs, and words for the analysed part."""


def _unbounded(analysis: Analysis) -> str:
    """The reason why no θ makes the program slower, in words."""
    theta, model = analysis.theta, analysis.model
    if not analysis.graph.messages:
        for notice in analysis.warnings:
            if notice.code in _LEFT_OUT:
                return f"{_LEFT_OUT[notice.code]} sends no messages: it says nothing of latency."
        return "This program sends no messages: network latency cannot slow it down."
    if ":" in theta.name:  # the parameter of a link rule
        which = theta.meaning.removeprefix("latency ").removeprefix("time per byte ")
        if theta.unit == "ns/B":
            why = f"No message {which} holds more than one byte"
        else:
            why = f"This program sends no message {which}"
        return f"{why}: {theta.meaning} cannot slow it down."
    placed = model.mapping is not None
    ends = "nodes" if placed else "ranks"
    if placed and not sum(link.rank_pairs for link in model.classes if link.between):
        why = f"All {counted(analysis.trace.ranks, 'rank')} share one node"
    elif theta.unit == "ns/B":
        why = f"No message between {ends} holds more than one byte"
    else:
        why = f"This program sends no message between {ends}"
    return f"{why}: {theta.meaning} between {ends} cannot slow it down."


def baseline_sentence(analysis: Analysis) -> str:
    """T, λ_L and ρ_L in one sentence, and λ of another varied parameter in a second sentence."""
    theta, baseline = analysis.theta, analysis.baseline
    at = f"At {theta.symbol} = {theta.text(theta.base)} it runs {format_time(analysis.T_ns)}"
    lambda_L, rho_L = baseline.lambda_L, baseline.rho_L
    if lambda_L is None or rho_L is None:
        return f"{at}. {slope_sentence(analysis)}"
    if lambda_L == 0:
        return f"{at}, and no message latency lies on its critical path (λ_L = 0)."
    several = not all(link.between for link in analysis.model.classes)
    between = " between nodes" if several else ""
    noun, verb = ("latency", "lies") if lambda_L == 1 else ("latencies", "lie")
    text = (
        f"{at}; {format_count(lambda_L)} message {noun}{between} {verb} one after another on "
        f"its critical path (λ_L), {format_share(rho_L)} of its runtime (ρ_L)."
    )
    if theta.name == "L":
        return text
    return f"{text} {slope_sentence(analysis)}"


def cost_sentences(analysis: Analysis) -> list[str]:
    """The costs of extra amounts of θ, and the part of the machine that has ranks."""
    theta, model = analysis.theta, analysis.model
    where = ranks_on_nodes(analysis.trace.ranks, model.nodes_used, model.nodes)
    return [
        f"+{theta.difference(each.delta)} of {theta.meaning} costs {format_share(each.share)} "
        f"({format_time(each.T_ns - analysis.T_ns, 3)}): {where}."
        for each in analysis.cost
    ]


def ranks_on_nodes(ranks: int, used: int | None, nodes: int | None) -> str:
    """The part of a machine with ranks: `8 ranks on 2 of 1,024 nodes`.

    `used` is None if all links are equal, and `nodes` is None without a topology.
    """
    where = counted(ranks, "rank")
    if used is None:
        return where
    if nodes is None:
        return f"{where} on {counted(used, 'node')}"
    return f"{where} on {used:,} of {nodes:,} nodes"


def critical_note(analysis: Analysis) -> str:
    """The number of listed breakpoints, and the interval of θ that the list covers."""
    theta, critical = analysis.theta, analysis.critical
    low, high = (theta.text(value) for value in (analysis.interval[0], critical.until))
    bends = theta.changes(critical.listed)
    if not critical.complete:
        bends = f"the first {bends}"
    return f"{bends} of {theta.symbol} between {low} and {high}"


def slope_sentence(analysis: Analysis) -> str:
    """A sentence on the cost of θ."""
    theta, slope = analysis.theta, format_count(analysis.sensitivity.slope)
    step = "ns per byte" if theta.unit == "ns/B" else "ns"
    return f"Each extra {step} of {theta.symbol} costs {slope} ns (λ_{theta.symbol})."


def facts(analysis: Analysis) -> list[str]:
    """Sentences on the program's size."""
    trace, graph = analysis.trace, analysis.graph
    calls = [] if trace.events is None else [counted(trace.events, "MPI call")]
    return [
        counted(trace.ranks, "rank"),
        *calls,
        counted(graph.vertices, "operation"),
        counted(graph.messages, "message"),
        f"{format_size(graph.bytes)} sent",
        trace.format,
        f"analysed {analysis.provenance.date[:10]}",
    ]


def cards(analysis: Analysis) -> list[Card]:
    """Cards with T, λ_L and ρ_L (or λ and ρ of θ), and the first tolerance."""
    theta, at = analysis.theta, f"at {analysis.theta.symbol} = "
    slope, share = analysis.baseline.lambda_L, analysis.baseline.rho_L
    counts, of = "latencies on the critical path", "latency"
    if slope is None or share is None:
        slope, share = theta.slope, theta.share
        counts, of = f"dT/d{theta.symbol}", theta.symbol
    found = [
        Card("runtime T", format_time(analysis.T_ns), at + theta.text(theta.base)),
        Card("sensitivity λ", format_count(slope), counts),
        Card(f"{of} share ρ", format_share(share), "of the runtime"),
    ]
    if analysis.tolerance:
        first = analysis.tolerance[0]
        value = "∞" if math.isinf(first.delta) else _extra(analysis, first)
        found.append(Card(f"{slower(first)} tolerance", value, f"extra {theta.meaning}"))
    return found


def _extra(analysis: Analysis, tolerance: Tolerance) -> str:
    """The tolerated growth of θ, or `unlimited`: `+12.3 µs`."""
    if math.isinf(tolerance.delta):
        return "unlimited"
    return f"+{analysis.theta.difference(tolerance.delta)}"


def tolerances(analysis: Analysis) -> Table:
    """The tolerances as a table, one row per limit."""
    theta = analysis.theta
    bounds = [] if analysis.intervals is None else analysis.intervals.tolerance
    known = {each.degradation: each.delta for each in bounds}
    rows: list[list[Content]] = []
    for index, tolerance in enumerate(analysis.tolerance):
        interval = [_interval(theta, known.get(tolerance.degradation))] if known else []
        rows.append(
            [
                Cell(f"{slower(tolerance)} slower", colour=theme.zone_colour(index)),
                strong(_extra(analysis, tolerance)),
                *interval,
                theta.text(tolerance.value) if math.isfinite(tolerance.value) else "any",
                format_time(tolerance.T_limit_ns, 5),
            ]
        )
    heads = ["90 % interval"] if known else []
    head = ("limit", f"extra {theta.meaning}", *heads, theta.symbol, "runtime T")
    return Table(head, rows, title="Tolerance", brief=len(rows))


def _interval(theta: VariedParameter, bounds: Bounds | None) -> str:
    """The interval of the tolerated Δθ."""
    if bounds is None or math.isinf(bounds.low):
        return "–"
    if math.isinf(bounds.high):
        return f"over +{theta.difference(bounds.low, 3)}"
    return f"+{theta.difference(bounds.low, 3)} to +{theta.difference(bounds.high, 3)}"
