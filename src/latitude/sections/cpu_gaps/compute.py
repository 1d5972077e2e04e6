"""Finds whether CPUs, GPUs or communication limit a job's step."""

import numpy as np

from latitude import _core
from latitude.analysis.context import GraphContext
from latitude.analysis.cpu_gaps import scaled
from latitude.analysis.path import steps
from latitude.analysis.section import Computed, SectionCost
from latitude.sections.cpu_gaps.result import Bound, CpuGaps
from latitude.trace.jobs.job import RecordedJob

_SHARE = 0.01


def bound(
    graph: _core.Graph, core: _core.Network, job: RecordedJob, factor: float, L: float
) -> Bound:
    """T and the parts of its critical path, for a graph with CPU gaps already scaled."""
    model = _core.Model(graph, core)
    path = model.critical_path()
    streams = np.zeros(graph.vertices, bool)
    streams[job.streams] = True
    gpu = network = 0.0
    for _, block in steps(path, graph).blocks():
        gpu += float(np.asarray(block.calc)[streams[block.vertex]].sum())
        network += float(np.sum(np.asarray(block.network)))
    runtime = float(model.runtime())
    dag = model.along("L")
    return Bound(
        factor=factor,
        T_ns=runtime,
        cpu_ns=max(0.0, runtime - gpu - network),
        gpu_ns=gpu,
        communication_ns=network,
        lambda_L=float(dag.tangents(np.array([L]))[1][0]),
        tolerance_ns=float(dag.tolerance(np.array([runtime * (1 + _SHARE)]), L)[0]) - L,
    )


def _of_graph(context: GraphContext) -> CpuGaps | None:
    job, recorded = context.program.job, context.recorded
    if job is None or recorded is None:
        return None
    chosen = context.program.cpu_gaps
    core = context.network.core_of(context.links)
    L = context.links.classes[0].L
    without = {0.0} if job.streams.size else set()  # without GPU streams, CPUs compute
    factors = sorted({1.0, chosen} | without, reverse=True)
    return CpuGaps(
        chosen=chosen,
        bounds=[bound(scaled(recorded, job, each), core, job, each, L) for each in factors],
    )


COMPUTED = Computed(
    _of_graph, SectionCost(sweeps=60, operation_bytes=60), lambda _: None, of_job=True
)
