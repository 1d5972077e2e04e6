"""What each MPI call has on the critical path."""

from collections.abc import Sequence

from latitude.render.document import Cell, Section, Table, code
from latitude.render.shown import Shown
from latitude.results.analysis import Analysis
from latitude.sections.by_call.result import CallShare
from latitude.units.quantities import format_count, format_share, format_time

_BRIEF = 6
"""Calls on the terminal."""


_HINT = "Traces made by `latitude trace` also say which lines of the program these are."


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
                Cell(format_share(total / runtime), share=total / runtime),
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


def _parts(analysis: Analysis) -> list[Section]:
    if not analysis.by_call:
        return []
    sited = bool(analysis.by_call_site)
    return [calls_section(analysis.by_call, analysis.T_ns, sited=sited)]


SHOWN = Shown(_parts)
