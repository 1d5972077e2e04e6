"""Replicates of measured values, from a bootstrap on two levels.

Starts of a program differ by more than its rounds within one start: in the places of memory and
threads, in connections, and in other work of the machine. So a value has

- in each start the quantile of its samples, and that in replicates of the Bayesian bootstrap
  (Rubin, Ann. Statist. 9 (1981)) over the rounds of the start, which are disturbed as a whole;
- over the starts the median, which a single disturbed one does not move, and in replicates that
  times what another choice of starts may make: their logarithms with normal weights, widened as
  Student's t is for so few (Hesterberg, Am. Stat. 69 (2015), §3) and as a median is beside a mean.
  Plain resampling of K starts has too little spread by √((K - 1) / K), and never leaves the starts
  that were seen, which hold the median of all with three of them three times in four.

All values of a measurement have the same weights in one replicate, so that what starts change
together stays together. With a single start only the first level is known.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from latitude.measure.results import Values

REPLICATES = 1000

Replicates = NDArray[np.float64]
"""A value, and then what it is in each of the bootstrap replicates: REPLICATES + 1 numbers."""
Counts = NDArray[np.int64]

_LEAST_NS = 1.0
"""Clocks tell no more."""
_MEDIAN = 1.2
"""Standard deviation of the median of some normal values over that of their mean: from 1.16 (of
three) to 1.25 (of many)."""
_FARTHEST = np.log(100.0)
"""A replicate is at most 100 times as large or small: of two starts Student's t has no mean."""
_LEVELS = 512
"""Most order statistics among which a quantile is searched, evenly chosen."""
_NEARLY_ALL = 199 / 200
_HALF = 0.5


def quantiles(
    values: Values, rounds: Counts, quantile: float, random: np.random.Generator
) -> Replicates:
    """The quantile of `values` of one start, and what it is in replicates.

    Args:
        values: in the order measured.
        rounds: how many of them each round gave.
        quantile: a share.
        random: draws the weights of the rounds.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    point = _of_ordered(ordered, quantile)
    if rounds.size in (1, values.size):
        # Rounds of one value each (as which the values of a single round count) have weights of a
        # flat Dirichlet distribution, so the value at which they first add up to q is the one of
        # rank 1 + Binomial(n - 1, q).
        ranks = random.binomial(ordered.size - 1, quantile, REPLICATES)
        return np.concatenate([[point], ordered[ranks]])
    of_round = np.repeat(np.arange(rounds.size), rounds)[order]
    levels = np.unique(np.linspace(0, ordered.size - 1, _LEVELS).round().astype(np.int64))
    below = np.empty((rounds.size, levels.size))
    for each in range(rounds.size):
        below[each] = np.cumsum(of_round == each)[levels]
    # Dirichlet weights of this shape spread the mean of B rounds as its variance, s² / B, says.
    shape = max(1 - 2 / rounds.size, 0.5)
    weights = random.dirichlet(np.full(rounds.size, shape), REPLICATES)
    share = weights @ below
    first = np.argmax(share >= quantile * share[:, -1:], axis=1)
    return np.concatenate([[point], ordered[levels[first]]])


def _of_ordered(ordered: Values, quantile: float) -> float:
    """As `np.quantile`, which takes longer to look at its arguments than all else here does."""
    below, share = divmod(quantile * (ordered.size - 1), 1)
    low = float(ordered[int(below)])
    high = float(ordered[min(int(below) + 1, ordered.size - 1)])
    if share < _HALF:
        return low + share * (high - low)
    return high - (1 - share) * (high - low)  # so that it is exact at both ends


def start_weights(starts: int, random: np.random.Generator) -> Replicates:
    """By how much more each start counts in each replicate than in the value itself, where it is 0.

    Returns:
        starts × (REPLICATES + 1); each column's sum is 0. Weighted by these, deviations of normal
        starts have Student's t distribution with starts - 1 degrees of freedom, times the standard
        error of their median.
    """
    weights = np.zeros((starts, REPLICATES + 1))
    if starts > 1:
        freedom = starts - 1
        drawn = random.normal(size=(starts, REPLICATES))
        drawn -= drawn.mean(axis=0)
        drawn *= np.sqrt(freedom / random.chisquare(freedom, REPLICATES))
        weights[:, 1:] = _MEDIAN * drawn / np.sqrt(starts * freedom)
    return weights


def together(starts: Sequence[Replicates], weights: Replicates) -> Replicates:
    """The median of a value's starts, with replicates of both levels; of positive times, ns."""
    each = np.stack(starts)
    logarithms = np.log(np.maximum(each, _LEAST_NS))
    others = (weights * (logarithms - logarithms.mean(axis=0))).sum(axis=0)
    factors = np.exp(np.clip(others, -_FARTHEST, _FARTHEST))
    found: Replicates = np.median(each, axis=0) * factors
    return found


def nearly_always(holds: NDArray[np.bool_]) -> bool:
    """Whether something holds of a value and of 199 in 200 of its replicates.

    If a model is chosen only in this case, one measurement in 200 chooses it where the truth lies
    at the limit. Few choose it where the truth lies one or two standard errors beyond. So
    measurements of one machine have one model, unless the truth lies some standard errors (3 to 6
    of five starts) beyond the limit, a place that any choice has.
    """
    return bool(holds[0]) and float(np.mean(holds[1:])) >= _NEARLY_ALL
