"""The network as it is here: LogGPS measured by the program's own launch line."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from latitude._core import InputError
from latitude.cluster import read_cluster
from latitude.network import Network
from latitude.runtime.application import Application
from latitude.runtime.measuring.loggps import CLUSTER, Wishes, measure
from latitude.validation.perform import Performer

_DIRECTORY = "network"


def network_here(performer: Performer) -> tuple[Network, str]:
    """Its parameters, and where they come from in words; measured once a directory.

    Under the injector with nothing added, as the runs are: what the injector's own work costs a
    message is part of its o and L. InputError when the launch line cannot be told from the program.
    """
    directory = performer.store.path / _DIRECTORY
    cluster = directory / CLUSTER
    if not cluster.exists():
        subject = performer.subject
        launch = _launch_line(subject.command, performer.choice.application)
        intra = ["--intra-node"] if subject.intra_node else []
        counts = ["--force", "-o", str(directory / "inject")]
        under = [sys.executable, "-m", "latitude", "inject", "--flow", "0", *intra, *counts, "--"]
        measure([*under, *launch], directory, Wishes(mpicc=performer.choice.mpi.mpicc, force=True))
    return read_cluster(cluster).network(), f"measured here, {cluster}"


def _launch_line(command: Sequence[str], program: Application | None) -> list[str]:
    """The command's words before the program."""
    for index, word in enumerate(command):
        found = shutil.which(word)
        if (
            index
            and program is not None
            and found
            and Path(found).resolve() == program.path.resolve()
        ):
            return list(command[:index])
    raise InputError(
        "the launch line cannot be told from the program, so the network cannot be measured with "
        "it; give --network FILE (latitude measure loggps writes it)"
    )
