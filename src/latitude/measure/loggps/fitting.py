"""L, o, g, G and O of a pair, each with replicates, from its measurements.

A ping-pong between blocking ranks takes, by docs/explanation/model.md and with B = (s - 1) (G + O):

                 half round trip     a blocking send, whose receiver waits already
    eager        L + 2 o + B
    handshake    3 L + 4 o + B       2 L + 3 o + B
    put          5 L + 10 o + B      4 L + 9 o + B
    get          3 L + 4 o + B       4 L + 5 o + B
    llamp        4 L + 2 o + B       4 L + 3 o + B
    sync         L + 2 o + B         L + o + B

L is the rest of a half round trip of one byte after both overheads, so that the model is exact for
one byte. If nothing remains (processors do the network's work, as in shared memory), L is 0, and o
is smaller. Each replicate is fitted separately, so that results do not jump near L = 0.
"""

from dataclasses import dataclass

import numpy as np

from latitude.measure.loggps.pair import Pair, sizes
from latitude.measure.loggps.replicates import REPLICATES, Replicates, nearly_always
from latitude.measure.loggps.segments import coefficients, lines
from latitude.results.measurement import Reading

_Counts = tuple[int, int]
"""Numbers of latencies and of overheads."""
READINGS: dict[Reading, tuple[_Counts, _Counts]] = {
    "handshake": ((3, 4), (2, 3)),
    "put": ((5, 10), (4, 9)),
    "get": ((3, 4), (4, 5)),
    "llamp": ((4, 2), (4, 3)),
    "sync": ((1, 2), (1, 1)),
}
"""Rendezvous → counts in half a round trip, and in a blocking send."""
UNTOLD: Reading = "handshake"
"""The reading for models without rendezvous, and if no reading is closest in nearly all replicates.
"""
_EAGER = (1, 2)


@dataclass(frozen=True, slots=True)
class PairFit:
    """Parameters of one pair."""

    L: Replicates
    rest: Replicates
    """Half a round trip of one byte less its overheads, ns: L if positive."""
    send: Replicates
    receive: Replicates
    o: Replicates
    """The model's o: the mean of both overheads, or less if no L remains."""
    g: Replicates
    slope: Replicates
    """Slope of half a round trip over its size: G + O."""
    O: Replicates
    """CPU time per byte, mean of both ends, ns; 0 with only one eager size."""
    rendezvous: Reading | None
    """The reading closest to the messages larger than S; None without such messages."""
    reading_told: bool
    """Whether `rendezvous` is closest in nearly all replicates; otherwise it is `UNTOLD`."""
    error: dict[int, float]
    """Size → (model / measured half round trip) − 1."""


def fit(pair: Pair, size: int) -> PairFit:
    """The parameters, with the overheads of messages of `size` bytes.

    Sizes above the eager limit have no own overhead; the largest eager size represents these sizes.
    """
    send, receive = _overhead(pair, pair.send, size), _overhead(pair, pair.receive, size)
    least = _overhead(pair, pair.send, 1) + _overhead(pair, pair.receive, 1)
    small = pair.half[min(pair.half)]
    rest = small - least
    L = np.maximum(rest, 0.0)
    # If rest < 0, both overheads of one byte exceed half a round trip, and o shrinks to fit it. On
    # a busy machine, the overheads of one byte may even exceed those of larger messages.
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
        error=_errors(pair, float(L[0]), float(o[0]), float(slope[0]), READINGS[name][0]),
    )


def _overhead(pair: Pair, kind: dict[int, Replicates], size: int) -> Replicates:
    """The overhead at a size, interpolated between measured eager sizes; 0 without such sizes."""
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
    """The common slope of two lines, one for eager and one for larger messages."""
    return _common_slope(pair.half, pair.eager)


def _per_byte(pair: Pair, kind: dict[int, Replicates]) -> Replicates:
    """The growth of an overhead with each byte of an eager message."""
    eager = {size: kind[size] for size in sizes(pair, kind)}
    if len(eager) < 2:  # noqa: PLR2004 - a line has two ends
        return np.zeros(REPLICATES + 1)
    return _common_slope(eager, pair.eager)


def _common_slope(measured: dict[int, Replicates], limit: int) -> Replicates:
    """One slope, at least 0, for two lines: over sizes up to `limit`, and over larger sizes.

    The fit is least squares of relative deviations. Each line has its own offset, so that fixed
    costs of a protocol do not affect the slope.
    """
    sizes = np.array(sorted(measured), dtype=np.float64)
    times = np.stack([measured[int(size)] for size in sizes])
    late = sizes > limit
    parts = [each for each in (~late, late) if each.any()]
    columns = np.column_stack([*(each.astype(np.float64) for each in parts), sizes - 1])
    found: Replicates = np.maximum(coefficients(columns, times)[-1], 0.0)
    return found


def _errors(pair: Pair, L: float, o: float, slope: float, late: _Counts) -> dict[int, float]:
    """The model's relative deviation at each size; `late` has the counts of the rendezvous."""
    found = {}
    for size, half in sorted(pair.half.items()):
        latencies, overheads = late if size > pair.eager else _EAGER
        model = latencies * L + overheads * o + (size - 1) * slope
        found[size] = model / float(half[0]) - 1
    return found


def _reading(pair: Pair, L: Replicates, o: Replicates, slope: Replicates) -> Reading | None:
    """The rendezvous that matches the latencies and overheads of messages above S at both ends.

    None unless nearly all replicates agree. If two readings are equally close, the result is None.
    """
    beside = {name: np.zeros_like(L) for name in READINGS}
    for end, measured in enumerate((pair.half, pair.held)):
        late = {size: times for size, times in measured.items() if size > pair.eager}
        if late:
            start = _at_one_byte(late, slope)
            for name, counts in READINGS.items():
                latencies, overheads = counts[end]
                beside[name] += np.abs(start - latencies * L - overheads * o)
    for name, distance in beside.items():
        others = np.min([each for other, each in beside.items() if other != name], axis=0)
        if nearly_always(distance < others):
            return name
    return None


def _at_one_byte(measured: dict[int, Replicates], slope: Replicates) -> Replicates:
    """Time of a rendezvous without its bytes: the line over its sizes, at one byte.

    The slope of the line may differ from G, because eager messages are copied. With a single size
    the common slope counts.
    """
    sizes = sorted(measured)
    times = np.stack([measured[size] for size in sizes])
    if len(sizes) > 1:
        start, _ = lines(np.array(sizes, dtype=np.float64), times)
        return start
    found: Replicates = times[0] - (sizes[0] - 1) * slope
    return found
