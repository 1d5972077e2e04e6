"""Programs of other formats as traces in our own: what they compute, send and receive, in order."""

from pathlib import Path

import numpy as np

from latitude import _core, load
from support.native_trace import Writer, text, varint, write, zigzag

_CALLS = {
    "MPI_Init": "",
    "MPI_Isend": "cptbq",
    "MPI_Recv": "cptbs",
    "MPI_Waitall": "Q",
    "MPI_Finalize": "",
}
_INIT, _ISEND, _RECV, _WAITALL, _FINALIZE = range(len(_CALLS))
_SITES = 7
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
        columns = (graph.kind, graph.value, tag, site)
        rows = zip(peer.tolist(), *(column[part].tolist() for column in columns), strict=True)
        files[rank] = _file(rank, graph.ranks, list(rows))
    return write(folder, files)


def _file(rank: int, ranks: int, rows: list[tuple[int, int, int, int, int]]) -> bytes:
    """A rank's file; rows are peer, kind, value, tag and site."""
    records, gap, posted = [_record(_INIT, 5, 0)], 0, 0
    for peer, kind, value, tag, site in rows:
        if kind == _core.Kind.calc:
            gap += value
            continue
        message = b"\0" + zigzag(peer) + zigzag(tag) + varint(value)
        if kind == _core.Kind.send:
            records.append(_record(_ISEND, gap, site) + message + zigzag(1))
            posted += 1
        else:
            records.append(_record(_RECV, gap, site) + message + b"\0")
        gap = 0
    if posted:
        first = zigzag(1 - posted)  # the numbers count up from one
        done = b"".join((first if i == 0 else zigzag(1)) + b"\0" for i in range(posted))
        records.append(_record(_WAITALL, gap, _SITES) + varint(posted) + done)
        gap = 0
    records.append(_record(_FINALIZE, gap, 0))
    writer = Writer(rank, ranks)
    writer.chunk(1, 1, text("{}"))
    writer.chunk(2, len(_CALLS), b"".join(text(n) + text(s) for n, s in _CALLS.items()))
    mapped = varint(_BASE) + varint(_BASE + 0x4000) + varint(_BASE)
    writer.chunk(3, 1, mapped + text("/bin/app") + text("ab12"))
    writer.chunk(4, _SITES, b"".join(varint(_BASE + 0x10 * (i + 1)) for i in range(_SITES)))
    writer.chunk(6, len(records), b"".join(records))
    counts = {name: sum(each[0] == code for each in records) for code, name in enumerate(_CALLS)}
    end = b"".join(text(name) + varint(count) for name, count in counts.items())
    writer.chunk(7, 1, b"\0" + varint(len(counts)) + end)
    return writer.file


def _record(call: int, gap: int, site: int) -> bytes:
    return bytes([call]) + varint(gap) + varint(7) + varint(site)
