"""How many modes a sample has: peaks of its density, and Hartigan's dip test."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from latitude.notices.notice import Notice
from latitude.statistics.density import bandwidth, density, peaks
from latitude.statistics.dip import dip
from latitude.statistics.null_distribution import null_table
from latitude.statistics.sample import latencies
from latitude.statistics.ties import resolution, spread, tied_share

LEAST = 4
SIGNIFICANT = 0.05
_MOSTLY_TIED = 0.5


@dataclass(frozen=True, slots=True)
class Modes:
    """Modes of a sample of latencies; bimodality is told by `count` and the dip test together."""

    count: int
    """Peaks of the kernel density that rise at least 5 % of the highest over their valley."""
    locations_ns: tuple[float, ...]
    """Ascending."""
    dip: float
    p_value: float
    """Share of uniform samples with a dip as large; 5e-4 means at most that."""
    heights_per_ns: tuple[float, ...]
    bandwidth_ns: float
    """Silverman's rule of thumb; 0 for a constant sample."""
    half_count: int
    double_count: int
    """Peaks with half and twice that bandwidth."""
    warnings: tuple[Notice, ...]

    @property
    def multimodal(self) -> bool:
        """Several peaks, and a dip that fewer than 5 % of uniform samples reach."""
        return self.count > 1 and self.p_value < SIGNIFICANT

    @property
    def peak_ns(self) -> float:
        """Where the density is highest."""
        return self.locations_ns[self.heights_per_ns.index(max(self.heights_per_ns))]

    @property
    def peak_per_ns(self) -> float:
        """Peak height, the share of samples a ns there ([B] §4.1); infinite when constant."""
        return max(self.heights_per_ns)


def modes(values_ns: ArrayLike) -> Modes:
    """Modes of at least 4 latencies in ns.

    Density: Gaussian kernel, Silverman's bandwidth, up to the 99th percentile. Dip test: the null
    is the uniform, the unimodal distribution hardest to tell from two modes, so p-values err on the
    side of one mode. Equal values are first spread over the clock's tick. Assumes independent
    samples. A constant sample has one mode; InputError for NaN, negative or too few values.
    """
    ordered = latencies(values_ns, LEAST)
    if ordered[0] == ordered[-1]:
        at = float(ordered[0])
        return Modes(1, (at,), 0.0, 1.0, (float("inf"),), 0.0, 1, 1, ())
    moved = spread(ordered)
    width = max(bandwidth(moved), resolution(ordered) / 2 if moved is not ordered else 0.0)
    found, half, double = (peaks(density(moved, w)) for w in (width, width / 2, 2 * width))
    distance = dip(moved)
    return Modes(
        count=found.at_ns.size,
        locations_ns=tuple(found.at_ns.tolist()),
        dip=distance,
        p_value=null_table("dip").p_value(distance, ordered.size),
        heights_per_ns=tuple(found.per_ns.tolist()),
        bandwidth_ns=width,
        half_count=half.at_ns.size,
        double_count=double.at_ns.size,
        warnings=_notices(ordered.size, tied_share(ordered), resolution(ordered)),
    )


def _notices(n: int, tied: float, tick_ns: float) -> tuple[Notice, ...]:
    if tied < _MOSTLY_TIED:
        return ()
    return (
        Notice(
            "coarse-clock",
            f"{tied:.0%} of the {n:,} samples equal another one: the clock ticks every "
            f"{tick_ns:g} ns; equal values were spread over their tick",
            "modes closer than a few ticks are not to be trusted",
        ),
    )
