"""Collectives as ranks have called them, before they are matched."""

from collections import Counter
from dataclasses import dataclass, field

_KIND_OF = (
    ("allreduce", "all_reduce"),
    ("multimem", "all_reduce"),
    ("allgather", "all_gather"),
    ("reducescatter", "reduce_scatter"),
    ("alltoall", "all_to_all"),
    ("sendrecv", "all_to_all"),
    ("broadcast", "broadcast"),
    ("barrier", "barrier"),
    ("gather", "gather"),
    ("scatter", "scatter"),
    ("reduce", "reduce"),
    ("send", "send"),
    ("recv", "send"),
)
"""Parts of names, without underscores, and the kinds that they mean; the first match counts."""
CPU = "cpu"


@dataclass(slots=True)
class Called:
    """A rank's part in a collective, from the trace."""

    start: int
    """When it was called, which orders those of a group."""
    end: int
    """When it had ended."""
    kind: str
    group: str
    ranks: tuple[int, ...]
    bytes: int
    sequence: int | None = None
    trips: int = 1
    """Latencies of each step around a ring."""
    begin: int | None = None
    """Arrival time at a message whose end is visible only when its caller asks; None for others."""


@dataclass(slots=True)
class Built:
    """Results of building the ranks, in addition to their operations."""

    members: list[tuple[int, int, Called]] = field(default_factory=list)
    """(rank, operation, call) in calling order of each rank."""
    early: Counter[str] = field(default_factory=Counter)
    """Dependencies that the recording contradicts, by kind."""
    order: dict[int, int] = field(default_factory=dict)
    """Place of each member's operation among the operations of its rank and group."""
    without_launch: int = 0
    without_size: int = 0
    in_graphs: int = 0
    """Tasks of CUDA graphs that lie on several streams."""
    open_waits: int = 0


def kind_of(name: str) -> str | None:
    """The kind of collective that a name tells."""
    plain = name.replace("_", "").lower()
    return next((kind for part, kind in _KIND_OF if part in plain), None)
