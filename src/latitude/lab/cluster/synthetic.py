"""An invented history with the features that [B] found on Marconi100, for examples and tests.

[B] is Salimi Beni and Cosenza 2022.

No number in it was measured. b wanders (an Ornstein–Uhlenbeck process of half a day with a daily
swing, mostly 0.15 to 0.8). A run's latencies are lognormal around a median that grows with b and
size, with a spread that grows with b and with distance. In Reduce and Alltoall of large messages
between islands, adaptive routing gives a second mode at high b ([B] §5.3). Each run has
its own factor, for effects that b does not show ([B] §5.2).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import numpy as np

from latitude._types import Floats
from latitude.lab.cluster.history import SYNTHETIC
from latitude.lab.cluster.topology import LOCALITIES
from latitude.lab.results.background import DIFFERENT_ISLANDS

if TYPE_CHECKING:
    import pandas as pd

COLLECTIVES = ("bcast", "reduce", "alltoall")
SIZES = (4, 1024, 32768, 1048576)
"""Sizes in bytes, as in [B] Table 1."""

_BASE_NS = {"bcast": 22e3, "reduce": 38e3, "alltoall": 70e3}
_NS_PER_BYTE = {"bcast": 0.35, "reduce": 1.1, "alltoall": 1.6}
_START = datetime(2026, 1, 5, tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True)
class SyntheticPlan:
    """Settings of the invented history."""

    campaigns: int = 120
    """Number of times, spread over `days`, at which all collectives and sizes run once."""
    iterations: int = 200
    days: float = 90.0
    locality: str | None = None
    """One of LOCALITIES; None means mostly far apart, as Slurm places jobs."""
    effect: float = 1.0
    """Strength of b's effect; 0 makes a history in which b has no effect."""
    seed: int = 1


def synthetic_history(plan: SyntheticPlan | None = None) -> "pd.DataFrame":
    """Samples in the form of `read_samples`, with a `source` that marks them as synthetic."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    plan = plan or SyntheticPlan()
    random = np.random.default_rng(plan.seed)
    b = background_path(plan.campaigns, plan.days, random)
    parts = []
    for index in range(plan.campaigns):
        time = _START + timedelta(days=plan.days * index / plan.campaigns)
        place = plan.locality or str(random.choice(LOCALITIES, p=(0.15, 0.25, 0.6)))
        for number, (collective, size) in enumerate((c, s) for c in COLLECTIVES for s in SIZES):
            values = latencies(collective, size, place, float(b[index]), plan, random)
            parts.append(
                pd.DataFrame(
                    {
                        "latency_ns": values,
                        "collective": collective,
                        "bytes": size,
                        "ranks": 16,
                        "nodes": 16,
                        "placement": place,
                        "b": round(float(b[index]), 4),
                        "time": pd.Timestamp(time + timedelta(seconds=20 * number)),
                        "source": SYNTHETIC,
                    }
                )
            )
    table: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return table


def background_path(count: int, days: float, random: np.random.Generator) -> Floats:
    """Values of b at evenly spaced times."""
    step = days / count
    keep = float(np.exp(-step / 0.5))
    noise = random.normal(size=count)
    level = np.empty(count)
    level[0] = noise[0]
    for index in range(1, count):
        level[index] = keep * level[index - 1] + np.sqrt(1 - keep**2) * noise[index]
    daily = 0.08 * np.sin(2 * np.pi * step * np.arange(count))
    path: Floats = np.clip(0.48 + 0.15 * level + daily, 0.05, 0.95)
    return path


def latencies(
    collective: str,
    size: int,
    place: str,
    b: float,
    plan: SyntheticPlan,
    random: np.random.Generator,
) -> Floats:
    """Latencies of one run, ns."""
    distance = LOCALITIES.index(place) / 2  # 0, ½, 1
    weight = 0.25 + 0.75 * np.log2(size) / 20  # larger messages depend more on b ([B] §5.2)
    pressure = plan.effect * b * distance * weight
    of_run = float(np.exp(random.normal(0.0, 0.10 + 0.10 * distance)))
    median = (_BASE_NS[collective] + _NS_PER_BYTE[collective] * size) * (1 + 0.3 * distance)
    median *= (1 + 1.6 * pressure**2) * of_run
    spread = 0.05 + 0.04 * distance + 0.12 * pressure
    values = median * np.exp(random.normal(0.0, spread, plan.iterations))
    if place == DIFFERENT_ISLANDS and collective != "bcast":
        detour = random.random(plan.iterations) < np.clip(1.6 * (pressure - 0.35), 0.0, 0.45)
        values[detour] *= 2.1
    stuck = random.random(plan.iterations) < 0.02 + 0.10 * pressure
    values[stuck] *= 1 + random.exponential(1.0 + pressure, int(stuck.sum()))
    result: Floats = values
    return result
