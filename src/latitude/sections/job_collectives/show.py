"""A job's collectives: waiting against transfer, by group and by rank."""

from latitude.render.document import Cell, Section, Table, code
from latitude.render.shown import Shown, Text
from latitude.results.analysis import Analysis
from latitude.results.declared import parts_csv
from latitude.sections.job_collectives.result import Collectives, GroupShare
from latitude.units.quantities import format_count, format_share, format_size, format_time

_ROWS = 25
"""Groups, and ranks, on the page."""
_BRIEF = 6
"""The same on the terminal."""


def _parts(analysis: Analysis) -> list[Section]:
    found = analysis.job_collectives
    if found is None or not found.groups:
        return []
    return [
        Section(
            "Waiting and transfer in collectives",
            [_by_group(found.groups, analysis.T_ns), _by_rank(found)],
            reading=_reading(found.groups),
            note="λ and “of T”: latencies and transfer on the critical path. A rank waits until "
            "the last member of its collective has arrived; then the transfer begins. Times are of "
            f"all ranks together. {_restored(found)}",
        )
    ]


def _by_group(groups: list[GroupShare], runtime_ns: float) -> Table:
    rows = [
        (
            code(_name(row)),
            f"{row.collectives:,}",
            format_size(int(row.bytes)),
            format_time(row.waiting_ns),
            Cell(format_share(_waiting(row)), share=_waiting(row)),
            format_time(row.transfer_ns),
            format_count(row.lambda_L),
            format_share(row.path_ns / (runtime_ns or 1.0)),
        )
        for row in groups[:_ROWS]
    ]
    head = ("collective", "calls", "sent", "waiting", "of its time", "transfer", "λ", "of T")
    columns = (0, 1, 2, 3, 5, 6, 7)
    title = "Collectives: waiting and transfer"
    return Table(head, rows, "collectives", title, brief=_BRIEF, columns=columns)


def _by_rank(found: Collectives) -> Table:
    every = sorted(found.ranks.rows(), key=lambda row: (-row[4], row[0]))
    rows = [
        (code(f"rank {rank}"), f"{count:,}", f"{last:,}", format_time(waits), format_time(delays))
        for rank, count, last, waits, delays in every[:_ROWS]
        if count
    ]
    head = ("rank", "collectives", "arrives last in", "waits", "lets others wait")
    return Table(head, rows, "late ranks", "Who makes others wait", brief=_BRIEF)


def _name(row: GroupShare) -> str:
    group = f"group {row.group}" if row.group else "a group"
    return f"{row.kind.replace('_', '-')} in {group} of {row.ranks}"


def _waiting(row: GroupShare) -> float:
    return row.waiting_ns / ((row.waiting_ns + row.transfer_ns) or 1.0)


def _reading(groups: list[GroupShare]) -> str:
    waiting, transfer = (sum(getattr(row, f"{what}_ns") for row in groups)
                         for what in ("waiting", "transfer"))  # fmt: skip
    share = format_share(waiting / ((waiting + transfer) or 1.0))
    top = max(groups, key=lambda row: row.lambda_L)
    text = f"Of the time in collectives, ranks wait for others {share} and transfer the rest."
    if top.lambda_L:
        every = sum(row.lambda_L for row in groups)
        text += (
            f" {_name(top)} has "
            f"{format_share(top.lambda_L / every)} of the {format_count(every)} latencies on the "
            "critical path."
        )
    return text


def _restored(found: Collectives) -> str:
    if not found.dependencies:
        return ""
    each = ", ".join(f"{name} {count:,}" for name, count in found.dependencies.items())
    return f"Dependencies that were restored: {each}."


def _csv(analysis: Analysis) -> Text | None:
    found = analysis.job_collectives
    return None if found is None else lambda: parts_csv(found.groups, GroupShare)


SHOWN = Shown(_parts, {"collectives.csv": _csv})
