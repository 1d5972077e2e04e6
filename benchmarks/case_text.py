"""The whole process from GOAL text to T, against text-to-binary conversion plus LogGOPSim."""

import sys
from pathlib import Path

from case_simulator import LATENCY, OVERHEAD
from harness import Report, median, run as run_process
from inputs import EAGER_LIMIT, Inputs
from peer import find_peer

from latitude import _core

_CHILD = """
import sys
from latitude import _core
graph = _core.read_goal_text(sys.argv[1])
network = _core.Network(L={L}, o={o}, G=0.0, S={S}, rendezvous="sync")
print(_core.compile(graph, network).runtime([{L}.0], 1)[0])
"""


def run(inputs: Inputs, report: Report, runs: int) -> None:
    peer = find_peer()
    child = _CHILD.format(L=LATENCY, o=OVERHEAD, S=EAGER_LIMIT)
    for make in inputs.makers():
        graph = make()
        case = f"GOAL text to T, whole process · {graph.name}"
        text, binary = inputs.work / "graph.goal", inputs.work / "graph.peer.bin"
        _core.write_goal_text(graph.graph, str(text), EAGER_LIMIT)
        del graph
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(runs):
            ours.append(run_process([sys.executable, "-c", child, str(text)])[0])
            if peer is not None:
                converted = peer.convert(text, binary)
                wall, _ = peer.simulate(binary, L=LATENCY, o=OVERHEAD, S=EAGER_LIMIT)
                theirs.append(converted + wall)
        report.add(case, "latitude", median(ours), "s", samples=ours)
        if peer is None:
            report.say(case, "peer not present (README.md says how to have it)")
        else:
            report.add(case, "txt2bin + LogGOPSim", median(theirs), "s", samples=theirs)
            report.add(case, "faster by", median(theirs) / median(ours), "×", at_least=5)
        _remove(text, binary)


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
