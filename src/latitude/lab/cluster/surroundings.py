"""The cluster around a measurement: b of the queue, and the distance of the nodes."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.lab.cluster.around import THRESHOLD
from latitude.notices import kinds
from latitude.notices.notice import Notice

SAME_NODE = "same node"
_SLURM = ("squeue", "sinfo")


@dataclass(frozen=True, slots=True)
class QueueAround:
    """b before and after a measurement; None without Slurm."""

    before: float | None
    after: float | None

    @property
    def b(self) -> float | None:
        """The mean of `before` and `after`; None if they differ by 5 percentage points or more."""
        if self.before is None or self.after is None:
            return None
        if abs(self.after - self.before) >= THRESHOLD:
            return None
        return (self.before + self.after) / 2

    def notices(self) -> list[Notice]:
        """Warnings about b."""
        if self.before is None or self.after is None or self.b is not None:
            return []
        return [
            kinds.B_NOT_KEPT(
                f"b went from {self.before:.3f} to {self.after:.3f} during the measurement"
            )
        ]


def utilization() -> float | None:
    """Background utilisation b of the live queue without the present job; None without Slurm."""
    from latitude.lab.cluster.slurm import live_jobs, live_nodes  # noqa: PLC0415
    from latitude.lab.cluster.utilization import background  # noqa: PLC0415

    if any(shutil.which(command) is None for command in _SLURM):
        return None
    try:
        return background(live_jobs(), live_nodes(), exclude=_own_job()).b
    except InputError:  # Slurm is installed, but this machine belongs to no cluster
        return None


def _own_job() -> list[str]:
    own = os.environ.get("SLURM_JOB_ID")
    return [own] if own else []


def placement(hosts: Iterable[str], topology: Path | None) -> str | None:
    """The distance of these hosts: `same node`, or one of LOCALITIES; None if not known.

    InputError: the file `topology` cannot be read, or lacks a host.
    """
    from latitude.lab.cluster.slurm import live_topology  # noqa: PLC0415
    from latitude.lab.cluster.topology import parse_topology, read_topology  # noqa: PLC0415

    names = {host.partition(".")[0] for host in hosts}
    if len(names) == 1:
        return SAME_NODE
    if topology is not None:
        return read_topology(topology).locality(names).level
    if shutil.which("scontrol") is None:
        return None
    try:
        return parse_topology(live_topology(), "scontrol show topology").locality(names).level
    except InputError:  # many clusters describe no switches
        return None
