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
    begun = time.process_time()
    core = network.core_of(network.links(trace.ranks))
    trace.follow(core, trace.how(0, lambda _bytes: None))  # as the last pass has
    followed = time.process_time() - begun
    columns, rows = _core.synthetic_grid(trace.ranks)
    result = {
        "T_ns": found.T_ns,
        "lambda": found.sensitivity.slope,
        "passes": found.streamed.passes,
        "paths_held": found.streamed.paths_held,
        "cpu_seconds": took,
        "path_cpu_seconds": followed,
        "wall_seconds": wall,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "columns": columns,
        "rows": rows,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
