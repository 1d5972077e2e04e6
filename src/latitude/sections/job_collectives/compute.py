"""Waiting and transfer in a job's collectives, by group and by rank."""

import numpy as np

from latitude import _core
from latitude._types import Floats, Integers
from latitude.analysis.context import GraphContext
from latitude.analysis.section import Computed, SectionCost
from latitude.results.critical_path import WholePath
from latitude.sections.job_collectives.result import Collectives, GroupShare, RankWaits
from latitude.trace.jobs.job import RecordedJob

_UNNAMED = ("", "undefined")


def collectives_of(
    job: RecordedJob, graph: _core.Graph, schedule: _core.Schedule, path: WholePath
) -> Collectives:
    """Waits of each collective's members, and the duration of its transfer.

    Args:
        job: the job with its collectives.
        graph: the job's graph.
        schedule: start and end of each vertex.
        path: the critical path.
    """
    of = rank_of(graph, job.member)
    count, ranks = len(job.kind), graph.ranks
    end = np.asarray(schedule.end_ns)
    came = end[job.member]
    last_came = np.zeros(count)
    np.maximum.at(last_came, job.member_of[job.holds_up], came[job.holds_up])
    begun = np.maximum(came, last_came[job.member_of])
    waited = np.where(job.waits, begun - came, 0.0)
    ended = np.maximum(begun, end[job.transfer][job.member_of])
    transfer = np.where(job.waits, ended - begun, 0.0)
    exposed = np.where(job.waits, _exposed(job, graph, schedule, of, came, ended), 0.0)
    latencies, on_path = _on_path(job, path, end.size)
    last = _last_members(job, came, last_came)
    each_waited = _summed(job.member_of, waited, count)
    keys, kind = rows_of(job)
    sums = [
        np.bincount(kind, values, len(keys))
        for values in (
            job.bytes,
            each_waited,
            _summed(job.member_of, transfer, count),
            _summed(job.member_of, exposed, count),
            latencies,
            on_path,
        )
    ]
    used = [{*job.group[kind == row].tolist()} for row in range(len(keys))]
    groups = [
        GroupShare(
            group=name,
            groups=len(used[row]),
            ranks=max(len(job.groups[group]) for group in used[row]),
            kind=what,
            collectives=int(np.count_nonzero(kind == row)),
            bytes=float(sums[0][row]),
            waiting_ns=float(sums[1][row]),
            transfer_ns=float(sums[2][row]),
            exposed_ns=float(sums[3][row]),
            lambda_L=float(sums[4][row]),
            path_ns=float(sums[5][row]),
        )
        for row, (name, _, what) in enumerate(keys)
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


def rows_of(job: RecordedJob) -> tuple[list[tuple[str, int, str]], Integers]:
    """Name, group (−1 if the name is a role) and kind of each row, and each collective's row."""
    of_group = [
        (role, -1) if role not in _UNNAMED else (name, group)
        for group, (role, name) in enumerate(zip(job.group_roles, job.group_names, strict=True))
    ]
    each = [(*of_group[g], kind) for g, kind in zip(job.group.tolist(), job.kind, strict=True)]
    keys = sorted({*each})
    place = {key: row for row, key in enumerate(keys)}
    return keys, np.array([place[key] for key in each], np.int64)


def _exposed(
    job: RecordedJob,
    graph: _core.Graph,
    schedule: _core.Schedule,
    of: Integers,
    came: Floats,
    ended: Floats,
) -> Floats:
    """(members,) ns from arrival to end in which the member's rank computes nothing."""
    begin, end = np.asarray(schedule.start_ns), np.asarray(schedule.end_ns)
    every = job.streams if job.streams.size else job.cpu
    computes = every[end[every] > begin[every]]
    rank = rank_of(graph, computes)
    exposed = ended - came
    for number in np.unique(of):
        own, at = computes[rank == number], of == number
        order = np.argsort(begin[own], kind="stable")
        starts, ends = begin[own][order], np.maximum.accumulate(end[own][order])
        if not starts.size:
            continue
        fresh = np.maximum(starts, np.concatenate([[-np.inf], ends[:-1]]))
        times = np.stack([fresh, np.maximum(ends, fresh)], axis=1).ravel()
        busy = np.stack([np.zeros(fresh.size), np.maximum(ends - fresh, 0)], axis=1).ravel()
        upto = np.cumsum(busy)
        exposed[at] -= np.interp(ended[at], times, upto) - np.interp(came[at], times, upto)
    return np.maximum(exposed, 0.0)


def rank_of(graph: _core.Graph, vertices: Integers) -> Integers:
    """(vertices,) the rank of each vertex."""
    found: Integers = np.searchsorted(graph.rank_begin, vertices, side="right") - 1
    return found


def _summed(of: Integers, values: Floats, many: int) -> Floats:
    return np.bincount(of, values, many).astype(np.float64)


def _on_path(job: RecordedJob, path: WholePath, vertices: int) -> tuple[Floats, Floats]:
    """(collectives,) number of latencies, and ns, of each transfer on the critical path."""
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
    """(collectives,) the member that arrives last; the first if there are several."""
    late = np.flatnonzero(job.holds_up & (came == last_came[job.member_of]))
    _, first = np.unique(job.member_of[late], return_index=True)
    found: Integers = late[first]
    return found


def _of_graph(context: GraphContext) -> Collectives | None:
    job = context.program.job
    if job is None:
        return None
    graph = context.model.graph
    return collectives_of(job, graph, context.model.schedule(), context.path)


COMPUTED = Computed(
    _of_graph,
    SectionCost(sweeps=4, operation_bytes=60),
    lambda _: None,
    held="schedule",
    of_job=True,
)
