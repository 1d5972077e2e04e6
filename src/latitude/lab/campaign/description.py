"""The parts of a campaign, from its file."""

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
    """Runs per task of a job array; by default as many as Slurm's MaxArraySize requires."""
    options: tuple[str, ...] = ()
    """For sbatch, as they are."""
    address: str | None = None
    """Address of a Dask scheduler; by default the campaign starts its own cluster."""


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
