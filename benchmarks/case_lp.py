"""The 1 % tolerance against HiGHS on [S]'s linear program, at 1e5 graph vertices."""

import sys

import numpy as np
from latitude import _core

from harness import Report, median, seconds
from inputs import EAGER_LIMIT, ROOT, TRACES, Inputs

sys.path.insert(0, str(ROOT / "tests"))
from support.oracle import lp
from support.oracle.arrays import Parameters

NAME, REPEAT = "lulesh-8-i100-s8", 2
TIME_LIMIT = 300.0
SOLVERS: dict[str, dict[str, str]] = {
    "simplex": {"solver": "simplex", "presolve": "off"},
    "simplex after presolve": {"solver": "simplex", "presolve": "on"},
    "interior point": {"solver": "ipm"},
}


def run(inputs: Inputs, report: Report, runs: int) -> None:
    if not (TRACES / f"{NAME}.tar.xz").exists():
        report.say("Tolerance against HiGHS", "no ../shared/traces")
        return
    graph = _core.build_graph(_core.trace_format("liballprof").read(inputs.trace(NAME, REPEAT)))
    costs = Parameters(L=3000.0, o=5000.0, G=0.018, S=EAGER_LIMIT)
    network = _core.Network(**costs.keywords())
    case = f"Tolerance against HiGHS · {NAME} ×{REPEAT}, {graph.vertices:,} vertices"
    dag = _core.Model(graph, network).along()
    program = lp.build(graph, costs)
    start = np.array([network.L])
    limit = dag.runtime(start) * 1.01

    ours = seconds(lambda: dag.tolerance(limit, network.L), runs, at_least_s=0.5)
    tolerance = float(dag.tolerance(limit, network.L)[0])
    fastest = np.inf
    for name, options in SOLVERS.items():
        found, samples = None, []
        for _ in range(min(runs, 3)):
            solver = lp.Solver(program, time_limit=TIME_LIMIT, **options)
            try:
                found = solver.maximise_theta(float(limit[0]), network.L)
            except RuntimeError as error:
                report.say(case, f"HiGHS, {name}: {error}")
                break
            samples.append(found.seconds)
        if found is not None and samples:
            fastest = min(fastest, median(samples))
            note = f"differs by {abs(found.theta / tolerance - 1):.0e}"
            what = f"HiGHS, {name}, solve only"
            report.add(case, what, median(samples), "s", samples=samples, note=note)
    report.add(case, "tolerance", median(ours) * 1e3, "ms", samples=ours)
    report.add(case, "faster than HiGHS' fastest by", fastest / median(ours), "×", at_least=1000)
    compiling = seconds(lambda: _core.Model(graph, network).along(), runs)
    whole = median(ours) + median(compiling)
    report.add(case, "… compiling the graph included", fastest / whole, "×")
