"""T against LogGOPSim's: equal where nothing competes, and the differences where something does.

    LOGGOPSIM_DIR=/tmp/peer/bin python benchmarks/validate_loggopsim.py [--goal FILE.bin …]

Prints the tables of docs/internals/validation.md; ends with 1 where the first or the second one
has a difference. With --goal only the last one, of these GOAL binaries (Schedgen's).
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from latitude import _core

from forced_goal import forced_program
from inputs import ROOT
from peer import Peer, find_peer

sys.path.insert(0, str(ROOT / "tests"))
from support.oracle.traces import ARCHIVES, graph_of
from support.oracle.unordered_goal import unordered_program

EAGER = 256 * 1024


@dataclass(frozen=True)
class Costs:
    """LogGOPSim's parameters: whole numbers of ns (G, O: ns a byte)."""

    L: int = 3000
    o: int = 0
    g: int = 0
    G: int = 0
    O: int = 0
    S: int = EAGER

    def network(self, *, gap: bool) -> _core.Network:
        """Ours with LogGOPSim's semantics, or without what keeps messages apart."""
        values = vars(self) | {"g": self.g if gap else 0}
        apart = "both" if gap and (self.g or self.G) else "none"
        return _core.Network(**values, gap=apart, rendezvous="sync")

    def text(self) -> str:
        """For a table."""
        given = {name: value for name, value in vars(self).items() if value and name != "S"}
        small = [f"S = {self.S}"] if self.S != EAGER else []
        return ", ".join([*(f"{name} = {value}" for name, value in given.items()), *small])


FORCED = [
    ("answers apart", True, Costs(o=5000, G=2)),
    ("answers apart", True, Costs(o=5000, g=700, O=3)),
    ("answers apart, rendezvous", True, Costs(o=5000, g=700, S=64)),
    ("answers apart, rendezvous", True, Costs(o=700, O=3, S=64)),
    ("answers at once", False, Costs(G=2)),
    ("answers at once", False, Costs(o=5000, g=700)),
    ("answers at once", False, Costs(o=700, g=5000)),
]
TRACES = [
    Costs(),
    Costs(o=1000),
    Costs(o=1000, g=2000),
    Costs(O=1),
    Costs(G=1),
    Costs(o=1000, G=1),
    Costs(o=1000, S=1024),
]


def our_runtime(binary: Path, costs: Costs, *, gap: bool = True) -> float:
    """T in ns."""
    graph = _core.graph_format("goal-binary").read(str(binary))
    return _core.Model(graph, costs.network(gap=gap)).runtime()


def forced(peer: Peer, work: Path, programs: int) -> int:
    """First table: programs whose order is forced. How many differ."""
    text, binary = work / "forced.goal", work / "forced.bin"
    print("| program | parameters (ns, ns/byte) | programs | T equal | equal with gap none |")
    print("|---|---|---|---|---|")
    differing = 0
    for what, apart, costs in FORCED:
        equal = equal_without = 0
        for seed in range(programs):
            text.write_text(forced_program(Random(seed), apart=apart, largest=4000))
            peer.convert(text, binary)
            theirs = peer.simulate(binary, **vars(costs))[1]
            equal += our_runtime(binary, costs) == theirs
            equal_without += our_runtime(binary, costs, gap=False) == theirs
        differing += programs - equal
        row = f"| {what} | {costs.text()} | {programs} | {equal} | {equal_without} |"
        print(row, flush=True)
    return differing


def traces(peer: Peer, work: Path) -> None:
    """Second table: by how much our T differs on real programs, in per cent of LogGOPSim's."""
    binary = work / "trace.bin"
    print("\n| trace | " + " | ".join(costs.text() for costs in TRACES) + " |")
    print("|---|" + "---|" * len(TRACES))
    for name in ARCHIVES:
        graph, cells = graph_of(name), []
        for costs in TRACES:
            _core.graph_format("goal-binary").write(graph, str(binary), costs.S)
            theirs = peer.simulate(binary, **vars(costs))[1]
            try:
                ours = our_runtime(binary, costs)
            except _core.InputError:  # in the order of the file, receives wait in a circle
                cells.append("circle")
                continue
            cells.append("0" if ours == theirs else f"{100 * (ours / theirs - 1):+.2f} %")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


OVERHEADS = (0, 1000, 5000)
"""ns, where a CPU's order is looked at."""


def unordered(peer: Peer, work: Path, programs: int) -> int:
    """Second table: programs that leave a CPU's order open. How many differ at the baseline."""
    text, binary = work / "unordered.goal", work / "unordered.bin"
    print("\n| o | programs | T equal | least without an order | T of each program, ns |")
    print("|---|---|---|---|---|")
    differing = 0
    for o in OVERHEADS:
        costs, found, least = Costs(o=o), [], 0.0
        for seed in range(programs):
            text.write_text(unordered_program(Random(seed)))
            peer.convert(text, binary)
            found.append(peer.simulate(binary, **vars(costs))[1])
            network = costs.network(gap=False)
            ours, without, _ = in_orders(binary, network, [float(costs.L)])
            differing += ours[0] != found[-1]
            least = min(least, without[0] / found[-1] - 1)
        print(f"| {o} | {programs} | {programs - differing} | {100 * least:.1f} % | {found} |")
    return differing


def in_orders(
    binary: Path, network: _core.Network, latencies: list[float]
) -> tuple[np.ndarray, np.ndarray, str]:
    """T in the baseline's order and without one, and how much of the order was chosen."""
    model = _core.Model(_core.graph_format("goal-binary").read(str(binary)), network)
    ordered = _core.in_order_of(model.graph, model.service(network.L))
    far = _core.otherwise(ordered, model.service(latencies[-1]))
    found, without = (
        _core.Model(graph, network).along().runtime(np.array(latencies))
        for graph in (ordered, model.graph)
    )
    return found, without, f"{_core.choices(ordered):,}, {far:,}"


def of_files(peer: Peer, files: list[Path]) -> None:
    """Third table: by how much T differs with an order and without, at L and at 3 L."""
    print("| program | o | baseline, at L | at 3 L | none, at L | at 3 L | chosen, other at 3 L |")
    print("|---|---|---|---|---|---|---|")
    for file in files:
        for o in OVERHEADS:
            near = Costs(o=o)
            far = Costs(o=o, L=3 * near.L)
            theirs = np.array([peer.simulate(file, **vars(costs))[1] for costs in (near, far)])
            latencies = [float(near.L), float(far.L)]
            ours, without, chosen = in_orders(file, near.network(gap=False), latencies)
            cells = [f"{100 * (T / t - 1):+.2f} %" for T, t in zip(ours, theirs, strict=True)]
            cells += [f"{100 * (T / t - 1):+.2f} %" for T, t in zip(without, theirs, strict=True)]
            print(f"| {file.stem} | {o} | " + " | ".join(cells) + f" | {chosen} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=100, help="forced programs a line")
    parser.add_argument("--goal", metavar="FILE", type=Path, nargs="+", help="GOAL binaries")
    arguments = parser.parse_args()
    programs: int = arguments.programs
    peer = find_peer()
    if peer is None:
        print("LogGOPSim is not here; benchmarks/README.md says how to have it", file=sys.stderr)
        return 2
    if arguments.goal:
        of_files(peer, arguments.goal)
        return 0
    with tempfile.TemporaryDirectory() as work:
        differing = forced(peer, Path(work), programs)
        differing += unordered(peer, Path(work), programs)
        traces(peer, Path(work))
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
