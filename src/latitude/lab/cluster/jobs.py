"""Jobs of a queue, and their states."""

from collections.abc import Iterable
from dataclasses import dataclass

RUNNING = frozenset({"RUNNING", "RESIZING", "SIGNALING"})
"""States in which a job's processes run; in the last two, Slurm also changes or signals the job."""

NOT_RUNNING = frozenset(
    {
        "BOOT_FAIL",
        "CANCELLED",
        "COMPLETED",
        "COMPLETING",
        "CONFIGURING",
        "DEADLINE",
        "FAILED",
        "LAUNCH_FAILED",
        "NODE_FAIL",
        "OUT_OF_MEMORY",
        "PENDING",
        "POWER_UP_NODE",
        "PREEMPTED",
        "RECONFIG_FAIL",
        "REQUEUED",
        "REQUEUE_FED",
        "REQUEUE_HOLD",
        "RESV_DEL_HOLD",
        "REVOKED",
        "SPECIAL_EXIT",
        "STAGE_OUT",
        "STOPPED",
        "SUSPENDED",
        "TIMEOUT",
    }
)
"""All other states of squeue's manual, "JOB STATE CODES", Slurm 21.08 to 24.11. Jobs in some states
(CONFIGURING, SUSPENDED, COMPLETING) may hold nodes, but send nothing."""

_HARMLESS = frozenset({"UPDATE_DB", "EXPEDITING"})
"""Flags of RUNNING jobs that do not affect communication."""


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """One job: an element of an array, or all components of a heterogeneous job."""

    id: str
    states: frozenset[str]
    """The state; in newer versions of Slurm, the state and its flags."""
    nodes: frozenset[str]
    """Allocated nodes; empty while the job waits."""

    @property
    def running(self) -> bool:
        """Whether the job's processes run now."""
        return bool(self.states & RUNNING) and not self.states & NOT_RUNNING

    @property
    def unknown(self) -> frozenset[str]:
        """States that Latitude does not know."""
        return self.states - RUNNING - NOT_RUNNING - _HARMLESS


def merged(jobs: Iterable[tuple[str, QueuedJob]]) -> list[QueuedJob]:
    """Jobs in order; components of a heterogeneous job have one key, and become one job.

    The components are one program and exchange messages, so two components on one node each
    communicate.
    """
    groups: dict[str, list[QueuedJob]] = {}
    for key, job in jobs:
        groups.setdefault(key, []).append(job)
    return [parts[0] if len(parts) == 1 else _joined(key, parts) for key, parts in groups.items()]


def _joined(key: str, parts: list[QueuedJob]) -> QueuedJob:
    counted = [part for part in parts if part.running] or parts
    return QueuedJob(
        key,
        frozenset().union(*(part.states for part in counted)),
        frozenset().union(*(part.nodes for part in counted)),
    )
