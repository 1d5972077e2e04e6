"""The shared real traces, if the checkout has them in a folder next to it."""

import re
import tarfile
from random import Random

from latitude import _core
from support.paths import TRACES

from .programs import EAGER_LIMIT

ARCHIVES = {path.name.removesuffix(".tar.xz"): path for path in sorted(TRACES.glob("*.tar.xz"))}


def read_trace(name: str) -> _core.Trace:
    """The trace in archive `name`, one member a rank."""
    with tarfile.open(ARCHIVES[name]) as archive:
        members = [m for m in archive.getmembers() if m.isfile()]
        members.sort(key=lambda m: int(re.findall(r"\d+", m.name)[-1]))
        loader = _core.trace_format("liballprof").loader([m.name for m in members])
        for rank, member in enumerate(members):
            data = archive.extractfile(member)
            assert data is not None
            loader.feed(rank, data.read())
    return loader.finish()


def graph_of(name: str) -> _core.Graph:
    return _core.build_graph(read_trace(name))


_SERVICES = {
    "exchange": ("MPI_Sendrecv",),
    "receive": ("MPI_Recv",),
    "complete": ("MPI_Wait", "MPI_Waitall"),
    "complete-send": ("MPI_Wait", "MPI_Waitall"),
}
_TOGETHER = ("MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall")


def random_call_times(rng: Random) -> _core.CallTimes:
    """Durations of the calls of a small random program: of most kinds and sizes, in whole ns."""
    sizes = range(6)
    ends = [
        (service, call, log2, float(rng.choice([0, 1, 5, 30])))
        for service, calls in _SERVICES.items()
        for call in calls
        for log2 in sizes
        if rng.random() < 0.8
    ]
    collectives = [
        (call, members, log2, float(rng.choice([0, 2, 40])))
        for call in _TOGETHER
        for members in range(1, 5)
        for log2 in sizes
        if rng.random() < 0.8
    ]
    return _core.CallTimes(ends, collectives, rng.choice([4, EAGER_LIMIT, 64]), [])


def graph_of_texts(texts: list[str], call_times: _core.CallTimes | None = None) -> _core.Graph:
    """The graph of a trace in liballprof's format, the text of each rank's file given."""
    loader = _core.trace_format("liballprof").loader(
        [f"random.{rank}" for rank in range(len(texts))]
    )
    for rank, text in enumerate(texts):
        loader.feed(rank, text.encode())
    return _core.build_graph(loader.finish(), call_times=call_times)
