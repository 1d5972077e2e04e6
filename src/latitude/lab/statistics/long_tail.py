"""The weight of the long tail over the 85th percentile (Salimi Beni and Cosenza 2022, §1.1).

By definition 15 % of a sample lie over the 85th percentile of the same sample. So the share has a
meaning only for another sample's percentile (`threshold_ns`). The weight of a sample's own tail is
its share of all time.
"""

from dataclasses import dataclass
from typing import ClassVar

from latitude._types import Nanoseconds, Share
from latitude.statistics.conventions import Assumption
from latitude.statistics.intervals import share_interval
from latitude.statistics.percentiles import percentile
from latitude.statistics.sample import Sample
from latitude.statistics.statistic import Statistic
from latitude.units.quantities import format_share, format_time

SHARE = 0.85


@dataclass(frozen=True, slots=True)
class LongTail(Statistic):
    """Samples over a threshold, their share with its 95 % interval, and their share of the time."""

    ASSUMPTION: ClassVar = Assumption(
        "long tail (over p85)",
        "Salimi Beni & Cosenza begin the long tail at the 85th percentile; 15 % of any sample lie "
        "over its own",
        "the share is read without a threshold of another sample (--reference, --threshold)",
    )

    threshold_ns: Nanoseconds
    own: bool
    """Whether the threshold is this sample's own 85th percentile."""
    share: Share
    """Share of samples over the threshold."""
    low: Share
    high: Share
    time_share: Share
    """Share of these samples in the sum of all latencies."""

    @classmethod
    def of(cls, sample: Sample) -> "LongTail":
        """The samples over the given threshold, or else over the sample's own p85.

        The interval is Clopper and Pearson's, from the fewest to the most samples that can be over
        the threshold. The interval has no meaning for a sample's own p85.
        """
        given = sample.threshold_ns
        limit = percentile(sample, SHARE).value_ns if given is None else given
        over = sample.over(limit)
        low, high = share_interval(over.fewest, sample.n)[0], share_interval(over.most, sample.n)[1]
        total_ns = sample.mean_ns * sample.n
        time_share = over.sum_ns / total_ns if total_ns > 0 else 0.0
        return cls(limit, given is None, over.count / sample.n, low, high, time_share)

    def sentence(self) -> str:
        """The samples over the threshold, as a sentence."""
        limit, held = format_time(self.threshold_ns), format_share(self.time_share)
        if self.own:
            return f"The samples over their own p85, {limit}, hold {held} of all time."
        return (
            f"{format_share(self.share)} of the samples ({format_share(self.low)} – "
            f"{format_share(self.high)}) lie over {limit}, and hold {held} of all time."
        )

    def card(self) -> tuple[str, str, str]:
        """The tail's share of time, for a card."""
        limit = "p85" if self.own else format_time(self.threshold_ns, 3)
        return f"over {limit}", format_share(self.time_share), "of all time"
