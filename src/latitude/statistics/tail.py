"""What the tail of a sample of latencies looks like ([B] §1.1, §4)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from latitude._core import InputError
from latitude.notices.notice import Notice
from latitude.samples import Moments
from latitude.statistics.long_tail import SHARE as P85
from latitude.statistics.long_tail import LongTail, long_tail
from latitude.statistics.percentiles import Percentile, percentiles
from latitude.statistics.sample import latencies
from latitude.statistics.stream import Stream
from latitude.statistics.tail_index import TailIndex, hill

LEAST = 4


@dataclass(frozen=True, slots=True)
class TailSummary:
    """Moments, percentiles, tail index, and what lies over the 85th percentile; times in ns."""

    n: int
    mean_ns: float
    sd_ns: float
    """With n − 1."""
    least_ns: float
    largest_ns: float
    percentiles: tuple[Percentile, ...]
    index: TailIndex | None
    """None when there are under 40 samples or the tail is one value."""
    long_tail: LongTail
    warnings: tuple[Notice, ...]

    @property
    def median_ns(self) -> float:
        """p50."""
        return self.percentiles[0].value_ns

    @property
    def gap_ns(self) -> float:
        """Mean minus median: over 0 when a tail pulls the mean up ([B] §1.1)."""
        return self.mean_ns - self.median_ns

    def at(self, share: float) -> Percentile:
        """The percentile of that share, e.g. 0.99; KeyError when it is not among them."""
        for percentile in self.percentiles:
            if percentile.share == share:
                return percentile
        raise KeyError(share)


def tail_summary(values_ns: ArrayLike, threshold_ns: float | None = None) -> TailSummary:
    """Summarises at least 4 latencies in ns; `threshold_ns` is another sample's p85, if given.

    InputError for NaN, negative values and fewer than 4 samples. A constant sample is no error.
    """
    ordered = latencies(values_ns, LEAST)

    def over(threshold: float) -> tuple[int, float]:
        first = int(np.searchsorted(ordered, threshold, side="right"))
        return ordered.size - first, float(ordered[first:].sum())

    moments = Moments()
    moments.add(ordered)
    return _summary(
        moments, lambda rank: float(ordered[rank - 1]), over, hill(ordered), threshold_ns
    )


def stream_summary(stream: Stream, threshold_ns: float | None = None) -> TailSummary:
    """Summarises a stream: moments and the largest values exactly, the rest to 0.05 %."""
    if stream.n < LEAST:
        raise InputError(f"samples: only {stream.n} values; at least {LEAST} are needed")
    return _summary(
        stream.moments, stream.at_rank, stream.over, hill(stream.top, stream.n), threshold_ns
    )


def _summary(
    moments: Moments,
    at_rank: Callable[[int], float],
    over: Callable[[float], tuple[int, float]],
    index: TailIndex | None,
    threshold_ns: float | None,
) -> TailSummary:
    n = moments.count
    found = percentiles(at_rank, n)
    own = threshold_ns is None
    limit = (
        next(p.value_ns for p in found if p.share == P85) if threshold_ns is None else threshold_ns
    )
    return TailSummary(
        n=n,
        mean_ns=moments.mean,
        sd_ns=moments.sd,
        least_ns=moments.least,
        largest_ns=moments.most,
        percentiles=found,
        index=index,
        long_tail=long_tail(n, moments.mean * n, over(limit), limit, own=own),
        warnings=notices(n, found, index, constant=moments.least == moments.most),
    )


def notices(
    n: int, found: tuple[Percentile, ...], index: TailIndex | None, *, constant: bool
) -> tuple[Notice, ...]:
    """What to know about a summary."""
    warnings = []
    if constant:
        warnings.append(
            Notice("constant", "all samples are equal", "look at the clock's resolution")
        )
    short = [p for p in found if p.low_ns is None or p.high_ns is None]
    if short:
        names = ", ".join(p.name for p in short)
        warnings.append(
            Notice(
                "few-samples",
                f"{n:,} samples are too few for an interval of {names}",
                f"{short[0].name} needs {short[0].needed:,} samples"
                + (f", {short[-1].name} {short[-1].needed:,}" if len(short) > 1 else ""),
            )
        )
    if index is not None and not index.settled:
        warnings.append(
            Notice(
                "tail-not-settled",
                f"the tail is no power law where it was looked at: α is {index.half_k:.2f} from "
                f"the {index.k // 2:,} largest samples and {index.double_k:.2f} from the "
                f"{2 * index.k:,} largest",
                "read α as the steepness there only, and compare families with latitude fit",
            )
        )
    return tuple(warnings)


def autocorrelation(values: ArrayLike) -> float:
    """Correlation of each sample with the one before it; 0 for a constant sample.

    Intervals and p-values assume independent samples: where this is large they are too optimistic.
    """
    column = np.asarray(values, dtype=np.float64)
    centred = column - column.mean()
    square = float(np.dot(centred, centred))
    return float(np.dot(centred[1:], centred[:-1])) / square if square > 0 else 0.0
