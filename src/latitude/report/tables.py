"""Tables of the page, as HTML that needs no script."""

import math
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from latitude.callsites import CallSiteShare
from latitude.report import theme
from latitude.report.markup import attribute, escape
from latitude.results import Analysis
from latitude.units import format_count, format_share, format_time
from latitude.words import rendezvous_sentence, slower, tolerance_value

_CALL_SITES = 25
"""Rows of the table: more is for the CSV."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table; cells are HTML, all but the first column are numbers."""
    header = "".join(f"<th scope=col>{cell}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f'<table class="{kind}"><thead><tr>{header}</tr></thead><tbody>\n{body}</tbody></table>'


def tolerance_table(analysis: Analysis) -> str:
    """One row a limit."""
    rows = []
    for index, tolerance in enumerate(analysis.tolerance):
        swatch = f'<i class=swatch style="background:{theme.zone_colour(index)}"></i>'
        bounded = math.isfinite(tolerance.L_ns)
        rows.append(
            (
                f"{swatch}{slower(tolerance)} slower",
                f"<b>{tolerance_value(tolerance)}</b>",
                format_time(tolerance.L_ns) if bounded else "any",
                format_time(tolerance.T_limit_ns, 5),
            )
        )
    return table(("limit", "extra latency ΔL", "latency L", "runtime T"), rows)


def call_table(analysis: Analysis) -> str:
    """What each MPI call has on the critical path."""
    runtime = analysis.baseline.T_ns or 1.0
    rows = []
    for share in analysis.by_call:
        total = share.calc_ns + share.overhead_ns + share.network_ns
        if not total:
            continue
        rows.append(
            (
                f"<code>{escape(share.call)}</code>" if share.count else escape(share.call),
                f"{share.count:,}" if share.count is not None else "–",
                _bar(total / runtime),
                format_time(total),
                format_time(share.overhead_ns),
                format_time(share.network_ns),
                format_count(share.lambda_L),
            )
        )
    head = ("call", "calls", "share of T", "on the path", "overhead", "network", "latencies λ")
    return table(head, rows, "calls")


def call_site_table(analysis: Analysis) -> str:
    """Places in the source with most of the critical path's latency."""
    rows = [
        (
            _place(share),
            _function(share),
            _calls(share),
            _bar(share.share),
            format_time(share.before_ns),
            format_time(share.overhead_ns),
            format_time(share.network_ns),
            format_count(share.lambda_L),
            _slack(share.least_slack_ns),
        )
        for share in shown_call_sites(analysis)
    ]
    head = (
        "call site",
        "function",
        "calls",
        "share of T",
        "computation before",
        "overhead",
        "network",
        "latencies λ",
        "least slack",
    )
    return table(head, rows, "sites")


def shown_call_sites(analysis: Analysis) -> list[CallSiteShare]:
    """Those on the critical path that the page has room for."""
    return [share for share in analysis.by_call_site if share.path_vertices][:_CALL_SITES]


def _place(share: CallSiteShare) -> str:
    text = f'<code title="{attribute(share.file or share.module)}">{escape(share.where)}</code>'
    if share.sent_from is not None:
        text += f"<small>sent from <code>{escape(share.sent_from.where)}</code></small>"
    return text


def _function(share: CallSiteShare) -> str:
    text = f"<code>{escape(share.function)}</code>" if share.function else "–"
    if share.line is None:
        return text + f"<small>{escape(PurePath(share.module).name)}</small>"
    for frame in share.inlined_into:
        where = f" at line {frame.line}" if frame.line else ""
        text += f"<small>in <code>{escape(frame.function or '?')}</code>{where}</small>"
    return text


def _calls(share: CallSiteShare) -> str:
    return "<br>".join(
        f"{count:,} <code>{escape(call)}</code>" for call, count in share.calls.items()
    )


def _slack(slack: float) -> str:
    return format_time(slack) if math.isfinite(slack) else "–"


def _bar(share: float) -> str:
    width = min(100.0, 100 * share)
    return (
        f'<span class=bar><i style="width:{width:.2f}%"></i></span>'
        f"<span class=share>{format_share(share)}</span>"
    )


def model_table(analysis: Analysis) -> str:
    """Every parameter of the model, with its meaning."""
    meaning = {
        "L": "latency of a message",
        "o": "CPU time of a message, at each end",
        "G": "time a byte takes on the wire",
        "S": "largest message sent eagerly",
        "g": "least time between two sends of a rank",
        "O": "CPU time a byte, at each end",
    }
    defaults = analysis.network.defaults()
    rows = [
        (
            f"<b>{name}</b>",
            escape(value) + (" <em>default</em>" if name in defaults else ""),
            meaning[name],
        )
        for name, value in analysis.network.describe().items()
    ]
    rows.append(
        (
            "<b>rendezvous</b>",
            escape(analysis.network.rendezvous),
            f"messages over S: {escape(rendezvous_sentence(analysis))}",
        )
    )
    rows.append(("<b>network</b>", "one latency class", "every pair of ranks has the same L and G"))
    rows.append(("<b>collectives</b>", escape(analysis.collectives), _collective_meaning(analysis)))
    return table(("", "value", "meaning"), rows, "model")


def _collective_meaning(analysis: Analysis) -> str:
    if analysis.reduce_ns_per_byte:
        return (
            f"point-to-point algorithms; combining a byte costs {analysis.reduce_ns_per_byte:g} ns"
        )
    return "point-to-point algorithms; combining bytes costs nothing"
