"""The summary on the terminal."""

from pathlib import Path

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from latitude.model.links import describe_links
from latitude.model.placement import Placement
from latitude.render.terminal import plain_table, print_end, results_console
from latitude.render.words import (
    baseline_sentence,
    call_site_name,
    headline,
    program_name,
    slower,
    tolerance_value,
)
from latitude.results.analysis import Analysis
from latitude.units.quantities import counted, format_count, format_share, format_time

_CALLS = 6
_SITES = 5
_PLACE = 42
_BAR = 30


def print_summary(analysis: Analysis, page: Path | None) -> None:
    """Prints what was found, to standard output; plain text when that is no terminal."""
    console = results_console()
    console.print(_what(analysis))
    console.print()
    console.print(Text(headline(analysis), style="bold"))
    console.print(baseline_sentence(analysis), markup=False)
    console.print()
    if analysis.tolerance:
        console.print(_tolerances(analysis))
    console.print(_split(analysis))
    if any(share.on_path for share in analysis.by_call_site):
        console.print(_call_sites(analysis))
    if analysis.by_call:
        console.print(_calls(analysis))
    console.print(_model(analysis))
    print_end(console, analysis.warnings, page)


def _what(analysis: Analysis) -> Text:
    trace, graph = analysis.trace, analysis.graph
    facts = [counted(trace.ranks, "rank")]
    if trace.events is not None:
        facts.append(counted(trace.events, "MPI call"))
    facts += [counted(graph.vertices, "operation"), counted(graph.messages, "message")]
    facts.append(trace.format)
    return Text.assemble((program_name(analysis), "bold"), "  ", (", ".join(facts), "dim"))


def _tolerances(analysis: Analysis) -> Padding:
    theta = analysis.theta
    table = plain_table(
        "Tolerance", "slower by", f"extra {theta.meaning}", theta.symbol, "runtime T"
    )
    for tolerance in analysis.tolerance:
        bounded = tolerance.value != float("inf")
        table.add_row(
            slower(tolerance),
            tolerance_value(analysis, tolerance),
            theta.text(tolerance.value) if bounded else "any",
            format_time(tolerance.T_limit_ns),
        )
    return Padding(table, (0, 0, 1, 0))


def _split(analysis: Analysis) -> Padding:
    base = analysis.baseline
    table = plain_table("Critical path", "", "time", "share")
    table.add_column("")
    parts = (
        ("computation", base.calc_ns),
        ("overhead o", base.overhead_ns),
        ("latency", base.latency_ns),
        ("bandwidth", base.bandwidth_ns),
    )
    for name, ns in parts:
        share = ns / base.T_ns if base.T_ns else 0.0
        table.add_row(name, format_time(ns), format_share(share), "█" * round(share * _BAR))
    found = analysis.breakpoints.value.size
    low, high = (analysis.theta.text(x) for x in analysis.interval)
    note = Text(
        f"{counted(found, 'critical value')} of {analysis.theta.symbol} between {low} and {high}",
        style="dim",
    )
    return Padding(Group(table, note), (0, 0, 1, 0))


def _calls(analysis: Analysis) -> Padding:
    table = plain_table("By call, on the critical path", "call", "overhead", "network", "latencies")
    for share in [c for c in analysis.by_call if c.overhead_ns + c.network_ns > 0][:_CALLS]:
        table.add_row(
            share.call,
            format_time(share.overhead_ns),
            format_time(share.network_ns),
            format_count(share.lambda_L),
        )
    return Padding(table, (0, 0, 1, 0))


def _call_sites(analysis: Analysis) -> Padding:
    total = sum(share.lambda_L for share in analysis.by_call_site) or 1.0
    table = plain_table("By call site, on the critical path", "line")
    table.columns[0].max_width = _PLACE
    table.add_column("call", no_wrap=True)
    for column in ("latencies", "of all", "share of T"):
        table.add_column(column, justify="right", no_wrap=True)
    for share in [s for s in analysis.by_call_site if s.on_path][:_SITES]:
        table.add_row(
            Text(call_site_name(share), no_wrap=True, overflow="ellipsis"),
            next(iter(share.calls), ""),
            format_count(share.lambda_L),
            format_share(share.lambda_L / total),
            format_share(share.share),
        )
    return Padding(table, (0, 0, 1, 0))


def _model(analysis: Analysis) -> Text:
    values = analysis.network.describe()
    defaults = analysis.network.defaults()
    stated = "  ".join(
        f"{name} = {value}{' (default)' if name in defaults else ''}"
        for name, value in values.items()
    )
    return Text(
        f"Model: {stated}\nLinks: {_links(analysis)}\nCollectives: {analysis.collectives}\n"
        f"Rendezvous: {analysis.network.rendezvous}",
        style="dim",
    )


def _links(analysis: Analysis) -> str:
    """Links, and where the ranks are."""
    links, network = analysis.links, analysis.network
    text = describe_links(network.topology, links)
    if links.node_of_rank is None:
        return text
    placement = (network.placement or Placement()).describe(analysis.trace.ranks)
    return f"{text}; {placement}"
