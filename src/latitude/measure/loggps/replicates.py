"""Replicates of measured values, from a bootstrap on two levels.

Starts of a program differ by more than its rounds within one start. They differ in the places of
memory and threads, in connections, and in other work of the machine. A value is therefore computed
on two levels:

- In each start, the quantile of its samples. Replicates come from the Bayesian bootstrap (Rubin,
  Ann. Statist. 9 (1981)) over rounds, because a disturbance affects a whole round.
- Over the starts, the median, which a single disturbed start does not move. Each replicate is
  multiplied by the effect of another choice of starts: their logarithms, with normal weights,
  widened as Student's t is for few values (Hesterberg, Am. Stat. 69 (2015), §3), and as a median is
  compared with a mean. Plain resampling of K starts has too little spread by √((K - 1) / K), and
  stays within the range of the starts. With three starts this range contains the true median only
  three times in four.

All values of a measurement have the same weights in one replicate, so that values that starts
change together remain correlated. With a single start only the first level is known.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from latitude.measure.results import Values

REPLICATES = 1000

Replicates = NDArray[np.float64]
"""REPLICATES + 1 numbers: a value, then its value in each bootstrap replicate."""
Counts = NDArray[np.int64]

_LEAST_NS = 1.0
"""Resolution of clocks, ns."""
_MEDIAN = 1.2
"""Ratio of the standard deviations of median and mean of some normal values: 1.16 for three, 1.25
for many."""
_FARTHEST = np.log(100.0)
"""Largest logarithm of a factor between replicate and value, because Student's t for two starts has
no mean."""
_LEVELS = 512
"""Largest number of order statistics, evenly spaced, among which a quantile is searched."""
_NEARLY_ALL = 199 / 200
_HALF = 0.5


def quantiles(
    values: Values, rounds: Counts, quantile: float, random: np.random.Generator
) -> Replicates:
    """The quantile of the values of one start, and its replicates.

    Args:
        values: the values in the order of their measurement.
        rounds: number of values in each round.
        quantile: the quantile, as a share.
        random: generator for the rounds' weights.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    point = _of_ordered(ordered, quantile)
    if rounds.size in (1, values.size):
        # The values of a single round count as rounds of one value each. The weights of such rounds
        # have a flat Dirichlet distribution. So the value at which the weights first add up to q
        # has the rank 1 + Binomial(n - 1, q).
        ranks = random.binomial(ordered.size - 1, quantile, REPLICATES)
        return np.concatenate([[point], ordered[ranks]])
    of_round = np.repeat(np.arange(rounds.size), rounds)[order]
    levels = np.unique(np.linspace(0, ordered.size - 1, _LEVELS).round().astype(np.int64))
    below = np.empty((rounds.size, levels.size))
    for each in range(rounds.size):
        below[each] = np.cumsum(of_round == each)[levels]
    # Dirichlet weights of this shape give the mean of B rounds its variance, s² / B.
    shape = max(1 - 2 / rounds.size, 0.5)
    weights = random.dirichlet(np.full(rounds.size, shape), REPLICATES)
    share = weights @ below
    first = np.argmax(share >= quantile * share[:, -1:], axis=1)
    return np.concatenate([[point], ordered[levels[first]]])


def _of_ordered(ordered: Values, quantile: float) -> float:
    """The quantile of ordered values, as by `np.quantile`, without its slow checks."""
    below, share = divmod(quantile * (ordered.size - 1), 1)
    low = float(ordered[int(below)])
    high = float(ordered[min(int(below) + 1, ordered.size - 1)])
    if share < _HALF:
        return low + share * (high - low)
    return high - (1 - share) * (high - low)  # exact at both ends


def start_weights(starts: int, random: np.random.Generator) -> Replicates:
    """Additional weight of each start in each replicate; 0 for the value itself.

    Returns:
        starts × (REPLICATES + 1); each column's sum is 0. With these weights, deviations of normal
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
    """The median over a value's starts, with replicates of both levels, for positive times, ns."""
    each = np.stack(starts)
    logarithms = np.log(np.maximum(each, _LEAST_NS))
    others = (weights * (logarithms - logarithms.mean(axis=0))).sum(axis=0)
    factors = np.exp(np.clip(others, -_FARTHEST, _FARTHEST))
    found: Replicates = np.median(each, axis=0) * factors
    return found


def nearly_always(holds: NDArray[np.bool_]) -> bool:
    """Whether a condition holds for a value and for 199 of 200 of its replicates.

    Suppose a model is chosen only in this case. If the truth is at the limit, one measurement in
    200 chooses the model. Few measurements choose it if the truth is one or two standard errors
    beyond the limit. So measurements of one machine agree on the model, unless the truth is some
    standard errors beyond the limit (3 to 6 with five starts). Every rule has a range in which
    measurements disagree.
    """
    return bool(holds[0]) and float(np.mean(holds[1:])) >= _NEARLY_ALL
