"""Tables of netem (`tc qdisc … netem delay MEAN SD distribution NAME`).

Entries are (x − mean)/sd · 8192 in 16 bits: iproute2's maketable cuts everything beyond ±4 sd.
"""

from pathlib import Path

import numpy as np

from latitude._core import InputError
from latitude.distributions.table import SIZE, Figures, QuantileTable, entries, lines_of
from latitude.notices import kinds

FACTOR = 8192
"""NETEM_DIST_SCALE in linux/pkt_sched.h."""
_LIMIT = 4 * FACTOR - 1
"""Largest 16-bit integer: 4 sd minus one step."""


def read_netem(path: Path, mean_ns: float, sd_ns: float) -> QuantileTable:
    """A netem table with this mean and sd, in ns."""
    steps = np.array(entries(path, lines_of(path)), dtype=np.float64)
    if np.abs(steps).max() > _LIMIT + 1:
        raise InputError(f"{path}: entries beyond ±{_LIMIT}; not a netem table")
    latency = mean_ns + steps * sd_ns / FACTOR
    high, low = int(np.sum(steps >= _LIMIT)), int(np.sum(steps <= -_LIMIT))
    below = int(np.sum(latency < 0))
    notices = []
    if high or low:
        notices.append(
            kinds.NETEM_CLIPPED(
                f"{high + low:,} of {SIZE:,} entries of {path} stand at netem's limits of ±4 sd "
                f"({high:,} above, {low:,} below): the tail beyond was cut when it was made"
            )
        )
    if below:
        notices.append(
            kinds.NETEM_BELOW_ZERO(
                f"{below:,} of {SIZE:,} entries of {path} would be negative and became 0"
            )
        )
    values = np.sort(np.rint(np.maximum(latency, 0)).astype(np.int64))
    asked = Figures(mean_ns, sd_ns, float(np.sort(latency)[int(0.999 * SIZE)]))
    source = f"netem:{path}(mean={mean_ns!r}ns,sd={sd_ns!r}ns)"
    return QuantileTable(values, source, asked, notices)
