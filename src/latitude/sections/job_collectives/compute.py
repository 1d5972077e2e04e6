"""A job's collectives: waiting against transfer, by group and by rank."""

import numpy as np

from latitude import _core
from latitude._types import Floats, Integers
from latitude.analysis.context import GraphContext
from latitude.analysis.section import Computed, SectionCost
from latitude.results.critical_path import WholePath
from latitude.sections.job_collectives.result import Collectives, GroupShare, RankWaits
from latitude.trace.jobs.job import RecordedJob


def collectives_of(
    job: RecordedJob, schedule: _core.Schedule, path: WholePath, of: Integers
) -> Collectives:
    """What the members of each collective wait, and what it then takes.

    Args:
        job: its collectives.
        schedule: when each vertex ends.
        path: the critical path.
        of: (members,) the rank of each member.
    """
    count, ranks = len(job.kind), int(of.max(initial=-1)) + 1
    end = np.asarray(schedule.end_ns)
    came = end[job.member]
    last_came = np.zeros(count)
    np.maximum.at(last_came, job.member_of, came)
    transfer = end[job.transfer] - last_came
    waited = last_came[job.member_of] - came
    latencies, on_path = _on_path(job, path, end.size)
    last = _last_members(job, came, last_came)
    each_waited = _summed(job.member_of, waited, count)
    members = np.bincount(job.member_of, minlength=count)
    keys = sorted({*zip(job.group.tolist(), job.kind, strict=True)})
    kind = np.array([keys.index(key) for key in zip(job.group.tolist(), job.kind, strict=True)])
    sums = [
        np.bincount(kind, values, len(keys))
        for values in (job.bytes, each_waited, transfer * members, latencies, on_path)
    ]
    groups = [
        GroupShare(
            group=job.group_names[group],
            ranks=len(job.groups[group]),
            kind=name,
            collectives=int(np.count_nonzero(kind == row)),
            bytes=float(sums[0][row]),
            waiting_ns=float(sums[1][row]),
            transfer_ns=float(sums[2][row]),
            lambda_L=float(sums[3][row]),
            path_ns=float(sums[4][row]),
        )
        for row, (group, name) in enumerate(keys)
    ]
    groups.sort(key=lambda row: -(row.waiting_ns + row.transfer_ns))
    return Collectives(
        groups=groups,
        ranks=RankWaits(
            rank=np.arange(ranks),
            collectives=np.bincount(of, minlength=ranks),
            last=np.bincount(of[last], minlength=ranks),
            waiting_ns=_summed(of, waited, ranks),
            delaying_ns=_summed(of[last], each_waited[job.member_of[last]], ranks),
        ),
        dependencies=job.edges,
    )


def _summed(of: Integers, values: Floats, many: int) -> Floats:
    return np.bincount(of, values, many).astype(np.float64)


def _on_path(job: RecordedJob, path: WholePath, vertices: int) -> tuple[Floats, Floats]:
    """(collectives,) latencies and ns of each transfer on the critical path."""
    number = np.full(vertices, -1)
    number[job.transfer] = np.arange(job.transfer.size)
    latencies, network = np.zeros((2, job.transfer.size))
    for _, steps in path.blocks():
        at = number[steps.vertex]
        known = at >= 0
        np.add.at(latencies, at[known], np.asarray(steps.latencies)[known])
        np.add.at(network, at[known], np.asarray(steps.network)[known])
    return latencies, network


def _last_members(job: RecordedJob, came: Floats, last_came: Floats) -> Integers:
    """(collectives,) the member that arrives last; of several the first."""
    late = np.flatnonzero(came == last_came[job.member_of])
    _, first = np.unique(job.member_of[late], return_index=True)
    found: Integers = late[first]
    return found


def _of_graph(context: GraphContext) -> Collectives | None:
    job = context.program.job
    if job is None:
        return None
    begin = context.program.graph.rank_begin
    of = np.searchsorted(begin, job.member, side="right") - 1
    return collectives_of(job, context.model.schedule(), context.path, of)


COMPUTED = Computed(
    _of_graph,
    SectionCost(sweeps=2, operation_bytes=24),
    lambda _: None,
    held="schedule",
    of_job=True,
)
