"""Child of case_trace.py: text trace to full result on two cores; prints its stages as JSON.

Read, build, compile, three tolerances, a curve of 101 points with slopes, critical latencies.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from latitude import _core

from harness import peak_bytes

LOW, HIGH = 3000.0, 103_000.0


def main(listing: Path) -> None:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    stages: dict[str, float] = {}
    began = last = time.perf_counter()
    cpu_began = time.process_time()

    def done(stage: str) -> None:
        nonlocal last
        now = time.perf_counter()
        stages[stage], last = now - last, now

    paths = json.loads(listing.read_text())
    trace = _core.trace_format("liballprof").read(paths, threads=2)
    events = trace.events
    done("read")
    graph = _core.build_graph(trace, threads=2, consume=True)
    done("build")
    network = _core.Network(L=LOW, o=5000.0, G=0.018, S=256 * 1024)
    dag = _core.Model(graph, network).along()
    done("compile")
    runtime = dag.runtime_at(LOW)
    tolerances = dag.tolerance(runtime * np.array([1.01, 1.02, 1.05]), LOW)
    done("tolerances")
    curve = dag.slopes(np.linspace(LOW, HIGH, 101))
    done("curve")
    critical = dag.breakpoints(LOW, HIGH, 2)[0]
    done("critical latencies")
    result = {
        "seconds": last - began,
        "cpu_seconds": time.process_time() - cpu_began,
        "stages": stages,
        "peak_bytes": peak_bytes(),
        "events": events,
        "vertices": graph.vertices,
        "messages": graph.messages,
        "critical": len(critical),
        "tolerances": tolerances.tolist(),
        "curve": [float(column[-1]) for column in curve],
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
