"""One analysis of a folder that is evaluated while it is read; prints what it took as JSON."""

import json
import sys
import time
from pathlib import Path

from latitude import _core
from latitude.analysis.stream import analyze_stream
from latitude.model.network import Network
from latitude.trace.pieces import open_in_pieces

from harness import peak_bytes


class Stopwatch:
    """Told of each pass; takes processor and wall time when one begins."""

    def __init__(self) -> None:
        self.begun: list[tuple[float, float]] = []

    def stage(self, _text: str, _total: int | None = None) -> None:
        """A pass begins, or all have ended."""
        self.begun.append((time.process_time(), time.monotonic()))

    def advance(self, _amount: int) -> None:
        """Within a pass nothing is taken."""

    def passes(self) -> list[tuple[float, float]]:
        """Processor and wall seconds of each."""
        ends = zip(self.begun, self.begun[1:], strict=False)
        return [(cpu - c, wall - w) for (c, w), (cpu, wall) in ends]


def main() -> None:
    """`streamed_result.py FOLDER [--no-path]`."""
    follows = "--no-path" not in sys.argv[2:]
    trace = open_in_pieces(Path(sys.argv[1]))
    network = Network.parse({"L": "3us", "o": "0ns", "G": "0.25ns/B", "S": "256KiB"})
    watch = Stopwatch()
    found = analyze_stream(trace, network, path=follows, progress=watch)
    watch.stage("ended")
    passes = watch.passes()
    path = passes.pop() if follows else None
    columns, rows = _core.synthetic_grid(trace.ranks)
    result = {
        "T_ns": found.T_ns,
        "lambda": found.sensitivity.slope,
        "paths_held": found.streamed.paths_held,
        "passes": passes,
        "path": path,
        "peak_bytes": peak_bytes(),
        "columns": columns,
        "rows": rows,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
