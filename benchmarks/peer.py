"""LogGOPSim [H] where it is installed beside the project; never part of it."""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from harness import Finished, run

ROOT = Path(__file__).parents[1]
_FINISHED = re.compile(r"Maximum finishing time at host \d+: (\d+)")


@dataclass(frozen=True)
class Peer:
    """Paths of the simulator and of its text-to-binary converter."""

    simulator: Path
    txt2bin: Path

    def simulate(
        self, binary: Path, *, L: int, o: int, S: int, g: int = 0, G: int = 0, O: int = 0
    ) -> tuple[Finished, float]:
        """One whole run, and the simulated ns."""
        values = {"L": L, "o": o, "S": S, "g": g, "G": G, "O": O}
        costs = [text for name, value in values.items() for text in (f"-{name}", str(value))]
        done = run([str(self.simulator), "-f", str(binary), *costs, "-b"])
        found = _FINISHED.search(done.output)
        return done, float(found.group(1)) if found else float("nan")

    def convert(self, text: Path, binary: Path) -> Finished:
        """GOAL text to binary."""
        return run([str(self.txt2bin), "-i", str(text), "-o", str(binary)])


def find_peer() -> Peer | None:
    """In $LOGGOPSIM_DIR, then ./peer, then on PATH."""
    for place in (os.environ.get("LOGGOPSIM_DIR"), ROOT / "peer"):
        if place and (Path(place) / "LogGOPSim").exists() and (Path(place) / "txt2bin").exists():
            return Peer(Path(place) / "LogGOPSim", Path(place) / "txt2bin")
    simulator, txt2bin = shutil.which("LogGOPSim"), shutil.which("txt2bin")
    return Peer(Path(simulator), Path(txt2bin)) if simulator and txt2bin else None
