"""What the experiment found. Times in ns."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from latitude._types import Floats
from latitude.experiments.variation.design import NAMES, Design, Treatment
from latitude.files.provenance import Provenance
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.random.forecast import Random
from latitude.statistics.mean_and_spread import Correlated, Plane, correlated, plane
from latitude.trace.program import TraceInfo

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runtimes of a program under one distribution."""

    treatment: Treatment
    T_ns: Floats

    @property
    def mean_ns(self) -> float:
        """Of the runtimes."""
        return float(self.T_ns.mean())


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
        latencies = [run.treatment.latency for run in self.runs]
        return plane(
            [latency.mean for latency in latencies],
            [latency.sd for latency in latencies],
            [run.mean_ns for run in self.runs],
        )

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
        from latitude.results.variation_data import to_json  # noqa: PLC0415 - imports this module

        return to_json(self)

    def to_html(self) -> str:
        """The page."""
        from latitude.render.variation.page import render  # noqa: PLC0415 - plotly is slow to import

        return render(self)


def spread_costs(study: Study, load: float) -> float:
    """How much longer it takes under the widest distribution than under the constant, a share."""
    constant, widest = study.at(load, NAMES[0]).mean_ns, study.at(load, NAMES[-1]).mean_ns
    return widest / constant - 1 if constant > 0 else 0.0


def _correlated(runs: tuple[Runs, ...], of: Callable[[Runs], Floats]) -> Correlated | None:
    parts = [of(run) for run in runs]
    sizes = [part.size for part in parts]
    return correlated(
        np.repeat([run.treatment.latency.mean for run in runs], sizes),
        np.repeat([run.treatment.latency.sd for run in runs], sizes),
        np.concatenate(parts),
    )
