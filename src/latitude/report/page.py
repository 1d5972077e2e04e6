"""Puts the page together: template, style, script, charts, tables, data."""

import json
import math
from collections.abc import Iterable
from importlib.resources import files
from string import Template
from typing import Any

from latitude.report import tables
from latitude.report.chart import Chart
from latitude.report.charts.pairs import lambda_chart, slack_chart
from latitude.report.charts.path import path_charts
from latitude.report.charts.ranks import ranks_chart
from latitude.report.charts.runtime import runtime_chart
from latitude.report.charts.sensitivity import sensitivity_chart
from latitude.report.charts.split import split_chart
from latitude.report.markup import attribute, escape
from latitude.results import Analysis
from latitude.serialise import breakpoints_csv, curve_csv, to_json
from latitude.units import counted, format_count, format_share, format_size, format_time
from latitude.words import baseline_sentence, headline, program_name, slower, tolerance_value

_PAIRED = 64
"""Up to so many ranks the two heat maps fit side by side."""


def render(analysis: Analysis) -> str:
    """The whole page as one HTML text that needs no network."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415 - slow to import

    runtime, sensitivity = runtime_chart(analysis), sensitivity_chart(analysis)
    split, ranks = split_chart(analysis), ranks_chart(analysis)
    path = path_charts(analysis)
    pairs = [lambda_chart(analysis), slack_chart(analysis)] if analysis.pairs.source.size else []
    charts = [runtime, sensitivity, split, *path, ranks, *pairs]
    name = program_name(analysis)
    return Template(_resource("page.html")).substitute(
        title=attribute(f"{name}: latency tolerance"),
        style=_resource("style.css"),
        name=escape(name),
        facts=_facts(analysis),
        headline=escape(headline(analysis)),
        baseline=escape(baseline_sentence(analysis)),
        cards=_cards(analysis),
        noted=_noted(analysis),
        warnings=_warnings(analysis),
        runtime=_section(runtime, reading=False),
        tolerance=tables.tolerance_table(analysis),
        sensitivity=_section(sensitivity),
        split=_section(split),
        path="\n".join(_section(chart) for chart in path),
        ranks=_section(ranks),
        pairs=_pairs(analysis, pairs),
        calls=tables.call_table(analysis),
        calls_reading=escape(_calls_reading(analysis)),
        model=tables.model_table(analysis),
        provenance=_provenance(analysis),
        analysis_json=_embedded(to_json(analysis)),
        curve_csv=curve_csv(analysis),
        breakpoints_csv=breakpoints_csv(analysis),
        file_name=attribute(name),
        figures=_embedded(_figures(charts)),
        plotly=get_plotlyjs(),
        script=_resource("page.js"),
    )


def _resource(name: str) -> str:
    return (files("latitude.report") / name).read_text(encoding="utf-8")


def _embedded(json_text: str) -> str:
    r"""JSON that may stand inside a script element: `<` only occurs in strings, as \u003c."""
    return json_text.replace("<", "\\u003c")


def _figures(charts: Iterable[Chart]) -> str:
    content: dict[str, Any] = {
        chart.id: {
            **chart.figure,
            "views": [{"label": view.label, "layout": view.layout} for view in chart.views],
        }
        for chart in charts
    }
    return json.dumps(content, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def _section(chart: Chart, *, reading: bool = True) -> str:
    """A chart with its words."""
    sentence = f"<p class=reading>{escape(chart.reading)}</p>" if reading else ""
    note = f"<p class=note>{escape(chart.note)}</p>" if chart.note else ""
    views = f'<div class=views data-for="{chart.id}"></div>' if len(chart.views) > 1 else ""
    return (
        f"<section><div class=title><h2>{escape(chart.title)}</h2>{views}</div>{sentence}"
        f'<div class=chart id="{chart.id}" role=img aria-label="{attribute(chart.reading)}" '
        f'style="height:{chart.height}px"></div>{note}</section>'
    )


def _pairs(analysis: Analysis, charts: list[Chart]) -> str:
    kind = "pairs" if analysis.trace.ranks <= _PAIRED else ""
    return f"<div class='{kind}'>" + "\n".join(_section(chart) for chart in charts) + "</div>"


def _facts(analysis: Analysis) -> str:
    trace, graph = analysis.trace, analysis.graph
    facts = [counted(trace.ranks, "rank")]
    if trace.events is not None:
        facts.append(counted(trace.events, "MPI call"))
    facts += [
        counted(graph.messages, "message"),
        f"{format_size(graph.bytes)} sent",
        escape(trace.format),
        f"analysed {analysis.provenance.date[:10]}",
    ]
    return " · ".join(facts)


def _cards(analysis: Analysis) -> str:
    base = analysis.baseline
    cards = [
        ("runtime T", format_time(base.T_ns), f"at L = {format_time(base.L_ns)}"),
        ("sensitivity λ", format_count(base.lambda_L), "latencies on the critical path"),
        ("latency share ρ", format_share(base.rho_L), "of the runtime"),
    ]
    if analysis.tolerance:
        first = analysis.tolerance[0]
        value = "∞" if math.isinf(first.delta_L_ns) else tolerance_value(first)
        cards.append((f"{slower(first)} tolerance", value, "extra latency"))
    return "".join(
        f"<div class=card><span>{label}</span><b>{value}</b><small>{unit}</small></div>"
        for label, value, unit in cards
    )


def _noted(analysis: Analysis) -> str:
    """A line at the top that leads to the warnings below."""
    count = len(analysis.warnings)
    if not count:
        return ""
    text = "1 note on this result" if count == 1 else f"{count} notes on this result"
    return f'<p class=noted><a href="#notes">{text}</a></p>'


def _warnings(analysis: Analysis) -> str:
    if not analysis.warnings:
        return ""
    items = "".join(
        f"<li><b>{escape(notice.message)}</b><br>{escape(notice.hint)}</li>"
        for notice in analysis.warnings
    )
    return f"<aside class=warnings id=notes><h3>Please note</h3><ul>{items}</ul></aside>"


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


def _provenance(analysis: Analysis) -> str:
    made = analysis.provenance
    rows = (
        ("command", f"<code>{escape(made.command)}</code>"),
        ("input", f"<code>{escape(made.input)}</code>"),
        ("SHA-256", f"<code>{made.input_sha256}</code>"),
        ("date, host", f"{escape(made.date)}, {escape(made.host)}"),
        ("Latitude", escape(made.version)),
    )
    return "".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in rows)
