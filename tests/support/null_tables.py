"""Simulates the quantiles in `null_tables.json`, in about five minutes.

    cd tests && ../.venv/bin/python -m support.null_tables FILE

The same seed gives the same file.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from latitude._types import Floats
from latitude.lab.statistics.dip import dip
from latitude.lab.statistics.normality import normal_distance

SIMULATION_SEED = 1985
SHARES = (
    *(0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975),
    *(0.98, 0.99, 0.995, 0.998, 0.999, 0.9995),
)
DIP_SIZES = (4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000)
LILLIEFORS_SIZES = (4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000, 5000)
_DRAWS = 20_000_000
"""Values drawn a size, within these replicates."""
_LEAST_DRAWS, _MOST_DRAWS = 20_000, 50_000

Statistic = Callable[[Floats], float]


def simulated(statistic: Statistic, n: int, replicates: int, *, normal: bool) -> Floats:
    """The statistic of `replicates` samples of size n, from the uniform or the normal."""
    random = np.random.default_rng([SIMULATION_SEED, n, int(normal)])
    draw = random.standard_normal if normal else random.random
    return np.array([statistic(np.sort(draw(n))) for _ in range(replicates)])


def replicates(n: int) -> int:
    """Number of simulated samples of size n."""
    return min(max(_DRAWS // n, _LEAST_DRAWS), _MOST_DRAWS)


def row(statistic: Statistic, n: int, *, normal: bool) -> list[float]:
    """Quantiles of √n · statistic."""
    values = simulated(statistic, n, replicates(n), normal=normal) * np.sqrt(n)
    return [float(f"{q:.6g}") for q in np.quantile(values, SHARES)]


def main(path: Path) -> None:
    """Writes the tables."""
    tables = {}
    for name, statistic, sizes, normal in (
        ("dip", dip, DIP_SIZES, False),
        ("lilliefors", normal_distance, LILLIEFORS_SIZES, True),
    ):
        tables[name] = {
            "seed": SIMULATION_SEED,
            "replicates": min(map(replicates, sizes)),
            "sizes": sizes,
            "shares": SHARES,
            "quantiles": [row(statistic, n, normal=normal) for n in sizes],
        }
    path.write_text(json.dumps(tables, indent=None, separators=(",", ":")).replace("],[", "],\n["))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
