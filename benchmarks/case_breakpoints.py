"""Critical latencies in [3, 103] µs of graphs of a million operations: all, and the first 1,000."""

from functools import partial

import latitude
from latitude import _core
from latitude.analysis.answer import CRITICAL

from harness import Report, median, processor_seconds, seconds
from inputs import EAGER_LIMIT, Inputs

LOW, HIGH = 3000.0, 103_000.0
ENOUGH = 400
"""The bar is for graphs with at least this many."""
NETWORK = {"L": LOW, "o": 5000.0, "G": 0.018, "S": EAGER_LIMIT}


def run(inputs: Inputs, report: Report, runs: int) -> None:
    for make in inputs.makers():
        graph = make()
        dag = _core.Model(graph.graph, _core.Network(**NETWORK)).along()
        case = f"All critical latencies in [3, 103] µs · {graph.name}"
        count = len(dag.breakpoints(LOW, HIGH, 2)[0])
        report.add(case, f"of {graph.graph.vertices:,} operations", count, "latencies")
        both = seconds(partial(dag.breakpoints, LOW, HIGH, 2), runs)
        bar = 0.5 if count >= ENOUGH else None
        report.add(case, "2 threads", median(both), "s", at_most=bar, samples=both)
        single = processor_seconds(partial(dag.breakpoints, LOW, HIGH, 1), max(1, runs // 2))
        report.add(case, "1 thread, processor time", median(single), "s", samples=single)
        if count >= ENOUGH:
            each = median(single) / count * 1000
            report.add(case, "… per 1,000 of them", each, "s", at_most=0.3)
    _first(inputs, report, runs)


def _first(inputs: Inputs, report: Report, runs: int) -> None:
    """The first ones and bounds beyond them against all, of a program that has very many."""
    program = latitude.load(inputs.halo())
    dag = _core.Model(program.graph, _core.Network(**NETWORK)).along()
    first = partial(dag.curve, LOW, HIGH, CRITICAL, threads=2)
    every = partial(dag.curve, LOW, HIGH, threads=2)
    few, all_of_them = first(), every()
    case = (
        f"The first {CRITICAL:,} critical latencies · halo, {program.graph.vertices:,} operations"
    )
    report.add(case, "all there are", len(all_of_them.value), "latencies")
    report.add(case, "passes for all", all_of_them.sweeps, "passes")
    bar = CRITICAL / 4 + 196
    report.add(case, "passes for the first, T bounded beyond", few.sweeps, "passes", at_most=bar)
    report.add(case, "T is known beyond within", 100 * few.bound, "%", at_most=0.01)
    ratios, shares = [], []
    analyses = [partial(latitude.analyze, program, critical=n, threads=2) for n in (CRITICAL, None)]
    for _ in range(runs):
        (short,), (whole,) = seconds(first, 1), seconds(every, 1)
        ratios.append(whole / short)
        (short,), (whole,) = (seconds(each, 1) for each in analyses)
        shares.append(whole / short)
    report.add(case, "… faster than all by", median(ratios), "×", samples=ratios)
    report.add(case, "the whole analysis faster by", median(shares), "×", samples=shares)
