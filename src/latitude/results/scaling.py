"""Efficiencies of one program at several sizes: POP's table (Rosas et al. 2014)."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from latitude.files.provenance import Provenance, input_name
from latitude.files.text import csv_text
from latitude.model.theta import Theta
from latitude.notices.notice import Notice
from latitude.results.declared import Amount, Count, Hidden, Part
from latitude.results.reported import Reported
from latitude.sections.efficiency.result import FRACTIONS, Efficiency, Fractions


class Growth(Part, frozen=True, kw_only=True):
    """A run compared with the smallest run."""

    computation_scaling: Amount
    """Strong scaling: all computation of the smallest run as a share of this run's. Weak scaling:
    mean computation per process of the smallest run as a share of this run's."""
    global_efficiency: Amount
    """Parallel efficiency times computation scaling."""
    speedup: Amount
    """The smallest run's T as a multiple of this run's; for weak scaling times the ratio of the
    numbers of processes."""


class SizedRun(Part, frozen=True, kw_only=True):
    """One run of a certain size."""

    input: str
    input_sha256: str
    ranks: Count
    efficiency: Efficiency
    traced: Growth | None
    """Growth by traced efficiencies; null if this run or the smallest run has none."""
    predicted: Growth

    def figures(self, of: str) -> dict[str, float] | None:
        """All efficiencies, `traced` or `predicted`, with their names; None if the run has none."""
        fractions: Fractions | None = getattr(self.efficiency, of)
        growth: Growth | None = getattr(self, of)
        if fractions is None or growth is None:
            return None
        figures = {name: float(getattr(fractions, name)) for name in FRACTIONS}
        return {**figures, **growth.plain()}


class Projection(Part, frozen=True, kw_only=True):
    """Projection of an efficiency by Amdahl's law to sizes that were not run.

    Load balance, serialisation, transfer and computation scaling are fitted; parallel and global
    efficiency are their products. The projection is not a prediction: nothing is known of the
    program at these sizes.
    """

    processors: Annotated[list[int], Meta(min_length=1)]
    values: dict[str, list[float]]
    """Projected efficiencies, one per size."""


class Scaling(Reported, frozen=True, kw_only=True):
    """Result of `latitude scaling`."""

    SCHEMA: ClassVar[str] = "latitude.scaling/1"
    DOCUMENT: ClassVar[str] = "latitude.render.documents.scaling:scaling_document"

    provenance: Provenance
    weak: bool
    """Whether each process is meant to have the same amount of work at each size."""
    runs: Annotated[list[SizedRun], Meta(min_length=2)]
    """Runs, the smallest first."""
    of: str
    """Kind of the projected efficiency: traced, or predicted if a run has no traced efficiencies.
    """
    projection: Projection
    warnings: list[Notice]

    theta: Annotated[Theta, Hidden] = msgspec.field(name="along")

    @property
    def name(self) -> str:
        """Name of the program."""
        return input_name(self.provenance.input)


def scaling_csv(scaling: Scaling) -> str:
    """One row per run and kind of efficiency, and one per projected size."""
    rows: list[list[int | str | float | None]] = []
    names = (*FRACTIONS, "computation_scaling", "global_efficiency", "speedup")
    for run in scaling.runs:
        for of in ("traced", "predicted"):
            figures = run.figures(of)
            if figures is not None:
                rows.append([run.efficiency.processors, of, *(figures[name] for name in names)])
    values = scaling.projection.values
    for at, processors in enumerate(scaling.projection.processors):
        projected = (values[name][at] if name in values else None for name in names)
        rows.append([processors, "projected", *projected])
    return csv_text(("processors", "of", *names), rows)
