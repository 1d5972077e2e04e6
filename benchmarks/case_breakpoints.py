"""All critical latencies in [3, 103] µs of graphs of a million operations, on 2 cores."""

from functools import partial

from latitude import _core

from harness import Report, median, seconds
from inputs import EAGER_LIMIT, Inputs

LOW, HIGH = 3000.0, 103_000.0
ENOUGH = 400
"""The bar is for graphs with at least this many."""


def run(inputs: Inputs, report: Report, runs: int) -> None:
    network = _core.Network(L=LOW, o=5000.0, G=0.018, S=EAGER_LIMIT)
    for make in inputs.makers():
        graph = make()
        dag = _core.Model(graph.graph, network).along()
        case = f"All critical latencies in [3, 103] µs · {graph.name}"
        count = len(dag.breakpoints(LOW, HIGH, 2)[0])
        report.add(case, f"of {graph.graph.vertices:,} operations", count, "latencies")
        both = seconds(partial(dag.breakpoints, LOW, HIGH, 2), runs)
        bar = 0.5 if count >= ENOUGH else None
        report.add(case, "2 threads", median(both), "s", at_most=bar, samples=both)
        single = seconds(partial(dag.breakpoints, LOW, HIGH, 1), max(1, runs // 2))
        report.add(case, "1 thread", median(single), "s", samples=single)
