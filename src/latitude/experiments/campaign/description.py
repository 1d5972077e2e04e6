"""What a campaign consists of, as its file says it."""

from dataclasses import dataclass, field
from pathlib import Path

from latitude.distributions.table import Table
from latitude.results.injection import Layer

MPI, WALL = "mpi", "wall"
"""Runtimes; anything else is a pattern for the program's output."""
LOCAL, SLURM, DASK = "local", "slurm", "dask"
FLOW, VERBS = "flow", "verbs"


@dataclass(frozen=True, slots=True)
class Program:
    """A program and how it is launched."""

    name: str
    launch: tuple[str, ...]
    """Words, no shell."""
    folder: str
    """Where it is started, absolute."""
    environment: dict[str, str]
    timeout_s: float
    runtime: str
    """MPI, WALL or a regular expression whose first group is a number."""
    unit_ns: float
    """Of that number."""
    ranks: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """What a program meets."""

    name: str
    kind: str
    family: str | None = None
    layer: Layer | None = None
    latency: str | None = None
    """In words."""
    table: Table | None = None
    """None where nothing is injected."""
    mean_ns: float = 0.0
    sd_ns: float = 0.0
    load: float | None = None
    generator: tuple[str, ...] = ()
    """What launches the load's generator."""
    intra_node: bool = False


@dataclass(frozen=True, slots=True)
class Execute:
    """How runs are executed; does not decide what comes out."""

    how: str = LOCAL
    retries: int = 1
    at_once: int = 1
    """Runs at a time, under Slurm and Dask."""
    runs_per_task: int | None = None
    """Of a job array; as many as Slurm's MaxArraySize asks for by default."""
    options: tuple[str, ...] = ()
    """For sbatch, as they are."""
    address: str | None = None
    """Of a Dask scheduler; a cluster of its own by default."""
    cluster: str = LOCAL
    """That Dask starts: LOCAL, or SLURM by dask-jobqueue."""
    cores: int = 1
    memory: str = "1GB"
    """Of a worker that dask-jobqueue asks for."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """The whole."""

    file: Path
    sha256: str
    name: str
    seed: int
    repetitions: int
    directory: Path
    background: bool
    """Measure b round each run."""
    programs: tuple[Program, ...]
    levels: tuple[Level, ...]
    execute: Execute = field(default_factory=Execute)
