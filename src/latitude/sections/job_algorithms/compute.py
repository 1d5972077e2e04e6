"""The latencies at which other algorithms of NCCL become faster for a job's collectives."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latitude._types import Floats
from latitude.analysis.algorithms import CollectiveWays
from latitude.analysis.context import GraphContext
from latitude.analysis.section import Computed, SectionCost
from latitude.sections.job_algorithms.result import FasterAlgorithm
from latitude.sections.job_collectives.compute import rows_of
from latitude.trace.jobs.job import ALGORITHMS


@dataclass(frozen=True, slots=True)
class Crossing:
    """A point of the lower envelope of lines."""

    before: int
    """The lowest line before this point."""
    after: int
    delta: float


def crossings(times: Floats, slopes: Floats, own: int) -> Iterator[Crossing]:
    """The points, from 0 on, at which the lowest of some lines changes.

    `times`, (lines,), are values at 0, infinite for a line that does not count; `slopes`, (lines,),
    are the lines' growth. The search begins with `own`, even if another line is lower at 0.
    """
    at, delta = own, 0.0
    lowest = int(np.lexsort((slopes, times))[0])
    if times[lowest] < times[own]:
        yield Crossing(own, lowest, 0.0)
        at = lowest
    while True:
        flatter = np.flatnonzero((slopes < slopes[at]) & np.isfinite(times))
        if not flatter.size:
            return
        meets = np.maximum((times[flatter] - times[at]) / (slopes[at] - slopes[flatter]), delta)
        first = int(np.lexsort((slopes[flatter], meets))[0])
        delta = float(meets[first])
        yield Crossing(at, int(flatter[first]), delta)
        at = int(flatter[first])


def _of_graph(context: GraphContext) -> list[FasterAlgorithm]:
    """The crossings in ascending order; empty without a job."""
    job, theta, dag = context.program.job, context.theta, context.dag
    if job is None or dag is None or not job.kind:
        return []
    ways = CollectiveWays(job, context.model.graph, context.links, context.nccl)
    times, slopes = ways.lines(theta)
    keys, row = rows_of(job)
    several = np.isfinite(times).sum(axis=0) > 1
    recorded = ways.recorded_ns > 0
    shape = np.stack(
        [row, job.bytes, job.algorithm, recorded, *np.where(np.isfinite(times), slopes, -1.0)]
    )
    _, shape_of = np.unique(shape[:, several], axis=1, return_inverse=True)
    at_shape = np.full(row.size, -1)
    at_shape[several] = shape_of.ravel()
    found = []
    for number in range(at_shape.max(initial=-1) + 1):
        alike = np.flatnonzero(at_shape == number)
        one = int(alike[0])
        name, _, kind = keys[row[one]]
        of_row = {*job.group[row == row[one]].tolist()}
        mean = times[:, alike].mean(axis=1)
        found += [
            FasterAlgorithm(
                group=name,
                groups=len(of_row),
                ranks=max(len(job.groups[group]) for group in of_row),
                kind=kind,
                collectives=alike.size,
                bytes=float(job.bytes[one]),
                algorithm=ALGORITHMS[each.before],
                faster=ALGORITHMS[each.after],
                slope=float(slopes[each.before, one]),
                faster_slope=float(slopes[each.after, one]),
                delta=each.delta,
                T_ns=dag.runtime_at(theta.base + each.delta),
                published=bool(recorded[one]),
            )
            for each in crossings(mean, slopes[:, one], int(job.algorithm[one]))
        ]
    return sorted(found, key=lambda each: each.delta)


COMPUTED = Computed(_of_graph, SectionCost(sweeps=20), lambda _: [], held="curve", of_job=True)
"""The latencies at which other algorithms of NCCL become faster."""
