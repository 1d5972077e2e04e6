"""The parts of a campaign, as described in its file."""

from dataclasses import dataclass, field
from pathlib import Path

from latitude.experiments.planned import LevelPlan, Subject

LOCAL, SLURM, DASK = "local", "slurm", "dask"


@dataclass(frozen=True, slots=True)
class Execute:
    """Options for the execution of runs, which do not affect results."""

    how: str = LOCAL
    retries: int = 1
    at_once: int = 1
    """Number of simultaneous runs, under Slurm and Dask."""
    runs_per_task: int | None = None
    """Runs per task of a job array; by default as many as Slurm's MaxArraySize requires."""
    options: tuple[str, ...] = ()
    """Options for sbatch, passed on unchanged."""
    address: str | None = None
    """Address of a Dask scheduler; by default the campaign starts its own cluster."""


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """A whole campaign."""

    file: Path
    sha256: str
    name: str
    seed: int
    repetitions: int
    directory: Path
    background: bool
    """Whether to measure b before and after each run."""
    programs: tuple[Subject, ...]
    levels: tuple[LevelPlan, ...]
    execute: Execute = field(default_factory=Execute)
