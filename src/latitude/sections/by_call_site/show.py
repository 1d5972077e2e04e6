"""Tables of places in the source and their shares of the critical path."""

import math
from collections.abc import Sequence
from pathlib import PurePath

from latitude.files.text import csv_text, finite
from latitude.render.charts.theme import SITES
from latitude.render.document import Cell, Line, Part, Section, code
from latitude.render.shown import Shown, Text
from latitude.render.tables import bar, table
from latitude.results.analysis import Analysis
from latitude.sections.by_call_site.call_stacks import call_stacks
from latitude.sections.by_call_site.result import CallPath, CallSiteShare
from latitude.units.quantities import counted, format_count, format_share, format_time

_SITES = 5
"""Largest number of call sites on the terminal."""
_CALL_SITES = 25
"""Largest number of call sites on the page; the CSV has all."""
_PATHS = 3
"""Largest number of call paths per call site on the page."""
_SLACK = (
    " Slack: extra latency that one message sent or received there can take alone, on each of its "
    "latencies."
)
_COLOURS = " Colours are those of the path coloured by call site."


def call_sites_parts(
    shares: Sequence[CallSiteShare], *, coloured: bool, slack: bool
) -> list[Section]:
    """Places in the source with most of the critical path's latency, if places are known.

    Args:
        shares: the places' shares of the path.
        coloured: whether a chart of the path has their colours.
        slack: whether the slack of their messages is known.
    """
    if not shares:
        return []
    total = sum(share.lambda_L for share in shares)
    shown = [share for share in shares if share.on_path][:_CALL_SITES]
    colours = iter(SITES if coloured else ())
    page = table(
        shown,
        ("call site", lambda share: _place(share, next(colours, "transparent"))),
        ("calls", _calls_of),
        "lambda_L",
        ("of all", lambda share: bar(share.lambda_L / (total or 1.0))),
        "network_ns",
        "overhead_ns",
        "share",
        "before_ns",
        *([("slack", _slack)] if slack else []),
        kind="sites",
        brief=0,
    )
    brief = table(
        shown,
        "name",
        ("call", lambda share: next(iter(share.calls), "")),
        ("latencies", "lambda_L"),
        ("of all", lambda share: format_share(share.lambda_L / (total or 1.0))),
        ("share of T", "share"),
        brief=_SITES,
    )
    every = len(shares)
    rest = f" {len(shown)} of {every} call sites; call_sites.csv has all."
    return [
        Section(
            "By call site, on the critical path",
            [brief],
            page=False,
        ),
        Section(
            "By call site",
            [page],
            reading=_call_site_sentence(shares, total),
            note="Lines of the program that call MPI, by the latency of the critical path. A "
            "message's way is charged to the line that posts its receive; “sent from” is where "
            "most of these messages come from. Of T: network and overhead as a share of the "
            "runtime. Before: what the path computes just before the call. "
            "Called by: the call of MPI and its callers, where the trace has them."
            + (_SLACK if slack else "")
            + (_COLOURS if coloured else "")
            + (rest if len(shown) < every else ""),
        ),
    ]


def _call_site_sentence(shares: Sequence[CallSiteShare], total: float) -> str:
    """A sentence on the source line with most of λ_L."""
    if not total:
        return "No call whose place is known has a message on the critical path."
    top = shares[0]
    sent = f", most of them sent from {top.sent_from.where}" if top.sent_from else ""
    return (
        f"{top.name} ({next(iter(top.calls), '')}) receives {format_share(top.lambda_L / total)} "
        f"of the {format_count(total)} latencies on the critical path{sent}."
    )


def _place(share: CallSiteShare, colour: str) -> Cell:
    below: list[Line] = []
    if share.line is None and share.function:
        if share.module:
            below.append(f"in {PurePath(share.module).name}")
    elif share.function:
        below.append(["in ", code(share.function)])
    for frame in share.inlined_into:
        at = f", line {frame.line}" if frame.line else ""
        below.append(["inlined into ", code(frame.function or "?"), at])
    if share.sent_from is not None:
        below.append(["sent from ", code(share.sent_from.where)])
    below += [_path_of(path, share.lambda_L) for path in share.paths[:_PATHS]]
    if len(share.paths) > _PATHS:
        below.append(f"and {counted(len(share.paths) - _PATHS, 'more call path')}")
    return Cell(code(share.where, share.file or share.module), below, colour=colour)


def _slack(share: CallSiteShare) -> str:
    """The least slack of the messages at this place, as text."""
    return format_time(share.least_slack_ns) if math.isfinite(share.least_slack_ns) else "–"


def _path_of(path: CallPath, total: float) -> Line:
    """A call path, with its part of the place's latencies."""
    share = f" ({format_share(path.lambda_L / total)} of λ)" if total else ""
    return [f"called by{share} ", code(" < ".join(path.frames))]


def _calls_of(share: CallSiteShare) -> Cell:
    lines: list[Line] = [[f"{count:,} ", code(call)] for call, count in share.calls.items()]
    return Cell(lines[0] if lines else "", lines[1:], small=False)


def call_sites_csv(shares: Sequence[CallSiteShare]) -> str:
    """Each call site's share of the critical path as CSV: one row each, most latency first."""
    header = (
        "where", "function", "file", "line", "module", "calls", "count", "lambda_L", "latency_ns",
        "network_ns", "overhead_ns", "calc_ns", "before_ns", "share", "bytes_sent",
        "bytes_received", "least_slack_ns", "sent_from", "call_path",
        "call_paths",
    )  # fmt: skip
    rows = [
        {
            **finite(share.plain()),
            "calls": " ".join(share.calls),
            "sent_from": share.sent_from.where if share.sent_from else None,
            "call_path": " < ".join(share.paths[0].frames) if share.paths else None,
            "call_paths": len(share.paths) or None,
        }
        for share in shares
    ]
    return csv_text(header, ([row[name] for name in header] for row in rows))


def _parts(analysis: Analysis) -> list[Part]:
    shares, on_page = analysis.by_call_site, analysis.path is not None
    table = call_sites_parts(shares, coloured=on_page, slack=analysis.slack is not None)
    return [*table, *call_stacks(analysis)]


def _csv(analysis: Analysis) -> Text | None:
    shares = analysis.by_call_site
    return (lambda: call_sites_csv(shares)) if shares else None


SHOWN = Shown(_parts, {"call_sites.csv": _csv}, early=True)
