"""A planned run: a program at a level."""

from dataclasses import dataclass

from latitude.distributions.table import QuantileTable
from latitude.results.runs import Level

MPI, WALL, SPAN = "mpi", "wall", "span"
"""Kinds of runtime. MPI is the longest time of a rank from MPI_Init to MPI_Finalize, and WALL the
time of the launch line. SPAN begins when all ranks have left MPI_Init, and ends with the last
rank's MPI_Finalize. Any other text is a pattern for the program's output."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A program and its launch."""

    name: str
    launch: tuple[str, ...]
    """Launch line as words, which no shell interprets."""
    folder: str
    """Working directory, absolute."""
    environment: dict[str, str]
    timeout_s: float | None
    """Time limit, s; None means no limit."""
    runtime: str
    """MPI, WALL, SPAN or a regular expression whose first group is a number."""
    unit_ns: float
    """Unit of the number that `runtime` finds, ns."""
    ranks: int | None


@dataclass(frozen=True, slots=True, eq=False)
class LevelPlan(Level):
    """A planned level."""

    latency: str | None = None
    """Latency in words."""
    table: QuantileTable | None = None
    """Table of the injected latency; None if nothing is injected."""
    generator: tuple[str, ...] = ()
    """Launch line of the load generator."""
    intra_node: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A planned run."""

    id: str
    program: Subject
    level: LevelPlan
    repetition: int
    """Number of the repetition, from 1."""
    seed: int
    """Seed of the injector."""
    order: int
    """Place in the order of all runs, from 1."""
