"""Shows waiting and transfer in a job's collectives, by group and by rank."""

import numpy as np

from latitude.render.document import Section, Table, code
from latitude.render.shown import Shown, Text
from latitude.render.tables import table
from latitude.results.analysis import Analysis
from latitude.results.declared import parts_csv
from latitude.sections.job_collectives.result import Collectives, GroupShare
from latitude.units.quantities import format_count, format_share

_ROWS = 25
"""Largest number of groups, and of ranks, on the page."""
_BRIEF = 6
"""Largest number of groups, and of ranks, on the terminal."""


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
            "the last member of its collective has arrived; then the transfer begins. Exposed is "
            "the share of both during which the rank computes nothing. Times are of all ranks "
            f"together. {_restored(found)}",
        )
    ]


def _by_group(groups: list[GroupShare], runtime_ns: float) -> Table:
    return table(
        groups[:_ROWS],
        ("collective", lambda row: code(_name(row))),
        "collectives",
        "bytes",
        "waiting_ns",
        "waiting",
        "transfer_ns",
        ("exposed", lambda row: format_share(_exposed(row))),
        "lambda_L",
        ("of T", lambda row: format_share(row.path_ns / (runtime_ns or 1.0))),
        kind="collectives",
        title="Collectives: waiting and transfer",
        brief=_BRIEF,
        terminal=(0, 1, 2, 3, 5, 6, 7, 8),
    )


def _by_rank(found: Collectives) -> Table:
    ranks = found.ranks
    order = np.lexsort((ranks.rank, -ranks.delaying_ns))[:_ROWS]
    return table(
        ranks.at(order[ranks.collectives[order] > 0]),
        ("rank", lambda row: code(f"rank {row.rank}")),
        "collectives",
        "last",
        "waiting_ns",
        "delaying_ns",
        kind="late ranks",
        title="Who makes others wait",
        brief=_BRIEF,
    )


def _name(row: GroupShare) -> str:
    return collectives_in(row.kind, row.groups, row.group, row.ranks)


def collectives_in(kind: str, groups: int, group: str, ranks: int) -> str:
    """Collectives of one kind in one group, or in groups of one role, in words."""
    kind = kind.replace("_", "-")
    if groups > 1:
        return f"{kind} in {groups:,} groups {group} of {ranks}"
    return f"{kind} in {f'group {group}' if group else 'a group'} of {ranks}"


def _exposed(row: GroupShare) -> float:
    return row.exposed_ns / ((row.waiting_ns + row.transfer_ns) or 1.0)


def _reading(groups: list[GroupShare]) -> str:
    waiting, transfer, exposed = (
        sum(getattr(row, f"{what}_ns") for row in groups)
        for what in ("waiting", "transfer", "exposed")
    )
    whole = (waiting + transfer) or 1.0
    top = max(groups, key=lambda row: row.lambda_L)
    text = (
        f"Ranks wait for others during {format_share(waiting / whole)} of their time in "
        f"collectives; {format_share(exposed / whole)} of this time is exposed."
    )
    if top.lambda_L:
        every = sum(row.lambda_L for row in groups)
        text += (
            f" Most latencies on the critical path are those of {_name(top)}: "
            f"{format_count(top.lambda_L)} of {format_count(every)}."
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
