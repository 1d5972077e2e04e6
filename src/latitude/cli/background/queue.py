"""Options for the source of b."""

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from latitude._core import InputError
from latitude.files.clock import now
from latitude.files.provenance import made_now
from latitude.lab.results.background import BackgroundNow, Utilization
from latitude.units.options import Options, option, whole

OWN = "self"
OWN_VARIABLE = "SLURM_JOB_ID"


@dataclass(kw_only=True)
class QueueOptions(Options, topic="queue"):
    """The queue and the cluster."""

    nodes: int | None = option(
        "nodes of the cluster, N_t (default: as many as sinfo knows)",
        "N",
        whole("a number of nodes", 1),
    )
    exclude: list[str] = option(
        f"leave out the job with this number, or {OWN} for the job this runs in; may be repeated",
        "JOB",
        repeated=True,
    )


@dataclass(kw_only=True)
class SavedQueueOptions(QueueOptions, topic="queue"):
    """The options of QueueOptions, and an option for a saved queue."""

    queue: Path | None = option(
        "file with a saved queue, the output of `squeue --json` or of `squeue --all -o "
        "'%A|%i|%T|%D|%N'`, in place of the live queue; needs --nodes",
        "FILE",
        Path,
    )


class Meter:
    """Measures b with the options, and reads constant data only once."""

    def __init__(self, arguments: QueueOptions) -> None:
        self._file: Path | None = getattr(arguments, "queue", None)
        self._nodes: int | None = arguments.nodes
        self._exclude = [_job(text) for text in arguments.exclude]
        if self._file is not None and self._nodes is None:
            raise InputError(
                "--queue: a saved queue does not say how many nodes the cluster has; add --nodes N"
            )

    @property
    def source(self) -> str:
        """The source of b in words."""
        return "the live queue" if self._file is None else str(self._file)

    def __call__(self) -> Utilization:
        """Measures b now."""
        from latitude.lab.cluster.queue import read_queue  # noqa: PLC0415
        from latitude.lab.cluster.slurm import live_jobs, live_nodes  # noqa: PLC0415
        from latitude.lab.cluster.utilization import background  # noqa: PLC0415

        jobs = live_jobs() if self._file is None else read_queue(self._file)
        if self._nodes is None:
            self._nodes = live_nodes()
        return background(jobs, self._nodes, exclude=self._exclude)

    def result(self) -> BackgroundNow:
        """Present b as a result, with source and time."""
        found = self()
        return BackgroundNow(
            provenance=made_now(),
            source=self.source,
            time=None if self._file is not None else now().isoformat(timespec="seconds"),
            **msgspec.structs.asdict(found),
        )


def _job(text: str) -> str:
    if text != OWN:
        return text
    own = os.environ.get(OWN_VARIABLE)
    if not own:
        raise InputError(
            f"--exclude {OWN}: this runs in no job ({OWN_VARIABLE} is not set); give its number"
        )
    return own
