"""Mean or variation of latency, on execution graphs: `forecast --suite variation`. Times are ns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta

from latitude.files.provenance import Provenance
from latitude.files.text import csv_text
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.results.assumptions import Assumptions
from latitude.results.declared import (
    Columns,
    Count,
    FloatColumn,
    Hidden,
    IntegerColumn,
    Nanoseconds,
    Part,
    Result,
)
from latitude.results.runs import Runs, Study
from latitude.statistics.mean_and_spread import Correlated, Plane

TextColumn = Annotated[
    np.ndarray[Any, Any], Meta(extra_json_schema={"type": "array", "items": {"type": "string"}})
]


@dataclass(frozen=True, slots=True)
class ProvenanceOfSeveral(Provenance):
    """The same of several inputs."""

    input_sha256: str
    """As `input`, a list that is separated by commas."""


class RandomLatency(Part, frozen=True, kw_only=True):
    """Where random latency and noise enter."""

    where: str
    """flow or sender."""
    per: str
    """message, pair or rank."""
    meaning: str
    """added or total."""
    noise: str | None
    noise_per: str
    """vertex or rank."""
    seed: Count


class DesignBase(Part, frozen=True, kw_only=True):
    """What the distributions follow from."""

    text: str
    """The lognormal of the highest load, as asked for."""
    lognormal: str
    """Its parameters, as --latency reads them."""
    fitted: bool
    """Whether it was fitted to something else."""
    samples: Annotated[int, Meta(ge=1)]
    """Runs under each distribution."""


class DesignedLatency(Part, frozen=True, kw_only=True):
    """One distribution of the design."""

    load: Annotated[float, Meta(gt=0, lt=1)]
    name: str
    """constant, lognormal-100, lognormal-75, lognormal-50 or lognormal-25."""
    distribution: str
    mean_ns: Nanoseconds
    """Of the table of 4,096 values, as all figures here."""
    sd_ns: Nanoseconds
    p99_ns: Nanoseconds
    most_ns: Nanoseconds


class DesignedProgram(Part, frozen=True, kw_only=True):
    """One program under every distribution."""

    name: str
    input: str
    input_sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    ranks: Count
    messages: Count
    model: Assumptions
    T0_ns: Nanoseconds
    """Runtime on the network alone."""
    slowest: Annotated[float, Meta(ge=0)]
    """Longest mean runtime of a distribution, as a multiple of T0."""
    over_runs: Correlated | None
    """Over all runs, as Underwood et al.; null when latency does not change the runtime."""
    over_distributions: Correlated | None
    """Over the mean runtimes of the distributions."""
    plane: Plane
    T_ns: list[FloatColumn]
    """One row per distribution, in their order."""
    study: Annotated[Study, Hidden]

    def at(self, load: float, name: str) -> Runs:
        """The runs under one distribution."""
        return next(
            cell for cell in self.study.cells if (cell.level.load, cell.level.name) == (load, name)
        )

    def times(self, load: float, name: str) -> float:
        """Mean runtime there, as a multiple of that without injected latency."""
        return self.study.mean_times(self.at(load, name))

    def spread_costs(self, load: float, narrow: str, wide: str) -> float:
        """How much longer it takes under one distribution than under another, a share."""
        least = self.at(load, narrow).average_ns
        return self.at(load, wide).average_ns / least - 1 if least > 0 else 0.0


class DrawnRuns(Columns, frozen=True, kw_only=True):
    """Every run; `latitude stats correlate` reads them as CSV."""

    program: TextColumn
    load: FloatColumn
    distribution: TextColumn
    mean_ns: FloatColumn
    sd_ns: FloatColumn
    sample: IntegerColumn
    runtime_ns: FloatColumn


class Variation(Result, frozen=True, kw_only=True):
    """Result of `latitude forecast --suite variation`. Times are ns, intervals 95 % intervals."""

    SCHEMA: ClassVar[str] = "latitude.variation/1"

    provenance: ProvenanceOfSeveral
    random: RandomLatency
    design: DesignBase
    distributions: list[DesignedLatency]
    programs: list[DesignedProgram]
    warnings: list[Notice]
    network: Annotated[Network, Hidden]

    @property
    def loads(self) -> list[float]:
        """Rising."""
        return sorted({each.load for each in self.distributions})

    def mean_ns(self, load: float) -> float:
        """Of the distributions at a load."""
        return next(each.mean_ns for each in self.distributions if each.load == load)

    def runs(self) -> DrawnRuns:
        """The table of all runs, as data."""
        return _table(self._cells())

    def to_csv(self) -> str:
        """One row per run; the table of all of them is never made."""
        tables = (_table([each]) for each in self._cells())
        header = _table([]).columns()
        return csv_text(tuple(header), (row for table in tables for row in table.rows()))

    def _cells(self) -> list[tuple[str, Runs]]:
        """Each program's name with its runs under each distribution."""
        return [(each.name, cell) for each in self.programs for cell in each.study.cells]


def _table(rows: Sequence[tuple[str, Runs]]) -> DrawnRuns:
    sizes = [cell.n for _, cell in rows]

    def each(values: list[Any]) -> Any:
        return np.repeat(np.array(values), sizes)

    return DrawnRuns(
        program=each([program for program, _ in rows]),
        load=each([cell.level.load for _, cell in rows]),
        distribution=each([cell.level.name for _, cell in rows]),
        mean_ns=each([cell.level.mean_ns for _, cell in rows]),
        sd_ns=each([cell.level.sd_ns for _, cell in rows]),
        sample=np.concatenate([np.empty(0, np.int64), *map(np.arange, sizes)]),
        runtime_ns=np.concatenate([np.empty(0), *(cell.T_ns for _, cell in rows)]),
    )
