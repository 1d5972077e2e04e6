"""What the experiment found. Times in ns."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from latitude.forecast import Random
from latitude.network import Network
from latitude.notice import Notice
from latitude.program import TraceInfo
from latitude.provenance import Provenance
from latitude.results import Floats
from latitude.statistics.correlation import Correlation, pearson, spearman
from latitude.statistics.difference import Dependent, Fisher, dependent, fisher
from latitude.statistics.regression import Line, line
from latitude.variation.design import NAMES, Design, Treatment

if TYPE_CHECKING:
    import pandas as pd

_ALIKE = 1 - 1e-12
"""Correlations of columns that are one and the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runtimes of a program under one distribution."""

    treatment: Treatment
    T_ns: Floats

    @property
    def mean_ns(self) -> float:
        """Of the runtimes."""
        return float(self.T_ns.mean())


@dataclass(frozen=True, slots=True)
class Relation:
    """Runtime against one figure of the latency."""

    pearson: Correlation
    spearman: Correlation
    line: Line
    """Slope in ns of runtime a ns."""


@dataclass(frozen=True, slots=True)
class Correlated:
    """A row of [U] Table 4: runtime against mean and against standard deviation of latency."""

    n: int
    mean: Relation
    std: Relation
    r_between: float
    """Of mean and standard deviation: the design's alone."""
    fisher: Fisher | None
    """The test of [U] §7; None when runtime is a linear function of one of the two."""
    dependent: Dependent | None
    """Williams's and Steiger's, for correlations that share the runtimes; None as above."""


@dataclass(frozen=True, slots=True)
class Plane:
    """Mean runtime = intercept + per_mean·mean + per_std·sd, by least squares."""

    intercept_ns: float
    per_mean: float
    """Runtime that a ns more costs each message, variation being the same."""
    per_std: float
    """Runtime that a ns of sd costs at the same mean."""
    r_squared: float


@dataclass(frozen=True)
class Study:
    """One program."""

    name: str
    input: str
    input_sha256: str
    trace: TraceInfo
    messages: int
    collectives: str
    reduce_ns_per_byte: float
    T0_ns: float
    """On the network alone."""
    runs: tuple[Runs, ...]
    """In the design's order."""

    @cached_property
    def by_run(self) -> Correlated | None:
        """Over all runs, as [U]; None when latency does not change the runtime."""
        return _correlated(self.runs, lambda run: run.T_ns)

    @cached_property
    def by_distribution(self) -> Correlated | None:
        """Over the mean runtimes of the distributions, of which each is one experiment."""
        return _correlated(self.runs, lambda run: np.array([run.mean_ns]))

    @cached_property
    def plane(self) -> Plane:
        """What mean and variation cost, each by itself."""
        mean = np.array([run.treatment.latency.mean for run in self.runs])
        std = np.array([run.treatment.latency.sd for run in self.runs])
        T = np.array([run.mean_ns for run in self.runs])
        terms = np.column_stack([np.ones_like(mean), mean, std])
        found = np.linalg.lstsq(terms, T, rcond=None)[0]
        total = float(np.square(T - T.mean()).sum())
        left = float(np.square(T - terms @ found).sum())
        intercept, per_mean, per_std = found.tolist()
        return Plane(intercept, per_mean, per_std, 1 - left / total if total > 0 else 1.0)

    def at(self, load: float, name: str) -> Runs:
        """Runs under one distribution."""
        return next(
            run for run in self.runs if (run.treatment.load, run.treatment.name) == (load, name)
        )

    def times(self, load: float, name: str) -> float:
        """Mean runtime there, as a multiple of that without injected latency."""
        return self.at(load, name).mean_ns / self.T0_ns if self.T0_ns > 0 else 1.0

    @property
    def worst(self) -> float:
        """Of the distribution that slows most, as a multiple."""
        most = max(run.mean_ns for run in self.runs)
        return most / self.T0_ns if self.T0_ns > 0 else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Variation:
    """The whole experiment."""

    provenance: Provenance
    network: Network
    random: Random
    """Its `latency` is the last distribution's."""
    design: Design
    samples: int
    """Runs of a program under each distribution."""
    studies: tuple[Study, ...]
    warnings: list[Notice]

    def order(self) -> list[Study]:
        """Those that suffer most first."""
        return sorted(self.studies, key=lambda study: -study.worst)

    def to_dataframe(self) -> "pd.DataFrame":
        """One row a run; `latitude stats correlate` reads it as CSV."""
        import pandas as pd  # noqa: PLC0415 - slow to import

        names = ("program", "load", "distribution", "mean_ns", "sd_ns", "sample", "runtime_ns")
        rows = [
            (
                study.name,
                run.treatment.load,
                run.treatment.name,
                run.treatment.latency.mean,
                run.treatment.latency.sd,
                sample,
                T,
            )
            for study in self.studies
            for run in study.runs
            for sample, T in enumerate(run.T_ns.tolist())
        ]
        return pd.DataFrame(rows, columns=list(names))

    def to_json(self) -> str:
        """As `latitude.variation/1`."""
        from latitude.variation.serialise import to_json  # noqa: PLC0415 - imports this module

        return to_json(self)

    def to_html(self) -> str:
        """The page."""
        from latitude.variation.page import render  # noqa: PLC0415 - plotly is slow to import

        return render(self)


def spread_costs(study: Study, load: float) -> float:
    """How much longer it takes under the widest distribution than under the constant, a share."""
    constant, widest = study.at(load, NAMES[0]).mean_ns, study.at(load, NAMES[-1]).mean_ns
    return widest / constant - 1 if constant > 0 else 0.0


def _correlated(runs: tuple[Runs, ...], of: Callable[[Runs], Floats]) -> Correlated | None:
    parts = [of(run) for run in runs]
    T = np.concatenate(parts)
    if np.ptp(T) == 0:
        return None
    sizes = [part.size for part in parts]
    mean = np.repeat([run.treatment.latency.mean for run in runs], sizes)
    std = np.repeat([run.treatment.latency.sd for run in runs], sizes)
    against_mean, against_std = _relation(mean, T), _relation(std, T)
    r_mean, r_std = against_mean.pearson.r, against_std.pearson.r
    between = pearson(mean, std).r
    comparable = math.fabs(r_mean) < _ALIKE and math.fabs(r_std) < _ALIKE
    return Correlated(
        T.size,
        against_mean,
        against_std,
        between,
        fisher(r_mean, r_std, T.size) if comparable else None,
        dependent(r_mean, r_std, between, T.size) if comparable else None,
    )


def _relation(x: Floats, T: Floats) -> Relation:
    return Relation(pearson(x, T), spearman(x, T), line(x, T))
