"""Each MPI call's share of the critical path."""

from collections.abc import Sequence

from latitude.render import tables
from latitude.render.document import Section, code
from latitude.render.shown import Shown
from latitude.results.analysis import Analysis
from latitude.sections.by_call.result import CallShare
from latitude.units.quantities import format_count, format_share

_BRIEF = 6
"""Largest number of calls on the terminal."""


_HINT = "Traces made by `latitude trace` also say which lines of the program these are."


def calls_section(by_call: Sequence[CallShare], runtime_ns: float, *, sited: bool) -> Section:
    """The table of MPI calls; `sited` tells whether another section has call sites."""
    runtime = runtime_ns or 1.0
    table = tables.table(
        [share for share in by_call if share.path_ns],
        ("call", lambda share: share.call if share.count is None else code(share.call)),
        "count",
        ("share of T", lambda share: tables.bar(share.path_ns / runtime)),
        "path_ns",
        "overhead_ns",
        "network_ns",
        "lambda_L",
        kind="calls",
        title="By call, on the critical path",
        brief=_BRIEF,
        terminal=(0, 3, 4, 5, 6),
    )
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
    hint = "" if sited else f" {_HINT}"
    return Section("By MPI call", [table], reading=reading, note=note + hint)


def _parts(analysis: Analysis) -> list[Section]:
    if not analysis.by_call:
        return []
    sited = bool(analysis.by_call_site)
    return [calls_section(analysis.by_call, analysis.T_ns, sited=sited)]


SHOWN = Shown(_parts)
