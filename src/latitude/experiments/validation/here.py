"""The network as it is here: LogGPS measured by the program's own launch line."""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from latitude._core import InputError
from latitude.analysis.messages import crossing
from latitude.experiments.validation.limit import fitting
from latitude.experiments.validation.perform import Performer
from latitude.files.writing import write_new
from latitude.launch.application import Application
from latitude.measure.loggps import CLUSTER, Measured, Wishes, measure
from latitude.model.cluster_file import read_cluster
from latitude.model.network import Network
from latitude.notices.notice import Notice
from latitude.trace.program import Program

_DIRECTORY = "network"
_LEAST = 4096
"""Bytes; fewer sizes make no line."""
_DELAYED = "delayed"
_LARGE = "large-messages.json"
_ADDED = "100us"
"""A rendezvous' latencies are counted where they are long beside everything else."""


def network_here(performer: Performer, program: Program) -> tuple[Network, str, list[Notice]]:
    """Its parameters, where they come from in words, and what to tell; measured once a directory.

    Under the injector with nothing added, as the runs are: what the injector's own work costs a
    message is part of its o and L. With messages as large as the program's: G and O are slopes, and
    those of larger ones say little. The reading of the rendezvous is what comes closest with
    latency added. InputError when the launch line cannot be told from the program.
    """
    directory = performer.store.path / _DIRECTORY
    cluster, large = directory / CLUSTER, directory / _LARGE
    if not large.exists():
        most = most_bytes(program)
        (each, *_) = _measured(performer, directory, "0", most).classes
        some = max(most, Wishes().most)  # rendezvous, whatever the program's are
        (delayed, *_) = _measured(performer, directory / _DELAYED, _ADDED, some).classes
        found = {"rendezvous": delayed.rendezvous, "S_nonblocking_bytes": each.S_nonblocking}
        write_new(large, json.dumps(found), force=True)
    said = json.loads(large.read_text(encoding="utf-8"))
    network = read_cluster(cluster).network()
    if said["rendezvous"] is not None:
        network = replace(network, rendezvous=said["rendezvous"])
    network, told = fitting(network, program, int(said["S_nonblocking_bytes"]))
    return network, f"measured here, {cluster}", told


def _measured(performer: Performer, directory: Path, added: str, most: int) -> Measured:
    subject = performer.subject
    launch = _launch_line(subject.command, performer.choice.application)
    intra = ["--intra-node"] if subject.intra_node else []
    counts = ["--force", "-o", str(directory / "inject")]
    under = [sys.executable, "-m", "latitude", "inject", "--flow", added, *intra, *counts, "--"]
    wishes = Wishes(most=most, mpicc=performer.choice.mpi.mpicc, force=True)
    return measure([*under, *launch], directory, wishes)


def most_bytes(program: Program) -> int:
    """The next power of two from the largest message between ranks on, at least 4 KiB."""
    sizes = program.graph.value[crossing(program.graph)]
    largest = max(_LEAST, int(sizes.max(initial=0)))
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
