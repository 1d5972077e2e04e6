"""Finds past runs in the long tail.

Salimi Beni and Cosenza §1.1 begin the tail at the 85th percentile. A run is in the tail if its mean
latency exceeds the 85th percentile of the mean latencies of all runs of its collective and size. b
and placement do not affect the threshold, because both may put a run into the tail.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from latitude._types import Floats
from latitude.lab.results.background import kind_name

if TYPE_CHECKING:
    import pandas as pd

SHARE = 0.85
LEAST_RUNS = 20
"""Fewest runs of a collective and size; with fewer, less than 3 exceed the 85th percentile."""

Kind = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Start of the tail, ns, for each collective and size with enough runs."""

    ns: dict[Kind, float]
    short: dict[Kind, int]
    """Kinds with too few runs, and their numbers of runs."""

    def of(self, runs: "pd.DataFrame") -> tuple["pd.DataFrame", Floats]:
        """The runs whose kind has a threshold, and 1 for each run in the tail, else 0."""
        kinds = list(zip(runs["collective"], runs["bytes"], strict=True))
        limits = np.array([self.ns.get(kind, np.nan) for kind in kinds], dtype=np.float64)
        known = ~np.isnan(limits)
        inside = runs["mean_ns"].to_numpy(np.float64)[known] > limits[known]
        return runs[known], inside.astype(np.float64)

    def missing(self) -> list[str]:
        """Parts of the history with too few runs, in words."""
        return [
            f"{kind_name(*kind)}: {count} runs of at least {LEAST_RUNS}"
            for kind, count in self.short.items()
        ]


def thresholds(runs: "pd.DataFrame") -> Thresholds:
    """The 85th percentile of the runs' mean latencies, by collective and size."""
    limits: dict[Kind, float] = {}
    short: dict[Kind, int] = {}
    for (collective, size), group in runs.groupby(["collective", "bytes"]):
        kind = (str(collective), int(str(size)))
        if len(group) < LEAST_RUNS:
            short[kind] = len(group)
        else:
            limits[kind] = float(np.quantile(group["mean_ns"], SHARE))
    return Thresholds(limits, short)
