"""Tables of the page, as HTML that needs no script."""

import math
from pathlib import PurePath

from latitude.analysis.call_sites import CallSiteShare
from latitude.model.links import describe_links
from latitude.model.placement import Placement
from latitude.render.analysis.colouring import SITES
from latitude.render.charts import theme
from latitude.render.html.markup import attribute, escape, subscripted
from latitude.render.html.shell import table
from latitude.render.words import rendezvous_sentence, slower, tolerance_value, via
from latitude.results.analysis import Analysis
from latitude.units.quantities import counted, format_count, format_share, format_time

_CALL_SITES = 25
"""Rows of the table: more is for the CSV."""
_WAYPOINTS = 2
"""Messages named of each near-critical path."""
_COMMUNICATORS = 12
"""More are in slack.csv."""


def tolerance_table(analysis: Analysis) -> str:
    """One row a limit."""
    rows, theta = [], analysis.theta
    for index, tolerance in enumerate(analysis.tolerance):
        swatch = f'<i class=swatch style="background:{theme.zone_colour(index)}"></i>'
        bounded = math.isfinite(tolerance.value)
        rows.append(
            (
                f"{swatch}{slower(tolerance)} slower",
                f"<b>{tolerance_value(analysis, tolerance)}</b>",
                theta.text(tolerance.value) if bounded else "any",
                format_time(tolerance.T_limit_ns, 5),
            )
        )
    return table(("limit", f"extra {theta.meaning}", subscripted(theta.symbol), "runtime T"), rows)


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
    total = sum(share.lambda_L for share in analysis.by_call_site) or 1.0
    rows = [
        (
            _swatch(index) + _place(share),
            _calls(share),
            format_count(share.lambda_L),
            _bar(share.lambda_L / total),
            format_time(share.network_ns),
            format_time(share.overhead_ns),
            format_share(share.share),
            format_time(share.before_ns),
            format_time(share.least_slack_ns) if math.isfinite(share.least_slack_ns) else "–",
        )
        for index, share in enumerate(shown_call_sites(analysis))
    ]
    head = (
        "call site",
        "calls",
        "latencies λ",
        "of all",
        "network",
        "overhead",
        "of T",
        "before",
        "slack",
    )
    return table(head, rows, "sites")


def shown_call_sites(analysis: Analysis) -> list[CallSiteShare]:
    """Those on the critical path that the page has room for."""
    return [share for share in analysis.by_call_site if share.on_path][:_CALL_SITES]


def _swatch(index: int) -> str:
    """The colour of a call site in the chart of the path."""
    colour = SITES[index] if index < len(SITES) else "transparent"
    return f'<i class=swatch style="background:{colour}"></i>'


def _place(share: CallSiteShare) -> str:
    lines = [f'<code title="{attribute(share.file or share.module)}">{escape(share.where)}</code>']
    if share.line is None and share.function:
        lines.append(f"in {escape(PurePath(share.module).name)}")
    elif share.function:
        lines.append(f"in <code>{escape(share.function)}</code>")
    for frame in share.inlined_into:
        at = f", line {frame.line}" if frame.line else ""
        lines.append(f"inlined into <code>{escape(frame.function or '?')}</code>{at}")
    if share.sent_from is not None:
        lines.append(f"sent from <code>{escape(share.sent_from.where)}</code>")
    return lines[0] + "".join(f"<small>{line}</small>" for line in lines[1:])


def _calls(share: CallSiteShare) -> str:
    return "<br>".join(
        f"{count:,} <code>{escape(call)}</code>" for call, count in share.calls.items()
    )


def _bar(share: float) -> str:
    width = min(100.0, 100 * share)
    return (
        f'<span class=bar><i style="width:{width:.2f}%"></i></span>'
        f"<span class=share>{format_share(share)}</span>"
    )


_MEANING = {
    "L": "latency of a message",
    "o": "CPU time of a message, at each end",
    "G": "time a byte takes on the wire",
    "S": "largest message sent eagerly",
    "g": "least time between two messages of a rank",
    "O": "CPU time a byte, at each end",
    "l_wire": "latency of a wire",
    "d_switch": "latency of a switch; over h of them a message takes (h + 1)·l_wire + h·d_switch",
    "L_intra": "latency inside a node",
    "G_intra": "time a byte takes inside a node",
    "gap": "who holds a rank's messages max(g, B) apart",
    "computation": "so many times what was recorded",
}


def model_table(analysis: Analysis) -> str:
    """Every parameter of the model, with its meaning."""
    network = analysis.network
    defaults = network.defaults()
    rows = [
        (
            f"<b>{subscripted(name)}</b>",
            escape(value) + (" <em>default</em>" if name in defaults else ""),
            escape(_MEANING[name]),
        )
        for name, value in network.describe().items()
    ]
    rows.append(
        (
            "<b>rendezvous</b>",
            escape(network.rendezvous),
            f"messages over S: {escape(rendezvous_sentence(analysis))}",
        )
    )
    links = analysis.links
    if len(links.classes) == 1 and links.node_of_rank is None:
        meaning = "every pair of ranks has the same L and G"
    else:
        meaning = "; ".join(
            f"{link.name}: L = {format_time(link.L)}, {counted(link.pairs, 'rank pair')}"
            for link in links.classes
        )
    rows.append(
        ("<b>network</b>", escape(describe_links(network.topology, links)), escape(meaning))
    )
    if links.node_of_rank is not None:
        placement = (network.placement or Placement()).describe(analysis.trace.ranks)
        rows.append(("<b>placement</b>", escape(placement), "which node each rank runs on"))
    rows.append(("<b>collectives</b>", escape(analysis.collectives), _collective_meaning(analysis)))
    return table(("", "value", "meaning"), rows, "model")


def near_table(analysis: Analysis) -> str:
    """The longest paths, and what tells them from the critical one."""
    rows = [
        (
            f"<b>{number}.</b>",
            format_time(path.length_ns, 6),
            "critical" if number == 1 else format_time(path.shorter_ns, 3),
            f"{path.messages:,}",
            f"{path.others:,}",
            f"{path.skipped:,}",
            escape(via(path, _WAYPOINTS)) + (", …" if path.others > _WAYPOINTS else "") or "–",
        )
        for number, path in enumerate(analysis.near_paths, 1)
    ]
    head = ("path", "length", "shorter by", "messages", "other", "without", "through")
    return table(head, rows, "near")


def slack_table(analysis: Analysis) -> str:
    """Slack of the messages of each MPI call, and of each communicator where there are several."""
    groups = [*analysis.slack.by_call]
    if len(analysis.slack.by_comm) > 1:
        groups += analysis.slack.by_comm[:_COMMUNICATORS]
    rows = [
        (
            f"<code>{escape(group.name)}</code>" if "MPI_" in group.name else escape(group.name),
            f"{group.messages:,}",
            f"{group.critical:,}",
            f"{group.tight:,}",
            format_time(group.least_ns),
            format_time(group.mean_ns),
        )
        for group in groups
    ]
    head = ("messages of", "messages", "critical", "less than L", "least slack", "mean slack")
    return table(head, rows)


def _collective_meaning(analysis: Analysis) -> str:
    if analysis.reduce_ns_per_byte:
        return (
            f"point-to-point algorithms; combining a byte costs {analysis.reduce_ns_per_byte:g} ns"
        )
    return "point-to-point algorithms; combining bytes costs nothing"
