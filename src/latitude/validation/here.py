"""The network as it is here: LogGPS measured by the program's own launch line."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from latitude._core import InputError
from latitude.cluster import read_cluster
from latitude.network import Network
from latitude.path import SEND
from latitude.program import Program
from latitude.runtime.application import Application
from latitude.runtime.measuring.loggps import CLUSTER, Wishes, measure
from latitude.validation.perform import Performer

_DIRECTORY = "network"
_LEAST = 4096
"""Bytes; fewer sizes make no line."""


def network_here(performer: Performer, programs: Sequence[Program]) -> tuple[Network, str]:
    """Its parameters, and where they come from in words; measured once a directory.

    Under the injector with nothing added, as the runs are: what the injector's own work costs a
    message is part of its o and L. With messages as large as the program's: G and O are slopes, and
    those of larger ones say little. InputError when the launch line cannot be told from the
    program.
    """
    directory = performer.store.path / _DIRECTORY
    cluster = directory / CLUSTER
    if not cluster.exists():
        subject = performer.subject
        launch = _launch_line(subject.command, performer.choice.application)
        intra = ["--intra-node"] if subject.intra_node else []
        counts = ["--force", "-o", str(directory / "inject")]
        under = [sys.executable, "-m", "latitude", "inject", "--flow", "0", *intra, *counts, "--"]
        wishes = Wishes(most=_most(programs), mpicc=performer.choice.mpi.mpicc, force=True)
        measure([*under, *launch], directory, wishes)
    return read_cluster(cluster).network(), f"measured here, {cluster}"


def _most(programs: Sequence[Program]) -> int:
    """The next power of two from the largest message on."""
    largest = _LEAST
    for program in programs:
        sends = program.graph.value[program.graph.kind == SEND]
        largest = max(largest, int(sends.max(initial=0)))
    return 1 << (largest - 1).bit_length()


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
