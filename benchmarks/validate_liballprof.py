"""Whether two traces of one program give the same execution graph: vertices, matches and bytes.

validate_liballprof.py TRACE TRACE: computation apart (it is measured anew in each run), the graphs
must hold the same sends and receives in the same order, matched alike. Prints T of both.
"""

import sys
from pathlib import Path

import latitude
import numpy as np
from latitude import _core
from numpy.typing import NDArray

CALC = 0


def communication(graph: _core.Graph) -> NDArray[np.int64]:
    """Per rank: kind, bytes, tag, and (rank, how many-th) of the partner of each operation."""
    operations = np.flatnonzero(graph.kind != CALC)
    begin = graph.rank_begin.astype(np.int64)
    rank = np.searchsorted(begin, operations, side="right") - 1
    first = np.searchsorted(operations, begin[:-1])
    place = np.arange(operations.size) - first[rank]
    index = np.full(graph.vertices, -1)
    index[operations] = np.arange(operations.size)
    partner = index[graph.partner[operations]]
    return np.column_stack(
        [rank, graph.kind[operations], graph.value[operations], rank[partner], place[partner]]
    )


def main() -> int:
    programs = [latitude.load(Path(path)) for path in sys.argv[1:3]]
    results = [latitude.analyze(program) for program in programs]
    a, b = (communication(program.graph) for program in programs)
    same = a.shape == b.shape and bool((a == b).all())
    print(
        f"operations {a.shape[0]:,} {b.shape[0]:,}  bytes {programs[0].graph.bytes:,} "
        f"{programs[1].graph.bytes:,}  same {same}  "
        f"T {results[0].baseline.T_ns / 1e6:.3f} {results[1].baseline.T_ns / 1e6:.3f} ms  "
        f"lambda {results[0].baseline.lambda_L:g} {results[1].baseline.lambda_L:g}"
    )
    if a.shape == b.shape and not same:
        where = np.flatnonzero((a != b).any(axis=1))
        print("first differences at", where[:5], a[where[:3]].tolist(), b[where[:3]].tolist())
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
