"""The shared real traces, where the checkout has them beside it."""

import re
import tarfile

from latitude import _core
from support.paths import TRACES

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


def graph_of_texts(texts: list[str]) -> _core.Graph:
    """The graph of a trace in liballprof's format, the text of each rank's file given."""
    loader = _core.trace_format("liballprof").loader(
        [f"random.{rank}" for rank in range(len(texts))]
    )
    for rank, text in enumerate(texts):
        loader.feed(rank, text.encode())
    return _core.build_graph(loader.finish())
