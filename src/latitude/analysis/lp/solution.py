"""What a solver answers; times in ns."""

from dataclasses import dataclass

import numpy as np

from latitude.analysis.lp.rows import Floats


@dataclass(frozen=True, slots=True)
class Solution:
    """An optimal basis. Arrays have one entry a latency variable."""

    t_ns: float
    latency_ns: Floats
    """Values of the latencies; infinite when the program is unbounded."""
    reduced_cost: Floats
    """Of the latencies: λ of each class when t was minimised."""
    low_ns: Floats
    high_ns: Floats
    """The range of each latency in which this basis stays optimal; nan unless asked for."""
    iterations: int
    seconds: float
    """Inside the solver."""


def unbounded(links: int, iterations: int, seconds: float) -> Solution:
    """What there is to say when the latencies have no largest value."""
    unknown = np.full(links, np.nan)
    return Solution(np.nan, np.full(links, np.inf), unknown, unknown, unknown, iterations, seconds)
