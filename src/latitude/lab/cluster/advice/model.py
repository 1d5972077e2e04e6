"""Forecasts the probability of the tail from b, placement and size.

All collectives and sizes share one regression, so the effect of b is learnt from all runs. Each
collective and size has its own threshold, above which 15 % of its runs lie. Salimi Beni and Cosenza
have 22 runs per collective and size, of which 3 lie in the tail; no model can be fitted to these
alone.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from latitude._types import Floats
from latitude.lab.cluster.advice.logistic import Logistic, Matrix, fit
from latitude.lab.cluster.advice.tail import Thresholds, thresholds

if TYPE_CHECKING:
    import pandas as pd

LEAST_TAIL_RUNS = 10
"""Least runs in the tail per coefficient (Peduzzi et al., J. Clinical Epidemiology 49, 1996)."""
_LEAST_PLACED = 10
"""Fewest runs of a placement for a coefficient of its own."""


class NotEnoughHistoryError(Exception):
    """The history is too small; the message lists what is missing."""

    def __init__(self, *missing: str) -> None:
        super().__init__("; ".join(missing))
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Model:
    """A regression fitted to past runs."""

    thresholds: Thresholds
    placements: tuple[str, ...]
    """Placements with a coefficient; the other placements share the intercept."""
    with_size: bool
    """Whether b may weigh more for larger messages (Salimi Beni and Cosenza §5.2)."""
    logistic: Logistic
    runs: int
    tail_runs: int
    base_rate: float

    def probability(self, runs: "pd.DataFrame") -> Floats:
        """The probability that each run lands in the tail."""
        return self.logistic.probability(self._columns(runs))

    def interval(self, runs: "pd.DataFrame") -> tuple[Floats, Floats]:
        """The 95 % interval of each run's probability."""
        return self.logistic.interval(self._columns(runs))

    def _columns(self, runs: "pd.DataFrame") -> Matrix:
        return columns(runs, self.placements, with_size=self.with_size)

    def odds_ratio(self, runs: "pd.DataFrame", step: float) -> float:
        """Factor on the odds of the tail if b grows by `step`, for the first of these runs."""
        more = runs.assign(b=runs["b"] + step)
        before, after = (float(self.probability(frame)[0]) for frame in (runs, more))
        return after / (1 - after) / (before / (1 - before))


def columns(runs: "pd.DataFrame", placements: tuple[str, ...], *, with_size: bool) -> Matrix:
    """b, with `with_size` also b · log₂(size), and a column of 0 and 1 for each placement."""
    b = runs["b"].to_numpy(np.float64)
    found = [b]
    if with_size:
        found.append(b * np.log2(np.maximum(runs["bytes"].to_numpy(np.float64), 1.0)))
    found += [(runs["placement"] == place).to_numpy(np.float64) for place in placements]
    return np.column_stack(found)


def train(runs: "pd.DataFrame") -> Model:
    """Fits the largest model that the runs allow: b, then placement, then size.

    NotEnoughHistoryError: there are too few runs even for b alone, or all runs have the same b.
    """
    limits = thresholds(runs)
    if not limits.ns:
        raise NotEnoughHistoryError(*limits.missing() or ["no runs at all"])
    known, inside = limits.of(runs)
    carried = int(inside.sum()) // LEAST_TAIL_RUNS - 2  # the intercept and b come first
    if carried < 0:
        raise NotEnoughHistoryError(
            f"{int(inside.sum())} runs in the tail of at least {2 * LEAST_TAIL_RUNS}"
        )
    if known["b"].min() == known["b"].max():
        raise NotEnoughHistoryError(f"runs at another b than {known['b'].iloc[0]:.2f}")
    counts = known["placement"].value_counts()
    placed = sorted(str(name) for name, count in counts.items() if count >= _LEAST_PLACED)
    # One placement is the base of comparison; if all runs have one placement, it needs no column.
    compared = tuple(placed[1:]) if len(placed) == len(counts) else tuple(placed)
    if len(compared) > carried:
        compared = ()
    sizes = {int(size) for size in known["bytes"]}
    with_size = len(sizes) > 1 and len(compared) + 1 <= carried
    fitted = fit(columns(known, compared, with_size=with_size), inside)
    return Model(
        limits,
        compared,
        with_size,
        fitted,
        len(known),
        int(inside.sum()),
        float(inside.mean()),
    )
