"""The network of a program, as LogGPS parameters measured with the program's own launch line."""

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude.analysis.messages import crossing, rank_of, whole
from latitude.experiments.validation.plan import Setup
from latitude.launch.application import Application
from latitude.launch.choose import Choice
from latitude.measure.loggps import CLUSTER, Wishes, measure
from latitude.model.cluster_file import read_cluster
from latitude.model.network import Network
from latitude.trace.program import Program

_LEAST_BYTES = 4096
"""Least size of the largest measured message, bytes: fewer sizes do not make a line."""
_DELAYED = "delayed"
_ADDED = "100us"
"""Added latency for the run that counts a rendezvous' latencies; it exceeds all other costs."""
_FORGETTING_NS = 1e6
"""Duration of a computation, ns, in which a core reads 5 to 20 MB: more than its part of the
caches."""


def measured_network(
    directory: Path,
    setup: Setup,
    choice: Choice,
    program: Program,
    tell: Callable[[str], None],
) -> tuple[Network, str]:
    """The network's parameters, and their origin in words; measured once per directory.

    Latitude measures under the injector without added latency, like the runs, because the
    injector's own work on a message is part of o and L. The messages are as large as the program's,
    because the slopes G and O of larger messages mean little. Messages are in the caches if the
    program's messages are. The chosen reading of the rendezvous protocol is the closest to a
    measurement with added latency. `tell` gets a line about the duration of each measurement.
    InputError: the launch line cannot be separated from the program.
    """
    cluster, under = directory / CLUSTER, directory / _DELAYED
    if not (under / CLUSTER).exists():
        most = most_bytes(program)
        usual = Wishes(most=most, cold=computes_between(program))
        _measured(setup, choice, directory, "0", usual, tell)
        some = max(most, Wishes().most)  # rendezvous, even if the program's messages are eager
        once = Wishes(most=some, starts=1, time_ns=usual.start_ns)
        _measured(setup, choice, under, _ADDED, once, tell)
    reading = read_cluster(under / CLUSTER).rendezvous
    network = read_cluster(cluster).network()
    if reading is not None:
        network = replace(network, rendezvous=reading)
    return network, f"measured here, {cluster}"


def _measured(
    setup: Setup,
    choice: Choice,
    directory: Path,
    added: str,
    wishes: Wishes,
    tell: Callable[[str], None],
) -> None:
    launch = _launch_line(setup.command, choice.application)
    intra = ["--intra-node"] if setup.intra_node else []
    counts = ["--force", "-o", str(directory / "inject")]
    under = [sys.executable, "-m", "latitude", "inject", "--flow", added, *intra, *counts, "--"]
    mine = replace(wishes, mpi=replace(choice, application=None), force=True)
    measure([*under, *launch], directory, mine, tell)


def most_bytes(program: Program) -> int:
    """The power of two at or above the largest message between ranks, at least 4 KiB."""
    sizes = program.graph.value[crossing(program.graph)]
    largest = max(_LEAST_BYTES, int(sizes.max(initial=0)))
    return 1 << (largest - 1).bit_length()


def computes_between(program: Program) -> bool:
    """Whether caches lose the data during the computation between messages to one rank.

    The median over messages decides. If true, buffers are in memory at the next send. A trace does
    not show exceptions: packed buffers, or a wait instead of a computation.
    """
    graph = program.graph
    sends = crossing(graph)
    if sends.size == 0:
        return False
    rank, other = rank_of(graph, sends), rank_of(graph, whole(graph.partner[sends]))
    work = np.flatnonzero(graph.kind == _core.Kind.calc)
    computed = np.bincount(rank_of(graph, work), graph.value[work], graph.ranks)
    _, pair, messages = np.unique(
        rank * graph.ranks + other, return_inverse=True, return_counts=True
    )
    return float(np.median(computed[rank] / messages[pair])) > _FORGETTING_NS


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
        "Latitude cannot separate the launch line from the program, and so cannot measure the "
        "network; give --network FILE (from latitude measure loggps)"
    )
