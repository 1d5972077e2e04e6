"""The critical path of a job by parts of its program."""

import numpy as np

from latitude.analysis.context import GraphContext
from latitude.analysis.section import Computed, SectionCost
from latitude.sections.job_modules.result import ModuleShare


def _of_graph(context: GraphContext) -> list[ModuleShare]:
    """The modules on the path, most latency first; empty if the input names no modules."""
    job = context.program.job
    if job is None or not job.module.size:
        return []
    vertices = context.model.graph.vertices
    part, of_gpu = np.zeros(vertices, np.int64), np.zeros(vertices, bool)
    part[job.module[:, 0]] = job.module[:, 1]
    first = np.unique(job.member_of, return_index=True)[1]
    part[job.transfer[job.member_of[first]]] = part[job.member[first]]
    of_gpu[job.streams] = True
    sums = np.zeros((4, len(job.modules)))
    for _, steps in context.path.blocks():
        own = part[steps.vertex]
        network, gpu = np.asarray(steps.network), of_gpu[steps.vertex]
        spent = np.asarray(steps.end) - np.asarray(steps.start) - network
        parts = (np.asarray(steps.latencies), np.where(gpu, 0, spent), np.where(gpu, spent, 0))
        for row, values in enumerate((*parts, network)):
            sums[row] += np.bincount(own, values, sums.shape[1])
    rows = [
        ModuleShare(module=name, lambda_L=L, cpu_ns=cpu, gpu_ns=gpu, communication_ns=network)
        for name, (L, cpu, gpu, network) in zip(job.modules, sums.T.tolist(), strict=True)
        if L or cpu or gpu or network
    ]
    return sorted(
        rows, key=lambda row: (-row.lambda_L, -(row.cpu_ns + row.gpu_ns + row.communication_ns))
    )


COMPUTED = Computed(_of_graph, SectionCost(operation_bytes=50), lambda _: [], of_job=True)
