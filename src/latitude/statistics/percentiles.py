"""Percentiles with intervals that assume no distribution."""

import math
from dataclasses import dataclass
from typing import Annotated

from latitude._types import Count, Nanoseconds, Share
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.statistics.conventions import CONFIDENCE, Assumption
from latitude.statistics.quantiles import binomial_ends
from latitude.statistics.sample import Sample
from latitude.units.columns import TIME, column
from latitude.units.quantities import format_time

SHARES = (0.5, 0.75, 0.85, 0.9, 0.95, 0.99, 0.999, 0.9999)
"""Shares from p50 to p99.99; Salimi Beni and Cosenza 2022, §1.1, begin the long tail at p85."""
ASSUMPTION = Assumption(
    "percentiles",
    "intervals lie between order statistics (binomial ranks) and need no distribution, only "
    "independent samples",
    "samples follow one another closely (autocorrelation): intervals are then too short",
)


@dataclass(frozen=True, slots=True)
class Percentile:
    """A percentile with its 95 % interval.

    The interval lies between two order statistics whose ranks are binomial quantiles (David &
    Nagaraja, Order Statistics, 3rd ed., §7.1). The interval holds for every continuous
    distribution, if the samples are independent. If order statistics are known only to a sketch's
    cell, the interval includes both cells.
    """

    name: Annotated[str, column("percentile")]
    """Name, e.g. p99.9."""
    share: Share
    value_ns: Annotated[Nanoseconds, column("latency", TIME)]
    low_ns: Nanoseconds | None
    """Lower end of the interval; null if the samples are too few for this end."""
    high_ns: Nanoseconds | None
    needed: Count
    """Fewest samples with which both ends exist."""

    @property
    def interval(self) -> Annotated[str, column("95 % interval")]:
        """The interval, or the number of samples that it would need."""
        if self.low_ns is not None and self.high_ns is not None:
            return f"{format_time(self.low_ns)} – {format_time(self.high_ns)}"
        if self.low_ns is not None:
            return f"over {format_time(self.low_ns)}; n ≥ {self.needed:,} bounds it"
        return f"none; needs n ≥ {self.needed:,}"


def ranks(share: float, n: int, confidence: float = CONFIDENCE) -> tuple[int, int]:
    """Ranks (1 … n) of the order statistics that bound the percentile; 0 or n+1 if none does.

    P(X(low) ≤ quantile) ≥ 1 − α/2 and P(quantile ≤ X(high)) ≥ 1 − α/2, with the number of samples
    below the quantile binomial(n, share).
    """
    tail = (1 - confidence) / 2
    low, high = binomial_ends(tail, n, share)
    return low, high + 1


def needed(share: float, confidence: float = CONFIDENCE) -> int:
    """Least n for which the sample's extremes bound the percentile on both sides."""
    tail, rarer = (1 - confidence) / 2, max(share, 1 - share)
    return math.ceil(math.log(tail) / math.log(rarer))


def percentile(sample: Sample, share: float) -> Percentile:
    """One percentile, linear between two ranks."""
    position = share * (sample.n - 1)
    below = int(position)
    first, second = sample.at_rank(below + 1), sample.at_rank(min(below + 2, sample.n))
    low, high = ranks(share, sample.n)
    return Percentile(
        f"p{share * 100:g}",
        share,
        first + (position - below) * (second - first),
        sample.bounds(low)[0] if low >= 1 else None,
        sample.bounds(high)[1] if high <= sample.n else None,
        needed(share),
    )


def percentiles(sample: Sample) -> list[Percentile]:
    """The percentiles of every report."""
    return [percentile(sample, share) for share in SHARES]


def unbounded(found: list[Percentile], n: int) -> list[Notice]:
    """One warning about the percentiles of n samples without an interval."""
    short = [each for each in found if each.low_ns is None or each.high_ns is None]
    if not short:
        return []
    names = ", ".join(each.name for each in short)
    more = f", {short[-1].name} {short[-1].needed:,}" if len(short) > 1 else ""
    return [
        kinds.FEW_SAMPLES(
            f"{n:,} samples are too few for an interval of {names}",
            name=short[0].name,
            needed=short[0].needed,
            more=more,
        )
    ]
