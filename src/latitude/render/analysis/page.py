"""The page of an analysis: charts, tables, model and data in one file."""

import math
from string import Template

from latitude.render.analysis import tables
from latitude.render.analysis.charts.pairs import pair_charts
from latitude.render.analysis.charts.path import path_charts
from latitude.render.analysis.charts.ranks import ranks_chart
from latitude.render.analysis.charts.runtime import runtime_chart
from latitude.render.analysis.charts.sensitivity import sensitivity_chart
from latitude.render.analysis.charts.slack import slack_charts
from latitude.render.analysis.charts.split import split_chart
from latitude.render.charts.chart import Chart
from latitude.render.html import shell
from latitude.render.html.markup import escape
from latitude.render.words import (
    baseline_sentence,
    call_site_sentence,
    headline,
    near_sentence,
    program_name,
    slower,
    tolerance_value,
)
from latitude.results.analysis import Analysis
from latitude.results.analysis_data import (
    breakpoints_csv,
    call_sites_csv,
    curve_csv,
    slack_csv,
    to_json,
)
from latitude.units.quantities import counted, format_count, format_share, format_size, format_time

_PAIRED = 64
"""Up to so many ranks the two heat maps fit side by side."""
_HINT = "Traces made by <code>latitude trace</code> also say which lines of the program these are."
_SITES_NOTE = (
    "Lines of the program that call MPI, by the latency of the critical path. A message's way is "
    "charged to the line that posts its receive; “sent from” is where most of these messages come "
    "from. Of T: network and overhead as a share of the runtime. Before: what the path computes "
    "just before the call. Slack: extra latency that one message sent or received there can take "
    "alone. Colours are those of the path coloured by call site."
)
_METHOD = (
    "Method: T(L) of an MPI execution graph is convex and piecewise linear; its slope λ counts the "
    "latencies on the critical path. Shen et al., “LLAMP: Assessing Network Latency Tolerance of "
    "HPC Applications with Linear Programming”, SC’24. Computed exactly, without a linear program, "
    "by Latitude."
)


def render(analysis: Analysis) -> str:
    """The whole page as one HTML text that needs no network."""
    runtime, sensitivity = runtime_chart(analysis), sensitivity_chart(analysis)
    split, ranks = split_chart(analysis), ranks_chart(analysis)
    path = path_charts(analysis)
    messages = analysis.pairs.source.size > 0
    pairs = pair_charts(analysis) + slack_charts(analysis) if messages else []
    body = Template(shell.resource("latitude.render.analysis", "body.html")).substitute(
        runtime=shell.section(runtime, reading=False),
        tolerance=tables.tolerance_table(analysis),
        sensitivity=shell.section(sensitivity),
        split=shell.section(split),
        path="\n".join(shell.section(chart) for chart in path),
        near=_near(analysis),
        ranks=shell.section(ranks),
        pairs=_pairs(analysis, pairs),
        slack=_slack(analysis) if messages else "",
        call_sites=_call_sites(analysis),
        call_sites_hint="" if analysis.by_call_site else f" {_HINT}",
        calls=tables.call_table(analysis),
        calls_reading=escape(_calls_reading(analysis)),
        model=tables.model_table(analysis),
        assumed_links=escape(_assumed_links(analysis)),
        warnings=shell.notes(analysis.warnings),
    )
    return shell.render(
        shell.Shell(
            kind=f"{analysis.theta.meaning} tolerance",
            name=program_name(analysis),
            title="latency tolerance",
            facts=_facts(analysis),
            headline=headline(analysis),
            answer=[baseline_sentence(analysis)],
            cards=_cards(analysis),
            body=body,
            charts=[runtime, sensitivity, split, *path, ranks, *pairs],
            data=[
                shell.Data("analysis.json", to_json(analysis)),
                shell.Data("curve.csv", curve_csv(analysis)),
                shell.Data("breakpoints.csv", breakpoints_csv(analysis)),
                shell.Data("slack.csv", slack_csv(analysis)),
                *_call_site_data(analysis),
            ],
            provenance=shell.origin(analysis.provenance),
            method=_METHOD,
            warnings=analysis.warnings,
        )
    )


def _pairs(analysis: Analysis, charts: list[Chart]) -> str:
    kind = "pairs" if analysis.trace.ranks <= _PAIRED else ""
    return f"<div class='{kind}'>" + "\n".join(map(shell.section, charts)) + "</div>"


def _near(analysis: Analysis) -> str:
    """The paths that are next in line, where there are others than the critical one."""
    if len(analysis.near_paths) < 2:  # noqa: PLR2004 - one alone is the critical path
        return ""
    return (
        f"<section><h2>Next in line</h2><p class=reading>{escape(near_sentence(analysis))}</p>"
        f"<div class=wide>{tables.near_table(analysis)}</div><p class=note>The longest paths that "
        "differ in the messages they wait for; “other” and “without” compare them to the critical "
        "path's. Making the critical path faster gains no more than "
        "the distance to the next one; then that one is critical.</p></section>"
    )


def _slack(analysis: Analysis) -> str:
    """The table under the slack charts."""
    return (
        f"<div class=wide>{tables.slack_table(analysis)}</div><p class=note>By the call that "
        "posted the receive. Critical: without slack. Less than L: one more latency on this "
        "message alone delays the program. slack.csv has every pair.</p>"
    )


def _assumed_links(analysis: Analysis) -> str:
    """Who meets which latency."""
    theta = analysis.theta
    if len(analysis.links.classes) == 1:
        latency = "All messages meet the same L."
    else:
        latency = "A message meets the latency of its link; routes are the shortest."
    varied = f" What is varied is {theta.meaning}, {theta.symbol}." if theta.name != "L" else ""
    return f"{latency}{varied} Latency is constant; random latency is not part of this page."


def _facts(analysis: Analysis) -> list[str]:
    trace, graph = analysis.trace, analysis.graph
    facts = [counted(trace.ranks, "rank")]
    if trace.events is not None:
        facts.append(counted(trace.events, "MPI call"))
    return [
        *facts,
        counted(graph.messages, "message"),
        f"{format_size(graph.bytes)} sent",
        trace.format,
        f"analysed {analysis.provenance.date[:10]}",
    ]


def _cards(analysis: Analysis) -> list[shell.Card]:
    base, theta = analysis.baseline, analysis.theta
    cards = [
        ("runtime T", format_time(base.T_ns), f"at {theta.symbol} = {theta.text(theta.base)}"),
        ("sensitivity λ", format_count(base.lambda_L), "latencies on the critical path"),
        ("latency share ρ", format_share(base.rho_L), "of the runtime"),
    ]
    if analysis.tolerance:
        first = analysis.tolerance[0]
        value = "∞" if math.isinf(first.delta) else tolerance_value(analysis, first)
        cards.append((f"{slower(first)} tolerance", value, f"extra {theta.meaning}"))
    return cards


def _call_sites(analysis: Analysis) -> str:
    """The section on lines of the source, where they are known."""
    if not analysis.by_call_site:
        return ""
    shown, every = len(tables.shown_call_sites(analysis)), len(analysis.by_call_site)
    rest = f" {shown} of {every} call sites; call_sites.csv has all." if shown < every else ""
    return (
        "<section><h2>By call site</h2>"
        f"<p class=reading>{escape(call_site_sentence(analysis))}</p>"
        f"<div class=wide>{tables.call_site_table(analysis)}</div>"
        f"<p class=note>{_SITES_NOTE}{rest}</p></section>"
    )


def _call_site_data(analysis: Analysis) -> list[shell.Data]:
    if not analysis.by_call_site:
        return []
    return [shell.Data("call_sites.csv", call_sites_csv(analysis))]


def _calls_reading(analysis: Analysis) -> str:
    calls = [share for share in analysis.by_call if share.lambda_L > 0]
    if not calls:
        return "No call has a message on the critical path."
    top = max(calls, key=lambda share: share.lambda_L)
    total = sum(share.lambda_L for share in calls)
    return (
        f"{top.call} receives {format_share(top.lambda_L / total)} of the "
        f"{format_count(total)} latencies on the critical path."
    )
