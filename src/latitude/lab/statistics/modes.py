"""Modes of a sample: peaks of its density, and Hartigan's dip test."""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from latitude._types import Count, Floats, Nanoseconds, Share, Unbounded
from latitude.lab.statistics.density import bandwidth, density, peaks
from latitude.lab.statistics.dip import dip
from latitude.lab.statistics.null_distribution import null_table
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.statistics.conventions import LEAST, Assumption
from latitude.statistics.corrections import SIGNIFICANT
from latitude.statistics.sample import ROUNDING, Sample, latencies
from latitude.statistics.statistic import Statistic
from latitude.units.columns import SIMULATED_P, column, number
from latitude.units.quantities import counted, format_p, format_share, format_time

_MOSTLY_TIED = 0.5


@dataclass(frozen=True, slots=True)
class Modes(Statistic):
    """Modes of a sample of latencies; `count` and the dip test together show bimodality."""

    ASSUMPTION: ClassVar = Assumption(
        "modes",
        "peaks of a Gaussian kernel density (Silverman's bandwidth) that rise 5 % of the highest "
        "over their valley, up to p99; the dip test compares with uniform samples",
        "half or twice the bandwidth gives another count, or the clock ticks as coarsely as the "
        "modes are apart; with very many samples the dip finds bends nobody cares about",
    )

    count: Annotated[Count, column("modes", number(""))]
    """Peaks of the kernel density that rise above their valley by at least 5 % of the highest peak.
    """
    locations_ns: list[float]
    """Latencies of the modes, ascending, ns."""
    heights_per_ns: list[Unbounded]
    peak_ns: float
    """Latency with the highest density, ns."""
    peak_per_ns: Unbounded
    """Height of the peak, as share of samples per ns; null if all samples are equal."""
    bandwidth_ns: Nanoseconds
    """Silverman's rule of thumb, at least half a tick if values are tied; 0 for a constant sample.
    """
    half_bandwidth_count: Count
    double_bandwidth_count: Count
    """Number of peaks with twice `bandwidth_ns` (`half_bandwidth_count`: with half of it)."""
    dip: Share
    dip_p: Annotated[Share, column("dip p", SIMULATED_P)]
    """Share of uniform samples with an equal or larger dip; 0.0005 means at most 0.0005, and 0.99
    means at least 0.99.
    """
    multimodal: bool
    """Whether there are several peaks, and a dip that fewer than 5 % of uniform samples reach."""

    @classmethod
    def of(cls, sample: Sample) -> "Modes":
        """Modes of the kept samples."""
        return _modes(sample.kept)

    def sentence(self) -> str:
        """A sentence about modes, dip test and peak."""
        if self.bandwidth_ns == 0:
            return f"One mode: the only value there is. Peak: {self._peak()}."
        places = ", ".join(format_time(at) for at in self.locations_ns)
        verdict = (
            "more than one mode"
            if self.multimodal
            else "no evidence of more than one mode"
            if self.dip_p >= SIGNIFICANT
            else "more than one mode, closer than the density shows"
        )
        return (
            f"{counted(self.count, 'mode')} at {places} (bandwidth "
            f"{format_time(self.bandwidth_ns, 3)}; {self.half_bandwidth_count} at half, "
            f"{self.double_bandwidth_count} at twice it); dip {self.dip:.4f}, p "
            f"{format_p(self.dip_p, simulated=True)}: {verdict}. Peak: {self._peak()}."
        )

    def _peak(self) -> str:
        """The peak's height: the share of samples per µs."""
        if math.isinf(self.peak_per_ns):
            return f"all samples at {format_time(self.peak_ns)}"
        height = format_share(self.peak_per_ns * 1e3)
        return f"{height} of samples per µs, at {format_time(self.peak_ns)}"

    def card(self) -> tuple[str, str, str]:
        """Number of modes and the peak, for a card."""
        return "modes", str(self.count), self._peak()

    def notices(self, sample: Sample) -> list[Notice]:
        """A warning if the clock was too coarse."""
        tied = tied_share(sample.kept)
        if sample.constant or tied < _MOSTLY_TIED:
            return []
        return [
            kinds.COARSE_CLOCK_FOR_MODES(
                f"{tied:.0%} of the {sample.kept.size:,} samples equal another one: the clock "
                f"ticks every {resolution(sample.kept):g} ns; equal values were spread over their "
                "tick"
            )
        ]


def modes(values_ns: ArrayLike) -> Modes:
    """Modes of at least 4 latencies in ns.

    Density: Gaussian kernel, Silverman's bandwidth, up to the 99th percentile. Dip test: the null
    is the uniform, the unimodal distribution hardest to tell from two modes, so p-values err on the
    side of one mode. Equal values are first spread over the clock's tick. Assumes independent
    samples. A constant sample has one mode. InputError: NaN, negative or too few values.
    """
    return _modes(latencies(values_ns, LEAST))


def _modes(ordered: Floats) -> Modes:
    if ordered[-1] - ordered[0] <= ROUNDING * ordered[-1]:
        at = float(ordered[0])
        return Modes(1, [at], [math.inf], at, math.inf, 0.0, 1, 1, 0.0, 1.0, multimodal=False)
    moved = spread(ordered)
    width = max(bandwidth(moved), resolution(ordered) / 2 if moved is not ordered else 0.0)
    found, half, double = (peaks(density(moved, w)) for w in (width, width / 2, 2 * width))
    distance = dip(moved)
    p = null_table("dip").p_value(distance, ordered.size)
    highest = int(found.per_ns.argmax())
    return Modes(
        count=found.at_ns.size,
        locations_ns=found.at_ns.tolist(),
        heights_per_ns=found.per_ns.tolist(),
        peak_ns=float(found.at_ns[highest]),
        peak_per_ns=float(found.per_ns[highest]),
        bandwidth_ns=width,
        half_bandwidth_count=half.at_ns.size,
        double_bandwidth_count=double.at_ns.size,
        dip=distance,
        dip_p=p,
        multimodal=found.at_ns.size > 1 and p < SIGNIFICANT,
    )


def resolution(ordered: Floats) -> float:
    """Smallest distance between different values in ascending order, ns; 0 when all are equal."""
    gaps = np.diff(ordered)
    gaps = gaps[gaps > 0]
    return float(gaps.min()) if gaps.size else 0.0


def tied_share(ordered: Floats) -> float:
    """Share of the samples, in ascending order, that equal their predecessor."""
    return float(np.mean(np.diff(ordered) == 0)) if ordered.size > 1 else 0.0


def spread(ordered: Floats) -> Floats:
    """Spreads equal values evenly over the clock tick, so that all values differ.

    A tick reaches half the clock's resolution to each side. Values stay in order; values without
    an equal stay where they are.
    """
    tick = resolution(ordered)
    if tick == 0 or tied_share(ordered) == 0:
        return ordered
    first = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > 0]))
    count = np.diff(np.append(first, ordered.size))
    within = np.arange(ordered.size) - np.repeat(first, count)
    size = np.repeat(count, count)
    moved: Floats = ordered + tick * ((within + 0.5) / size - 0.5)
    return moved
