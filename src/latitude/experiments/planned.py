"""A run that is to be made: which program, at which level."""

from dataclasses import dataclass

from latitude.distributions.table import QuantileTable
from latitude.results.runs import Level

MPI, WALL, SPAN = "mpi", "wall", "span"
"""Kinds of runtime. MPI is the longest of a rank from MPI_Init to MPI_Finalize, WALL that of the
launch line. SPAN lasts from the time at which all ranks have left MPI_Init to the last one's
MPI_Finalize. Any other text is a pattern for the output."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A program and how it is launched."""

    name: str
    launch: tuple[str, ...]
    """Words, no shell."""
    folder: str
    """Where it is started, absolute."""
    environment: dict[str, str]
    timeout_s: float | None
    """None: it may take as long as it takes."""
    runtime: str
    """MPI, WALL, SPAN or a regular expression whose first group is a number."""
    unit_ns: float
    """Unit of that number."""
    ranks: int | None


@dataclass(frozen=True, slots=True, eq=False)
class LevelPlan(Level):
    """A level that is to be met."""

    latency: str | None = None
    """In words."""
    table: QuantileTable | None = None
    """None where nothing is injected."""
    generator: tuple[str, ...] = ()
    """Launch line of the load's generator."""
    intra_node: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A run to be made."""

    id: str
    program: Subject
    level: LevelPlan
    repetition: int
    """From 1."""
    seed: int
    """Seed of the injector."""
    order: int
    """Place among all, from 1."""
