"""From what was measured of a pair to L, o, g, G and O, each with its replicates.

The model (docs/model.md) says of a ping-pong between blocking ranks, with B = (s - 1) (G + O):

    eager        half round trip = L + 2 o + B
    handshake    3 L + 4 o + B     (get, too: it differs in when the sender may go on)
    put          5 L + 10 o + B
    llamp        4 L + 2 o + B
    sync         L + 2 o + B

L is what a half round trip of one byte leaves when both overheads are taken from it, so that the
model is exact there. Where nothing is left (processors do the network's work, as in shared memory),
L is 0, and o so much smaller: in each replicate by itself, so that nothing jumps where L is near 0.
"""

from dataclasses import dataclass

import numpy as np

from latitude.measure.loggps.pair import Pair, sizes
from latitude.measure.loggps.replicates import REPLICATES, Replicates, nearly_always
from latitude.measure.loggps.segments import coefficients, lines
from latitude.results.measurement import Reading

READINGS: dict[Reading, tuple[int, int]] = {
    "handshake": (3, 4),
    "put": (5, 10),
    "llamp": (4, 2),
    "sync": (1, 2),
}
"""Latencies and overheads of half a round trip by rendezvous."""
UNTOLD: Reading = "handshake"
"""The reading where none is closest in nearly all replicates; that of a model without any."""
_EAGER = (1, 2)


@dataclass(frozen=True, slots=True)
class PairFit:
    """Parameters of one pair."""

    L: Replicates
    rest: Replicates
    """Half a round trip of one byte less its overheads: L, where it is positive."""
    send: Replicates
    receive: Replicates
    o: Replicates
    """The model's: the mean of the two; less where no L is left."""
    g: Replicates
    slope: Replicates
    """Of half a round trip over its size: G + O."""
    O: Replicates
    """What a byte costs the processors, the mean of both ends; 0 with one eager size only."""
    rendezvous: Reading | None
    """The reading that comes closest to the messages larger than S; None when there are none."""
    reading_told: bool
    """Whether it does so in nearly all replicates; else it is `UNTOLD`."""
    error: dict[int, float]
    """Size → model over measured half round trip, less 1."""


def fit(pair: Pair, size: int) -> PairFit:
    """The parameters, with the overheads of messages of `size` bytes.

    Sizes above the eager limit have no overhead of their own; the largest eager one stands for
    them.
    """
    send, receive = _overhead(pair, pair.send, size), _overhead(pair, pair.receive, size)
    least = _overhead(pair, pair.send, 1) + _overhead(pair, pair.receive, 1)
    small = pair.half[min(pair.half)]
    rest = small - least
    L = np.maximum(rest, 0.0)
    # Hidden, it is half a round trip that the two overheads of one byte make. On a busy machine
    # these may have cost more than those of larger messages.
    o = np.maximum((send + receive + np.minimum(rest, 0.0)) / 2, 0.0)
    slope = _slope(pair)
    late = any(size > pair.eager for size in pair.half)
    told = _reading(pair, L, o, slope) if late else None
    name = told or UNTOLD
    return PairFit(
        L=L,
        rest=rest,
        send=send,
        receive=receive,
        o=o,
        g=_gap(pair),
        slope=slope,
        O=(_per_byte(pair, pair.send) + _per_byte(pair, pair.receive)) / 2,
        rendezvous=name if late else None,
        reading_told=told is not None,
        error=_errors(pair, float(L[0]), float(o[0]), float(slope[0]), READINGS[name]),
    )


def _overhead(pair: Pair, kind: dict[int, Replicates], size: int) -> Replicates:
    """By linear interpolation between the sizes that were measured; none where sends wait."""
    known = list(sizes(pair, kind))
    if not known:
        return np.zeros_like(next(iter(pair.half.values())))
    above = next((k for k in known if k >= size), known[-1])
    below = max((k for k in known if k <= size), default=known[0])
    if above == below:
        return kind[above]
    share = (size - below) / (above - below)
    found: Replicates = (1 - share) * kind[below] + share * kind[above]
    return found


def _gap(pair: Pair) -> Replicates:
    known = list(sizes(pair, pair.between))
    return pair.between[known[0]] if known else np.zeros_like(next(iter(pair.half.values())))


def _slope(pair: Pair) -> Replicates:
    """The common slope of two lines, of the eager messages and of the others."""
    return _common_slope(pair.half, pair.eager)


def _per_byte(pair: Pair, kind: dict[int, Replicates]) -> Replicates:
    """What an overhead grows by with each byte of an eager message."""
    eager = {size: kind[size] for size in sizes(pair, kind)}
    if len(eager) < 2:  # noqa: PLR2004 - a line has two ends
        return np.zeros(REPLICATES + 1)
    return _common_slope(eager, pair.eager)


def _common_slope(measured: dict[int, Replicates], limit: int) -> Replicates:
    """Of the sizes up to `limit` and of those above, two lines of one slope; at least 0.

    Least squares of the relative deviations, with the start of each line left free: what a
    protocol costs beside its bytes must not bend the slope.
    """
    sizes = np.array(sorted(measured), dtype=np.float64)
    times = np.stack([measured[int(size)] for size in sizes])
    late = sizes > limit
    parts = [each for each in (~late, late) if each.any()]
    columns = np.column_stack([*(each.astype(np.float64) for each in parts), sizes - 1])
    found: Replicates = np.maximum(coefficients(columns, times)[-1], 0.0)
    return found


def _errors(
    pair: Pair, L: float, o: float, slope: float, late: tuple[int, int]
) -> dict[int, float]:
    """The model's deviation at each size, `late` being the counts of the rendezvous."""
    found = {}
    for size, half in sorted(pair.half.items()):
        latencies, overheads = late if size > pair.eager else _EAGER
        model = latencies * L + overheads * o + (size - 1) * slope
        found[size] = model / float(half[0]) - 1
    return found


def _reading(pair: Pair, L: Replicates, o: Replicates, slope: Replicates) -> Reading | None:
    """The rendezvous whose latencies and overheads the messages above S have.

    These are what their line has at one byte: its slope may be another than G, as eager messages
    are copied. Of a single size there is no line, and the common slope counts. None where nearly
    all replicates do not agree; with L = 0 two readings are one, and neither is told.
    """
    late = sorted(size for size in pair.half if size > pair.eager)
    times = np.stack([pair.half[size] for size in late])
    if len(late) > 1:
        start, _ = lines(np.array(late, dtype=np.float64), times)
    else:
        start = times[0] - (late[0] - 1) * slope
    beside = {
        name: np.abs(start - latencies * L - overheads * o)
        for name, (latencies, overheads) in READINGS.items()
    }
    for name, distance in beside.items():
        others = np.min([each for other, each in beside.items() if other != name], axis=0)
        if nearly_always(distance < others):
            return name
    return None
