"""The whole process from GOAL text to T, against text-to-binary conversion plus LogGOPSim."""

import sys
from pathlib import Path

from latitude import _core

from case_simulator import LATENCY, OVERHEAD
from harness import Finished, Report, median
from harness import run as run_process
from inputs import EAGER_LIMIT, Inputs
from peer import Peer, find_peer

_CHILD = """
import sys
from latitude import _core
_core.keep_freed_memory()
graph = _core.graph_format("goal").read(sys.argv[1])
network = _core.Network(L={L}, o={o}, G=0.0, S={S}, rendezvous="sync")
print(_core.Model(graph, network).runtime())
"""


def run(inputs: Inputs, report: Report, runs: int) -> None:
    peer = find_peer()
    child = _CHILD.format(L=LATENCY, o=OVERHEAD, S=EAGER_LIMIT)
    for make in inputs.makers():
        graph = make()
        case = f"GOAL text to T, whole process · {graph.name}"
        text, binary = inputs.work / "graph.goal", inputs.work / "graph.peer.bin"
        _core.graph_format("goal").write(graph.graph, str(text), EAGER_LIMIT)
        del graph
        ours: list[Finished] = []
        theirs: list[Finished] = []
        for _ in range(runs):
            ours.append(run_process([sys.executable, "-c", child, str(text)]))
            if peer is not None:
                theirs.append(_peer_process(peer, text, binary))
        _report(report, case, ours, theirs)
        _remove(text, binary)


def _peer_process(peer: Peer, text: Path, binary: Path) -> Finished:
    converted = peer.convert(text, binary)
    ran, _ = peer.simulate(binary, L=LATENCY, o=OVERHEAD, S=EAGER_LIMIT)
    user, system = converted.user + ran.user, converted.system + ran.system
    return Finished(converted.wall + ran.wall, user, system, "")


def _report(report: Report, case: str, ours: list[Finished], theirs: list[Finished]) -> None:
    cpu = []
    for what, done in (("latitude", ours), ("txt2bin + LogGOPSim", theirs)):
        if not done:
            report.say(case, "peer not present (README.md says how to have it)")
            return
        walls = [process.wall for process in done]
        cpu.append(median([process.cpu for process in done]))
        note = f"CPU {cpu[-1]:.3f} s"
        report.add(case, what, median(walls), "s", samples=walls, note=note)
    ratio = median([p.wall for p in theirs]) / median([p.wall for p in ours])
    note = f"by the clock {ratio:.2f}"
    report.add(case, "faster by, in processor time", cpu[1] / cpu[0], "×", at_least=5, note=note)


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
