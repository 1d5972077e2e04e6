"""One evaluation in memory against a run of LogGOPSim on the same GOAL binary."""

import numpy as np
from latitude import _core

from harness import Report, median, seconds
from inputs import EAGER_LIMIT, Input, Inputs
from peer import Peer, find_peer

LATENCY, OVERHEAD = 3000, 5000
LANES = 8


def run(inputs: Inputs, report: Report, runs: int) -> None:
    peer = find_peer()
    if peer is None:
        report.say(
            "LogGOPSim, same GOAL binary", "peer not present (README.md says how to have it)"
        )
        return
    for make in inputs.makers():
        _compare(make(), inputs, report, runs, peer)


def _compare(graph: Input, inputs: Inputs, report: Report, runs: int, peer: Peer) -> None:
    case = f"LogGOPSim, same GOAL binary · {graph.name}, {graph.graph.vertices:,} operations"
    binary = inputs.work / "graph.bin"
    _core.graph_format("goal-binary").write(graph.graph, str(binary), EAGER_LIMIT)
    network = _core.Network(L=LATENCY, o=OVERHEAD, G=0.0, S=EAGER_LIMIT, rendezvous="sync")
    dag = _core.Model(_core.graph_format("goal-binary").read(str(binary)), network).along()

    simulated: list[float] = []
    cpu: list[float] = []
    one: list[float] = []
    many: list[float] = []
    theta = np.linspace(LATENCY, LATENCY + 100_000, LANES)
    for _ in range(runs):
        done, simulated_ns = peer.simulate(binary, L=LATENCY, o=OVERHEAD, S=EAGER_LIMIT)
        simulated.append(done.wall)
        cpu.append(done.cpu)
        one += seconds(lambda: dag.runtime(theta[:1], lanes=1), 15)
        many += seconds(lambda: dag.runtime(theta, lanes=LANES), 15)
    binary.unlink()

    report.add(
        case,
        "LogGOPSim, one run",
        median(simulated),
        "s",
        samples=simulated,
        note=f"CPU {median(cpu):.3f} s",
    )
    report.add(case, "one sweep, 1 lane", median(one) * 1e3, "ms", samples=one)
    each = median(many) / LANES
    report.add(case, f"per latency in {LANES} lanes", each * 1e3, "ms", samples=many)
    # Of a process of its own the processor time, of a sweep, shorter than a time slice, the median.
    report.add(case, "one sweep is faster by", median(cpu) / median(one), "×", at_least=300)
    report.add(case, "a latency of 8 is faster by", median(cpu) / each, "×", at_least=2000)
    ours = float(dag.runtime(theta[:1])[0])
    report.add(case, "our T against its T", 100 * (ours / simulated_ns - 1), "%")
