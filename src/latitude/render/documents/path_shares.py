"""What parts, MPI calls and call sites have on the critical path, as tables."""

import math
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from latitude.render.document import Cell, Content, Line, Section, Table, code
from latitude.render.documents.path_pieces import SITES
from latitude.results.critical_path import CallPath, CallShare, CallSiteShare, SiteOnPath
from latitude.units.quantities import counted, format_count, format_share, format_time

_BRIEF = 6
"""Calls on the terminal."""
_SITES = 5
"""Call sites on the terminal."""
_CALL_SITES = 25
"""Call sites on the page: more is for the CSV."""
_PATHS = 3
"""Call paths of each call site on the page."""
_HINT = "Traces made by `latitude trace` also say which lines of the program these are."
_IN_MEMORY = (
    " Slack: extra latency that one message sent or received there can take alone, on each of its "
    "latencies. Colours are those of the path coloured by call site."
)


def split_table(parts: Iterable[tuple[str, float, float]]) -> Table:
    """The parts of T: name, ns and share."""
    rows = [
        (name, format_time(ns), Cell(format_share(share), share=share)) for name, ns, share in parts
    ]
    return Table(("", "time", "share"), rows, brief=len(rows))


def call_sites_parts(shares: Sequence[SiteOnPath]) -> list[Section]:
    """Places in the source with most of the critical path's latency, where they are known."""
    if not shares:
        return []
    total = sum(share.lambda_L for share in shares)
    shown = [share for share in shares if share.on_path][:_CALL_SITES]
    whole = all(isinstance(share, CallSiteShare) for share in shares)
    rows: list[Sequence[Content]] = [
        (
            _place(share, SITES[index] if whole and index < len(SITES) else "transparent"),
            _calls_of(share),
            format_count(share.lambda_L),
            _bar(share.lambda_L / (total or 1.0)),
            format_time(share.network_ns),
            format_time(share.overhead_ns),
            format_share(share.share),
            format_time(share.before_ns),
            *_slack(share),
        )
        for index, share in enumerate(shown)
    ]
    head = (
        "call site", "calls", "latencies λ", "of all", "network", "overhead", "of T", "before",
        *(("slack",) if whole else ()),
    )  # fmt: skip
    every = len(shares)
    rest = f" {len(shown)} of {every} call sites; call_sites.csv has all."
    brief = [
        (
            share.name,
            next(iter(share.calls), ""),
            format_count(share.lambda_L),
            format_share(share.lambda_L / (total or 1.0)),
            format_share(share.share),
        )
        for share in shown
    ]
    return [
        Section(
            "By call site, on the critical path",
            [Table(("line", "call", "latencies", "of all", "share of T"), brief, brief=_SITES)],
            page=False,
        ),
        Section(
            "By call site",
            [Table(head, rows, "sites")],
            reading=_call_site_sentence(shares, total),
            note="Lines of the program that call MPI, by the latency of the critical path. A "
            "message's way is charged to the line that posts its receive; “sent from” is where "
            "most of these messages come from. Of T: network and overhead as a share of the "
            "runtime. Before: what the path computes just before the call. "
            "Called by: the call of MPI and its callers, where the trace has them."
            + (_IN_MEMORY if whole else "")
            + (rest if len(shown) < every else ""),
        ),
    ]


def _call_site_sentence(shares: Sequence[SiteOnPath], total: float) -> str:
    """Which line of the program carries most of λ_L."""
    if not total:
        return "No call whose place is known has a message on the critical path."
    top = shares[0]
    sent = f", most of them sent from {top.sent_from.where}" if top.sent_from else ""
    return (
        f"{top.name} ({next(iter(top.calls), '')}) receives {format_share(top.lambda_L / total)} "
        f"of the {format_count(total)} latencies on the critical path{sent}."
    )


def _place(share: SiteOnPath, colour: str) -> Cell:
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


def _slack(share: SiteOnPath) -> list[str]:
    """What a message there can take, where that is known of places."""
    if not isinstance(share, CallSiteShare):
        return []
    return [format_time(share.least_slack_ns) if math.isfinite(share.least_slack_ns) else "–"]


def _path_of(path: CallPath, total: float) -> Line:
    """A call path, and what part of the place's latencies came on it."""
    share = f" ({format_share(path.lambda_L / total)} of λ)" if total else ""
    return [f"called by{share} ", code(" < ".join(path.frames))]


def _calls_of(share: SiteOnPath) -> Cell:
    lines: list[Line] = [[f"{count:,} ", code(call)] for call, count in share.calls.items()]
    return Cell(lines[0] if lines else "", lines[1:], small=False)


def _bar(share: float) -> Cell:
    return Cell(format_share(share), share=share)


def calls_section(by_call: Sequence[CallShare], runtime_ns: float, *, sited: bool) -> Section:
    """What each MPI call has on the critical path; `sited`: of call sites another section tells."""
    runtime, rows = runtime_ns or 1.0, []
    for share in by_call:
        total = share.calc_ns + share.overhead_ns + share.network_ns
        if not total:
            continue
        rows.append(
            (
                code(share.call) if share.count else share.call,
                f"{share.count:,}" if share.count is not None else "–",
                _bar(total / runtime),
                format_time(total),
                format_time(share.overhead_ns),
                format_time(share.network_ns),
                format_count(share.lambda_L),
            )
        )
    head = ("call", "calls", "share of T", "on the path", "overhead", "network", "latencies λ")
    waited = [share for share in by_call if share.lambda_L > 0]
    reading = "No call has a message on the critical path."
    if waited:
        top, every = max(waited, key=lambda s: s.lambda_L), sum(s.lambda_L for s in waited)
        reading = (
            f"{top.call} receives {format_share(top.lambda_L / every)} of the "
            f"{format_count(every)} latencies on the critical path."
        )
    note = (
        "Time of the critical path. A message's way is charged to the call that receives it "
        "(MPI_Irecv stands for its wait too); “computation” is what lies between two calls."
    )
    table = Table(
        head, rows, "calls", "By call, on the critical path", brief=_BRIEF, columns=(0, 3, 4, 5, 6)
    )
    hint = "" if sited else f" {_HINT}"
    return Section("By MPI call", [table], reading=reading, note=note + hint)
