"""Campaigns of a stated model: runtime = base + a·mean + b·sd, times a normal factor near 1."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from latitude.files.provenance import Provenance
from latitude.results.runs import CONSTANT, DISTRIBUTION, LOAD, NONE, OK, SWEEP

MADE = Provenance("0", "latitude campaign analyze synthetic", "2026-01-01T00:00:00+00:00",
                  "synthetic", "0" * 64, "here")  # fmt: skip

MEANS = (10e3, 20e3, 40e3, 80e3)
SDS = (0.0, 0.5, 1.0, 2.0)
"""Standard deviations as multiples of the mean."""


@dataclass(frozen=True)
class Model:
    name: str
    base_ns: float = 1e9
    a: float = 0.0
    """ns of runtime a ns of mean."""
    b: float = 0.0
    """… a ns of sd."""
    noise: float = 0.002
    """sd of the factor."""


@dataclass(frozen=True)
class Asked:
    name: str
    kind: str
    mean_ns: float = 0.0
    sd_ns: float = 0.0
    load: float | None = None
    family: str | None = None


def design(means: Sequence[float] = MEANS, sds: Sequence[float] = SDS) -> list[Asked]:
    """Levels without latency, and at each mean a constant and distributions."""
    return [
        Asked("none", NONE),
        *(
            Asked(
                f"{mean / 1e3:g}us sd {share * mean / 1e3:g}us",
                CONSTANT if share == 0 else DISTRIBUTION,
                mean,
                share * mean,
                family=f"{mean / 1e3:g}us",
            )
            for mean in means
            for share in sds
        ),
    ]


def sweep(steps: Sequence[float]) -> list[Asked]:
    """Levels without latency, and with constant ΔL."""
    return [Asked("none", NONE), *(Asked(f"{L / 1e3:g}us", SWEEP, L) for L in steps)]


def loads(shares: Sequence[float]) -> list[Asked]:
    """Levels without latency, and with generated load."""
    return [Asked("none", NONE), *(Asked(f"load {s:.0%}", LOAD, load=s) for s in shares)]


@dataclass
class Maker:
    """Runs in random order."""

    repetitions: int = 5
    seed: int = 1
    drift: float = 0.0
    """Relative change of runtime over the campaign."""
    achieved: bool = True
    shuffled: bool = True
    per_load_ns: float = 0.0
    """Runtime that a load of 1 costs."""
    random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def runs(self, models: Iterable[Model], levels: Sequence[Asked]) -> pd.DataFrame:
        """Runs in the form of `read_runs`."""
        plan = [
            (model, level, repetition)
            for model in models
            for level in levels
            for repetition in range(1, self.repetitions + 1)
        ]
        if self.shuffled:
            self.random.shuffle(plan)
        rows = [self._row(place, len(plan), *each) for place, each in enumerate(plan, 1)]
        return pd.DataFrame(rows)

    def _row(
        self, place: int, of: int, model: Model, level: Asked, repetition: int
    ) -> dict[str, object]:
        away = 1 + 0.01 * self.random.standard_normal(2)
        mean, sd = level.mean_ns * away[0], level.sd_ns * away[1]
        load = level.load or 0.0 if level.kind == LOAD else 0.0
        runtime = model.base_ns + model.a * mean + model.b * sd + self.per_load_ns * load
        runtime *= 1 + model.noise * self.random.standard_normal() + self.drift * place / of
        injected = level.kind not in (NONE, LOAD)
        return {
            "run_id": f"{model.name}-{level.name}-{repetition}",
            "campaign": "synthetic",
            "program": model.name,
            "ranks": 8,
            "level": level.name,
            "family": level.family,
            "kind": level.kind,
            "layer": "flow" if injected else None,
            "asked_mean_ns": level.mean_ns,
            "asked_sd_ns": level.sd_ns,
            "achieved_mean_ns": mean if injected and self.achieved else np.nan,
            "achieved_sd_ns": sd if injected and self.achieved else np.nan,
            "late_mean_ns": 0.0 if injected and self.achieved else np.nan,
            "load": level.load,
            "seed": place,
            "repetition": repetition,
            "order": place,
            "attempt": 1,
            "status": OK,
            "exit_code": 0,
            "runtime_ns": runtime,
            "wall_ns": runtime + 5e8,
            "messages": 12_000 if injected else None,
            "started": f"2026-01-01T{place // 3600:02}:{place // 60 % 60:02}:{place % 60:02}+00:00",
            "host": "node1",
            "nodes": "node1",
            "b_before": np.nan,
            "b_after": np.nan,
            "error": None,
        }
