"""Latencies of every iteration: arguments of the program `samples`, and its results as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from latitude._core import InputError
from latitude.measure.results import BenchResults, Series

if TYPE_CHECKING:
    import pandas as pd

PROGRAM = "samples"
PINGPONG, BARRIER = "pingpong", "barrier"
REDUCING = ("reduce", "allreduce", "reduce_scatter", "scan")
COLLECTIVES = ("bcast", "alltoall", "allgather", "gather", "scatter", *REDUCING)
SIZES = (4, 1 << 10, 1 << 15, 1 << 20)
"""Message sizes of Salimi Beni and Cosenza 2022, Table 1, bytes."""
ITERATIONS = 1000
INTERVAL_NS = 1e6
"""Time between iterations in Salimi Beni and Cosenza 2022, §3.3, ns."""
WARMUP = 100
_FLOAT = 4
_MOST_BYTES = (1 << 31) - 1
_COLUMNS = ("begin", "late_ns", "skew_ns", "latency_ns", "slowest_rank")
_ROWS, _RANKS = "iterations", "rank_latency_ns"


@dataclass(frozen=True, slots=True)
class Sampling:
    """Options for measuring one operation at some sizes."""

    operation: str
    sizes: Sequence[int] = SIZES
    iterations: int = ITERATIONS
    warmup: int = WARMUP
    interval_ns: float = INTERVAL_NS
    precision: float = 0.0
    """Continues until half the median's 95 % interval is within this share of the median; 0 turns
    this off."""
    at_most_ns: float = 6e10
    """Longest time for reaching this precision, per size, ns."""
    each_rank: bool = False
    """Whether to record each rank's own time in the operation, too."""
    each_clock: bool = False
    """Whether to measure the clocks of all ranks, even of ranks on one node, which share a clock.
    """
    pair: tuple[int, int] = (0, 1)
    """The two ranks of a ping-pong."""

    def __post_init__(self) -> None:
        """InputError: a size is too large for MPI, or does not fit the operation's numbers."""
        for size in self.sizes:
            if size > _MOST_BYTES:
                raise InputError(f"--size: {size:,} bytes are more than MPI counts (2^31 - 1)")
            if self.operation in REDUCING and (size % _FLOAT or size == 0):
                raise InputError(
                    f"--size: {self.operation} adds floats of {_FLOAT} bytes; {size} is no "
                    "multiple of that"
                )

    def arguments(self, *, pin: bool, beside: bool) -> dict[str, str | float]:
        """Arguments of the program; `beside`: another job runs on the same nodes."""
        return {
            "operation": self.operation,
            "sizes": "0" if self.operation == BARRIER else ",".join(map(str, self.sizes)),
            "iterations": self.iterations,
            "warmup": self.warmup,
            "interval_ns": self.interval_ns,
            "precision": self.precision,
            "at_most_ns": self.at_most_ns,
            "each_rank": int(self.each_rank),
            "each_clock": int(self.each_clock),
            "first": self.pair[0],
            "second": self.pair[1],
            "pin": int(pin),
            "beside": int(beside),
        }


def done(results: BenchResults) -> tuple[int, int]:
    """The present size, and the number of its finished iterations without warm-up."""
    blocks = list(results.named(_ROWS))
    if not blocks:
        return 0, 0
    size = blocks[-1].number("bytes")
    of_size = (b for b in blocks if b.number("bytes") == size and not b.number("warmup"))
    return size, sum(len(block.values) for block in of_size) // len(_COLUMNS)


def table(results: BenchResults, *, warmup: bool) -> "pd.DataFrame":
    """One row per iteration, in the order of measurement; times are ns.

    `iteration` counts from 0 for each size, and `time` is the agreed start. `latency_ns` lasts from
    the first rank's start to the last rank's end (for a ping-pong half the round trip). `late_ns`
    is the lateness of the last rank, `skew_ns` the time between the first and the last start.
    `window_ns` is the time between two starts, `clock_error_ns` the error of the clocks for these
    rows. Other columns are `collective`, `bytes`, `ranks`, `nodes` and `slowest_rank`.

    Args:
        results: results of the program.
        warmup: selects the iterations of the warm-up instead of the measured iterations.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    began_s = float(results.text("began"))
    pieces = [_piece(block, began_s) for block in _of(results, _ROWS, warmup=warmup)]
    if not pieces:
        return pd.DataFrame()
    frame = pd.concat(pieces, ignore_index=True)
    return _labelled(frame, results, ["bytes"])


def table_of_ranks(results: BenchResults) -> "pd.DataFrame":
    """One row per iteration and rank: the rank's time in the operation, by its own clock."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    pieces = [_rank_piece(block) for block in _of(results, _RANKS, warmup=False)]
    if not pieces:
        return pd.DataFrame()
    return _labelled(pd.concat(pieces, ignore_index=True), results, ["bytes", "rank"])


def _rank_piece(block: Series) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - slow to import

    rows = pd.DataFrame({"latency_ns": np.asarray(block.values)})
    return rows.assign(rank=block.number("rank"), bytes=block.number("bytes"))


def _of(results: BenchResults, name: str, *, warmup: bool) -> Iterator[Series]:
    return (block for block in results.named(name) if block.number("warmup") == int(warmup))


def _piece(block: Series, began_s: float) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - slow to import

    table_of = np.reshape(block.values, (-1, len(_COLUMNS)))
    rows = pd.DataFrame(table_of, columns=list(_COLUMNS))
    begin_us = np.round(began_s * 1e6 + rows.pop("begin").to_numpy() / 1e3)
    rows["time"] = pd.to_datetime(begin_us.astype(np.int64), unit="us", utc=True)
    rows["slowest_rank"] = rows["slowest_rank"].astype(np.int32)
    rows["bytes"] = block.number("bytes")
    rows["window_ns"] = float(block.labels["window_ns"])
    rows["clock_error_ns"] = float(block.labels["clock_error_ns"])
    return rows


def _labelled(frame: "pd.DataFrame", results: BenchResults, by: list[str]) -> "pd.DataFrame":
    places = results.places()
    frame["collective"] = results.text("operation")
    frame["ranks"] = results.ranks
    frame["nodes"] = len({place.node for place in places})
    frame["iteration"] = frame.groupby(by, sort=False).cumcount()
    return frame
