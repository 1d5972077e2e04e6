"""Measured tolerance: the ΔL of its runs, the number of runs, and the estimate.

The estimate is the point where a rising convex curve through the runs passes the limit. Its
interval comes from a bootstrap over blocks. A block has one run at each ΔL, so slow changes of the
machine affect all its runs equally, and are removed. Times are ns.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latitude._types import Floats
from latitude.results.runs import RunRecord
from latitude.statistics.conventions import BOOTSTRAP_SEED
from latitude.statistics.intervals import reflected_interval
from latitude.statistics.regression import convex_fit, first_above

PLACES = (0.5, 1.0, 2.0)
"""Factors on each predicted tolerance, for additional runs."""
TARGET = 0.2
"""Half width of an interval, as a share of the tolerance, for which Latitude gives the needed
number of runs."""
_SAME = 0.1
"""Relative distance up to which runs at a second ΔL would tell nothing more."""
_NEAR = 4.0
"""Two ΔL bracket a value if the larger is at most this many times the smaller."""
_LEAST_BLOCKS = 3
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Runs in blocks; each block has one run per level."""

    delta_ns: Floats
    """Requested ΔL of each level, rising, ns; the first is 0."""
    injected_ns: Floats
    """[block, level] latency of each run's messages beyond those at ΔL = 0; NaN without a run."""
    T_ns: Floats
    """[block, level] runtime, ns; NaN without a run."""

    def of(self, chosen: Sequence[int]) -> "Blocks":
        """A selection of the blocks, with repetitions."""
        return Blocks(self.delta_ns, self.injected_ns[chosen], self.T_ns[chosen])


@dataclass(frozen=True, slots=True)
class MeasuredTolerance:
    """The ΔL at which runs show a program to be slower by this share."""

    estimate_ns: float | None
    """Estimate, ns; None without runs on both sides."""
    low_ns: float
    high_ns: float
    """Upper end of the interval; inf if runs do not bound the tolerance."""
    below_ns: float | None
    above_ns: float | None
    """The nearest ΔL with runs above the estimate (`below_ns`: below the estimate). None: no ΔL
    with runs is on that side, or there are too few runs."""
    needed: int | None
    """Number of blocks that would make the interval ± TARGET of the estimate, or ± the requested
    share; None if not known."""

    def narrow(self, share: float) -> bool:
        """Whether the interval is at most ± `share` of the estimate.

        Also true if no runs bracket the tolerance, because more runs at the same ΔL would not help.
        """
        return self.estimate_ns is None or self.half <= share

    @property
    def half(self) -> float:
        """Half the interval's width, as a share of the estimate."""
        return (self.high_ns - self.low_ns) / 2 / (self.estimate_ns or math.nan)


def placed(tolerated_ns: float, held_ns: Iterable[int]) -> list[int]:
    """ΔL around a predicted tolerance, rising; empty if the tolerance is unbounded.

    A value within a tenth of a ΔL that has runs anyway is left out.
    """
    if not math.isfinite(tolerated_ns):
        return []
    held = [delta for delta in held_ns if delta > 0]
    places = [round(share * tolerated_ns) for share in PLACES]
    return [
        place
        for place in places
        if place > 0 and all(abs(place - other) > _SAME * other for other in held)
    ]


def blocks_of(deltas_ns: Sequence[int], records: Sequence[RunRecord]) -> Blocks:
    """The runs that ended well, as blocks × levels."""
    count = max((run.repetition for run in records), default=0)
    shape = count, len(deltas_ns)
    T, late = np.full(shape, np.nan), np.full(shape, np.nan)
    place = {delta: index for index, delta in enumerate(deltas_ns)}
    for run in records:
        if run.runtime_ns is not None:
            at = run.repetition - 1, place[round(run.asked_mean_ns)]
            T[at] = run.runtime_ns
            late[at] = np.nan if run.late_mean_ns is None else run.late_mean_ns
    delta = np.asarray(deltas_ns, dtype=np.float64)
    return Blocks(delta, delta + _more_than_first(late), T)


def _more_than_first(late: Floats) -> Floats:
    """Time by which messages were later than messages at ΔL = 0 usually are; 0 if not known."""
    first = late[:, 0] if late.size else late
    first = first[~np.isnan(first)]
    if not first.size:
        return np.zeros_like(late)
    return np.nan_to_num(late - np.median(first))


def injected_ns(blocks: Blocks) -> Floats:
    """Injected latency at each level, beyond that at ΔL = 0; NaN if no run succeeded."""
    return _injected(blocks.injected_ns, blocks.T_ns)


def measured_tolerances(
    blocks: Blocks, degradations: Sequence[float], share: float | None = None
) -> list[MeasuredTolerance]:
    """Measures the tolerance of each degradation; `share` replaces TARGET as half width."""
    n = blocks.T_ns.shape[0]
    random = np.random.default_rng(BOOTSTRAP_SEED)
    chosen = np.concatenate(
        [np.arange(n)[None], random.integers(n, size=(_RESAMPLES if n >= _LEAST_BLOCKS else 0, n))]
    )
    # The order of blocks means nothing: of 1,000 resamples of five blocks, at most 126 differ.
    distinct, which = np.unique(np.sort(chosen), axis=0, return_inverse=True)
    found = _crossings(blocks.injected_ns[distinct], blocks.T_ns[distinct], degradations)
    found = found[which.reshape(-1)]
    run_at = blocks.delta_ns[~np.isnan(blocks.T_ns).all(axis=0)]
    return [
        _measured(estimate, resamples, run_at, n, TARGET if share is None else share)
        for estimate, resamples in zip(found[0].tolist(), found[1:].T, strict=True)
    ]


def _measured(
    estimate: float, resamples: Floats, run_at: Floats, n: int, share: float
) -> MeasuredTolerance:
    positive = run_at[run_at > 0]
    if not positive.size or math.isnan(estimate):
        return MeasuredTolerance(None, 0.0, math.inf, None, None, None)
    low, high = reflected_interval(estimate, resamples[~np.isnan(resamples)], n)
    if low < positive[0]:
        low = 0.0  # no run lies between 0 and the first ΔL above 0
    below = float(run_at[run_at <= estimate].max(initial=0.0))
    above = float(run_at[run_at >= estimate].min(initial=math.inf))
    bracketed = below > 0 and above <= _NEAR * below
    found = MeasuredTolerance(
        estimate if bracketed else None,
        low,
        high,
        below,
        above if math.isfinite(above) else None,
        None,
    )
    if not (bracketed and math.isfinite(found.half)):
        return found
    return replace(found, needed=max(_LEAST_BLOCKS, math.ceil(n * (found.half / share) ** 2)))


def _crossings(injected: Floats, T: Floats, degradations: Sequence[float]) -> Floats:
    """[sample, degradation] latency at which the curve exceeds its value at ΔL = 0 by each share.

    `injected` and `T` are [sample, block, level]; the curve goes through the levels' medians. NaN
    without runs at ΔL = 0, or without runs at another ΔL.
    """
    rest = _without_blocks(T)
    medians, places = _medians(rest), _injected(injected, T)
    runs = (~np.isnan(T)).sum(axis=1)
    found = np.full((T.shape[0], len(degradations)), np.nan)
    for index, (levels, runtimes, count) in enumerate(zip(places, medians, runs, strict=True)):
        held = count > 0
        if not held[:1].any():
            continue
        x, y, weight = _merged(levels[held], runtimes[held], count[held])
        if x.size > 1:
            fitted = convex_fit(x, y, weight / np.square(y))
            found[index] = [
                first_above(x, fitted, fitted[0] * (1 + share)) for share in degradations
            ]
    return found


def _injected(injected: Floats, T: Floats) -> Floats:
    found = np.maximum(_medians(np.where(np.isnan(T), np.nan, injected)), 0.0)
    found[..., :1] *= 0.0
    return found


def _merged(x: Floats, T: Floats, runs: Floats) -> tuple[Floats, Floats, Floats]:
    """Levels by rising x; levels of one x are averaged."""
    if (np.diff(x) > 0).all():
        return x, T, runs.astype(np.float64)
    places, which = np.unique(x, return_inverse=True)
    weight: Floats = np.bincount(which, runs).astype(np.float64)
    return places, np.bincount(which, runs * T) / weight, weight


def _without_blocks(T: Floats) -> Floats:
    """Runtimes divided by the factor of their block: its median of T over the level's median."""
    factor = _medians(np.swapaxes(T / _medians(T)[..., None, :], -1, -2))
    found: Floats = T / factor[..., None]
    return found


def _medians(values: Floats) -> Floats:
    """Medians over blocks, the second last axis, ignoring NaN; NaN if nothing remains."""
    ordered = np.sort(values, axis=-2)  # NaN come last
    held = (~np.isnan(values)).sum(axis=-2, keepdims=True)
    low, high = np.maximum(held - 1, 0) // 2, np.minimum(held // 2, values.shape[-2] - 1)
    ends = [np.take_along_axis(ordered, at, axis=-2)[..., 0, :] for at in (low, high)]
    found: Floats = (ends[0] + ends[1]) / 2
    return found
