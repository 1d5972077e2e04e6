"""Predictions from one trace against SimGrid SMPI, online, over a sweep of the latency.

    python benchmarks/validate_simgrid.py [TRACE]

Without TRACE the calls come from SMPI itself, its time-independent trace of one run. TRACE is what
`latitude trace -o TRACE -- mpirun -np 8 ./phases` recorded of the same program under a real MPI
(tests/support/simgrid/phases.c, compiled with mpicc).

Prints simulated and predicted time at every latency, and the relative root mean square error, for
eager messages, for links that messages share, and for rendezvous in each reading.
"""

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from latitude import _core, load

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.simgrid.smpi import Platform, Smpi
from support.simgrid.ti import write_liballprof

LATENCIES_US = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
BASE = Platform(latency_ns=1_000.0)
SMALL = replace(BASE, eager_limit=4_096)
"""An eager limit that the halo (8 KiB) and the large ping-pong (32 KiB) exceed."""
CASES = (
    ("eager", BASE, ("handshake",)),
    ("eager, links shared", replace(BASE, contention=True), ("handshake",)),
    ("rendezvous above 4 KiB", SMALL, ("sync", "handshake", "llamp")),
    ("rendezvous above 4 KiB, o = 0", replace(SMALL, overhead_ns=0.0), ("sync",)),
)


def main() -> None:
    """Prints the tables."""
    latency = np.array(LATENCIES_US) * 1e3
    with TemporaryDirectory() as name:
        smpi = Smpi(Path(name))
        if len(sys.argv) > 1:
            trace = Path(sys.argv[1])
        else:
            trace = write_liballprof(smpi.trace(BASE), Path(name) / "trace")
        graph = load(trace, collectives=["allreduce=recursive-doubling"], async_progress=True).graph
        for what, platform, readings in CASES:
            measured = np.array(
                [smpi.measure(replace(platform, latency_ns=L)) for L in latency.tolist()]
            )
            for reading in readings:
                predicted = _core.Model(graph, platform.network(reading)).along().runtime(latency)
                off = predicted / measured - 1
                print(f"\n{what}, predicted with --rendezvous {reading}")
                print("   L µs  simulated ms  predicted ms     off")
                for row in zip(LATENCIES_US, measured * 1e-6, predicted * 1e-6, off, strict=True):
                    print("{:>7}  {:>12.6f}  {:>12.6f}  {:+.1e}".format(*row))
                print(f"RRMSE {np.sqrt(np.mean(off**2)):.1e}")


if __name__ == "__main__":
    main()
