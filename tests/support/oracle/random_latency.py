"""T of a sample, slowly: draws as in docs/explanation/model.md, then each inequality by itself.

All costs must be whole numbers and tables whole ns, so that nothing is ever rounded.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .arrays import CALC, SEND, GraphArrays, Parameters, flies
from .instants import END, INSTANTS, MEET, START, inequalities

_ALL = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_NOISE, _SHARED = 0x80000000, 0x40000000
_POSTED = {
    # messages that somebody posts after the match until the send, and the receive, has ended
    "handshake": ((1, 2), (1, 2)),
    "put": ((1, 2, 4), (1, 2, 4)),
    "get": ((1, 3), (1,)),
    "llamp": ((1, 2), (1, 2)),
}


def mix(x: int) -> int:
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & _ALL
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & _ALL
    return x ^ x >> 31


def index(key: int, seed: int, sample: int) -> int:
    """Which of a table's 4,096 entries a key draws in a sample."""
    base = mix((mix((seed + _GOLDEN) & _ALL) + (sample // 8) * _GOLDEN) & _ALL)
    before, low, high = (mix((base + k * _GOLDEN) & _ALL) for k in (1, 2, 3))
    x = mix(key) ^ before
    x = ((x ^ x >> 32) * 0xD6E8FEB86659FD93) & _ALL
    x ^= x >> 29
    if sample % 8 < 4:
        product = ((x ^ low) * 0xA0761D6478BD642F) & _ALL
    else:
        product = ((x ^ high) * 0xE7037ED1A0B428DB) & _ALL
    word = product ^ product >> 32
    return word >> (16 * (sample % 4) + 4) & 0xFFF


class RandomLatency:
    """A program, a network and what is drawn."""

    def __init__(
        self,
        graph: GraphArrays,
        rank_begin: NDArray[np.uint32],
        costs: Parameters,
        table: Sequence[int],
        *,
        where: str,
        per: str,
        seed: int,
        noise: Sequence[float] | None = None,
        noise_per: str = "vertex",
    ) -> None:
        self._graph, self._costs, self._table = graph, costs, table
        self._where, self._per, self._seed = where, per, seed
        self._noise, self._noise_per = noise, noise_per
        self._begin = rank_begin
        self._rows = inequalities(graph, costs)
        self._posts = (np.asarray(graph.kind) == SEND) & flies(graph)

    def runtime(self, sample: int) -> float:
        """T, by relaxing inequalities until none is broken."""
        rows, costs = self._rows, self._costs
        weights = [
            self._weight(i, sample)
            + int(rows.latencies[i]) * costs.L
            + int(rows.bytes[i]) * costs.G
            + int(rows.overheads[i]) * costs.o
            for i in range(len(rows.source))
        ]
        time = [0.0] * rows.instants
        changed = True
        while changed:
            changed = False
            for source, target, weight in zip(rows.source, rows.target, weights, strict=True):
                if time[source] + weight > time[target]:
                    time[target] = time[source] + weight
                    changed = True
        return max(time)

    def _weight(self, row: int, sample: int) -> float:
        """Computation with its noise, and the draws of the latencies of an inequality."""
        rows, graph = self._rows, self._graph
        target, instant = divmod(int(rows.target[row]), len(INSTANTS))
        source, before = divmod(int(rows.source[row]), len(INSTANTS))
        total = float(rows.calc[row])
        if total and self._noise is not None:
            total *= self._noise[index(self._noise_key(target), self._seed, sample)]
        for recv, wire in self._wires(row, source, before, instant):
            total += self._table[index(self._key(recv, wire), self._seed, sample)]
        if self._where == "sender" and instant == START and self._posts[target]:
            total += self._table[index(self._key(graph.partner[target], 0), self._seed, sample)]
        return total

    def _wires(self, row: int, source: int, before: int, instant: int) -> list[tuple[int, int]]:
        """The messages on the wire that an inequality waits for: (receive, number)."""
        rows, graph = self._rows, self._graph
        latencies = int(rows.latencies[row])
        if not latencies:
            return []
        recv = int(graph.partner[source] if graph.kind[source] == SEND else source)
        if before == START:  # an eager message, or the request of a rendezvous
            assert instant in (MEET, END)
            return [] if self._where == "sender" else [(recv, wire) for wire in range(latencies)]
        assert before == MEET
        wires: Sequence[int] = range(1, 1 + latencies)
        if self._where == "sender":
            by_kind = _POSTED[self._costs.rendezvous]
            wires = by_kind[0 if graph.kind[int(rows.target[row]) // len(INSTANTS)] == SEND else 1]
        return [(recv, wire) for wire in wires]

    def _key(self, recv: int, wire: int) -> int:
        if self._per == "message":
            return wire << 32 | int(recv)
        ends = self._rank(int(self._graph.partner[recv])), self._rank(recv)
        source, target = ends if wire % 2 == 0 else ends[::-1]
        stream = source if self._per == "rank" else source * (len(self._begin) - 1) + target
        return (_SHARED | stream) << 32

    def _noise_key(self, calc: int) -> int:
        assert self._graph.kind[calc] == CALC
        if self._noise_per == "vertex":
            return _NOISE << 32 | calc
        return (_NOISE | _SHARED | self._rank(calc)) << 32

    def _rank(self, vertex: int) -> int:
        return int(np.searchsorted(self._begin, vertex, side="right")) - 1
