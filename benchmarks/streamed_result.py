"""One analysis of a folder that is evaluated while it is read; prints what it took as JSON."""

import json
import resource
import sys
import time
from pathlib import Path

from latitude import _core
from latitude.analysis.stream import analyze_stream
from latitude.model.network import Network
from latitude.trace.pieces import open_in_pieces


def main() -> None:
    trace = open_in_pieces(Path(sys.argv[1]))
    network = Network.parse({"L": "3us", "o": "0ns", "G": "0.25ns/B", "S": "256KiB"})
    begun, clock = time.process_time(), time.monotonic()
    found = analyze_stream(trace, network)
    took, wall = time.process_time() - begun, time.monotonic() - clock
    columns, rows = _core.synthetic_grid(trace.ranks)
    result = {
        "T_ns": found.T_ns,
        "lambda": found.sensitivity.slope,
        "passes": found.streamed.passes,
        "cpu_seconds": took,
        "wall_seconds": wall,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "columns": columns,
        "rows": rows,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
