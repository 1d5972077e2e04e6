"""Programs of other formats as traces in our own: computation, sends and receives, in order."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from latitude import _core, load
from support.native_trace import Writer, text, varint, varints, write, zigzag, zigzagged

Ints = NDArray[np.int64]

_CALLS = {
    "MPI_Init": "",
    "MPI_Isend": "cptbq",
    "MPI_Recv": "cptbs",
    "MPI_Waitall": "Q",
    "MPI_Finalize": "",
}
_INIT, _ISEND, _RECV, _WAITALL, _FINALIZE = range(len(_CALLS))
_SITES = 7
_TOOK = 7
"""ns, each call."""
_BASE = 0x5000


def rewritten(source: Path, folder: Path) -> Path:
    """A folder with a trace that is made of another trace.

    A send is an MPI_Isend that an MPI_Waitall completes at the end, a receive an MPI_Recv. Each
    message has a tag of its own; calls of one name in the source come from one place of several.
    """
    graph = load(source).graph
    tag = np.zeros(graph.vertices, dtype=np.int64)
    sends = np.flatnonzero(graph.kind == _core.Kind.send)
    tag[sends] = tag[graph.partner[sends]] = np.arange(sends.size)
    rank_of = np.repeat(np.arange(graph.ranks), np.diff(graph.rank_begin))
    site = np.zeros(graph.vertices, dtype=np.int64)
    called = graph.origin != _core.NO_ORIGIN
    site[called] = 1 + graph.call_code[graph.origin[called]] % _SITES
    files = {}
    for rank in range(graph.ranks):
        part = slice(int(graph.rank_begin[rank]), int(graph.rank_begin[rank + 1]))
        other = graph.partner[part].astype(np.int64)
        peer = rank_of[np.minimum(other, graph.vertices - 1)]
        value = graph.value[part].astype(np.int64)
        files[rank] = _file(rank, graph.ranks, graph.kind[part], peer, value, tag[part], site[part])
    return write(folder, files)


def _file(
    rank: int, ranks: int, kind: NDArray[np.uint8], peer: Ints, value: Ints, tag: Ints, site: Ints
) -> bytes:
    """A rank's file; `value` is a computation's time (ns) or a message's bytes."""
    computed = np.cumsum(np.where(kind == _core.Kind.calc, value, 0))
    at = np.flatnonzero(kind != _core.Kind.calc)
    gap = np.diff(computed[at], prepend=0)
    last_gap = int(computed.max(initial=0) - gap.sum())
    sends = kind[at] == _core.Kind.send
    posted = int(sends.sum())
    rows = np.zeros((at.size, 9), np.int64)
    rows[:, 0] = np.where(sends, _ISEND, _RECV)
    rows[:, 1], rows[:, 2], rows[:, 3] = gap, _TOOK, site[at]
    rows[:, 5], rows[:, 6] = zigzagged(peer[at]), zigzagged(tag[at])
    rows[:, 7] = value[at]
    rows[:, 8] = np.where(sends, 2, 0)  # the next request: one more than the one before; a status
    records = [_record(_INIT, 5, 0), varints(rows.ravel())]
    if posted:
        done = zigzag(1 - posted) + b"\0" + (zigzag(1) + b"\0") * (posted - 1)  # from number one on
        records.append(_record(_WAITALL, last_gap, _SITES) + varint(posted) + done)
        last_gap = 0
    records.append(_record(_FINALIZE, last_gap, 0))
    counts = (1, posted, at.size - posted, int(posted > 0), 1)
    writer = Writer(rank, ranks)
    writer.chunk(1, 1, text("{}"))
    writer.chunk(2, len(_CALLS), b"".join(text(n) + text(s) for n, s in _CALLS.items()))
    mapped = varint(_BASE) + varint(_BASE + 0x4000) + varint(_BASE)
    writer.chunk(3, 1, mapped + text("/bin/app") + text("ab12"))
    writer.chunk(4, _SITES, b"".join(varint(_BASE + 0x10 * (i + 1)) for i in range(_SITES)))
    writer.chunk(6, sum(counts), b"".join(records))
    named = zip(_CALLS, counts, strict=True)
    end = b"".join(text(name) + varint(count) for name, count in named)
    writer.chunk(7, 1, b"\0" + varint(len(counts)) + end)
    return writer.file


def _record(call: int, gap: int, site: int) -> bytes:
    return bytes([call]) + varint(gap) + varint(_TOOK) + varint(site)
