"""What a campaign consists of, as its file says it."""

from dataclasses import dataclass, field
from pathlib import Path

from latitude.experiments.planned import LevelPlan, Subject

LOCAL, SLURM, DASK = "local", "slurm", "dask"


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


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """The whole."""

    file: Path
    sha256: str
    name: str
    seed: int
    repetitions: int
    directory: Path
    background: bool
    """Measure b round each run."""
    programs: tuple[Subject, ...]
    levels: tuple[LevelPlan, ...]
    execute: Execute = field(default_factory=Execute)
