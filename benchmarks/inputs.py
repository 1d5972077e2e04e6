"""Graphs that the benchmarks run on: real traces repeated to a million operations, one stencil."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from latitude import _core

from make_trace import make_trace
from stencil import write_stencil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.all_to_all import write_all_to_all
from support.exchange import write_halo

ROOT = Path(__file__).parents[1]
TRACES = ROOT.parent / "shared" / "traces"
EAGER_LIMIT = 256 * 1024

REPEATS = {
    "BIG-npb-lu.A-8": 1,
    "hpcg-8-n8": 3,
    "lammps-melt-8": 22,
    "lulesh-8-i100-s8": 20,
}
"""Times each trace is repeated to reach 1e6 graph vertices."""


@dataclass(frozen=True)
class Input:
    """A graph, and the name it goes by in the table."""

    name: str
    graph: _core.Graph


class Inputs:
    """Makes inputs in a working directory, once; later runs find them there."""

    def __init__(self, work: Path) -> None:
        self.work = work
        work.mkdir(parents=True, exist_ok=True)

    def trace(self, name: str, repeat: int) -> list[str]:
        """The files of a shared trace, its body repeated, in rank order."""
        directory = self.work / f"{name}-x{repeat}"
        listing = directory / "ranks.json"
        if not listing.exists():
            make_trace(TRACES / f"{name}.tar.xz", directory, repeat)
            files = sorted(directory.glob("*.txt"), key=lambda p: int(p.stem.rsplit("-", 1)[1]))
            listing.write_text(json.dumps([str(path) for path in files]))
        found: list[str] = json.loads(listing.read_text())
        return found

    def repeated(self, name: str) -> Input:
        """A shared trace as a graph of at least a million vertices."""
        trace = _core.trace_format("liballprof").read(self.trace(name, REPEATS[name]))
        suffix = f" ×{REPEATS[name]}" if REPEATS[name] > 1 else ""
        return Input(name + suffix, _core.build_graph(trace, consume=True))

    def stencil(self) -> Input:
        """The synthetic graph."""
        path = self.work / "stencil-16.goal"
        if not path.exists():
            write_stencil(path, side=4, iterations=7000)
        return Input("stencil, 16 ranks", _core.graph_format("goal").read(str(path)))

    def halo(self) -> Path:
        """Two ranks that exchange a halo, 2,000,000 operations: its critical latencies are many."""
        path = self.work / "halo-2.goal"
        if not path.exists():
            write_halo(path, steps=200_000)
        return path

    def synthetic(self, pattern: str, ranks: int, calls: int) -> Path:
        """A trace of known structure, as `latitude synthesize` writes it."""
        path = self.work / f"{pattern}-{ranks}-{calls}"
        if not path.exists():
            command = [sys.executable, "-m", "latitude", "synthesize", pattern, "-o", str(path)]
            numbers = ["--ranks", str(ranks), "--calls", str(calls)]
            subprocess.run(command + numbers, check=True, stdout=subprocess.DEVNULL)
        return path

    def all_to_all(self, ranks: int, steps: int) -> Path:
        """The trace of a program in which all ranks talk to all (support/all_to_all.py)."""
        path = self.work / f"all-to-all-{ranks}-{steps}"
        if not path.exists():
            write_all_to_all(path, ranks, steps)
        return path

    def makers(self) -> list[Callable[[], Input]]:
        """All graphs of a million operations that can be made here, one at a time."""
        traces = [name for name in REPEATS if (TRACES / f"{name}.tar.xz").exists()]
        return [*(partial(self.repeated, name) for name in traces), self.stencil]
