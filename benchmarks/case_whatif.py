"""Ten choices of algorithms side by side, T at many prices, and the slack of all messages."""

from itertools import product

import numpy as np
from latitude import _core

from harness import Report, median, seconds
from inputs import EAGER_LIMIT, REPEATS, TRACES, Input, Inputs

NAME = "hpcg-8-n8"
ALLREDUCE = ("recursive-doubling", "ring", "rabenseifner", "reduce-bcast", "linear")
BARRIER = ("dissemination", "tree")
LATENCIES = np.linspace(3000.0, 103_000.0, 101)
TOP = 10


def run(inputs: Inputs, report: Report, runs: int) -> None:
    if (TRACES / f"{NAME}.tar.xz").exists():
        _algorithms(inputs, report, runs)
    for make in inputs.makers():
        graph = make()
        _planes(graph, report, runs)
        _slack(graph, report, runs)


def _network() -> _core.Network:
    return _core.Network(L=3000.0, o=5000.0, G=0.018, S=EAGER_LIMIT)


def _algorithms(inputs: Inputs, report: Report, runs: int) -> None:
    trace, network = (
        _core.trace_format("liballprof").read(inputs.trace(NAME, REPEATS[NAME])),
        _network(),
    )
    vertices = []

    def compare() -> None:
        vertices.clear()
        for allreduce, barrier in product(ALLREDUCE, BARRIER):
            graph = _core.build_graph(trace, [f"allreduce={allreduce}", f"barrier={barrier}"])
            _core.Model(graph, network).along().runtime(LATENCIES)
            vertices.append(graph.vertices)

    taken = seconds(compare, runs)
    case = f"What if · {NAME} ×{REPEATS[NAME]}, {min(vertices):,} to {max(vertices):,} vertices"
    what = "10 choices of algorithms × 101 latencies, from the trace"
    report.add(case, what, median(taken), "s", at_most=5, samples=taken)


def _planes(graph: Input, report: Report, runs: int) -> None:
    """Maps and sliders ask for T and its slopes at up to hundreds of prices."""
    network = _network()
    case = f"Maps · {graph.name}, {graph.graph.vertices:,} vertices"
    parameters = np.eye(5)  # latency, byte, overhead and g of one link class; computation
    recorded = seconds(lambda: _core.Model(graph.graph, network).planes(), runs)
    planes = _core.Model(graph.graph, network).planes()
    passes: list[float] = []
    whole: list[float] = []
    for _ in range(runs):
        passes += seconds(lambda: planes.at(network, parameters), 5)
        whole += seconds(lambda: _core.Model(graph.graph, network).runtime(), 1)
    report.add(case, "steps of the cost model recorded", median(recorded), "s", samples=recorded)
    report.add(case, "T and five slopes, each", median(passes) * 1e3, "ms", samples=passes)
    faster = median(whole) / median(passes)
    report.add(case, "… faster than T of the graph", faster, "×", at_least=3)


def _slack(graph: Input, report: Report, runs: int) -> None:
    network = _network()
    case = f"Slack · {graph.name}, {graph.graph.messages:,} messages"
    dag = _core.Model(graph.graph, network).along()
    compiling = seconds(lambda: _core.Model(graph.graph, network).messages(), runs)
    messages = _core.Model(graph.graph, network).messages()
    theta = np.array([network.L])
    sweep: list[float] = []
    slack: list[float] = []
    for _ in range(runs):
        sweep += seconds(lambda: dag.runtime(theta, lanes=1), 15)
        slack += seconds(lambda: messages.slack(network.L), 5)
    report.add(case, "compile with every message", median(compiling), "s", samples=compiling)
    report.add(case, "slack of all messages", median(slack) * 1e3, "ms", samples=slack)
    in_sweeps = median(slack) / median(sweep)
    report.add(
        case, "… in sweeps", in_sweeps, "×", at_most=3, note=f"best {min(slack) / min(sweep):.2f}"
    )
    top = seconds(lambda: _core.Model(graph.graph, network).top_paths(TOP), runs)
    report.add(case, f"the {TOP} longest paths, compiling included", median(top), "s", samples=top)
