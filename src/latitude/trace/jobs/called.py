"""Collectives as each rank has called them, before matching."""

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
"""Parts of names, without underscores, and the kinds they mean; the first match counts."""
CPU = "cpu"


@dataclass(slots=True)
class Called:
    """A rank's part in a collective, from the trace."""

    start: int
    """Time of the call, which orders the calls of a group."""
    end: int
    """Time of the end."""
    kind: str
    group: str
    ranks: tuple[int, ...]
    bytes: int
    sequence: int | None = None
    trips: int = 1
    """Number of latencies per step around a ring."""
    algorithm: str = "ring"
    """Algorithm of NCCL, `ring` or `tree`."""
    begin: int | None = None
    """Time of arrival, for gloo's messages, whose end shows only when the caller asks; else None.
    """

    @property
    def charged(self) -> tuple[str, int, int, str]:
        """Kind, bytes, trips and algorithm, which determine the cost."""
        return self.kind, self.bytes, self.trips, self.algorithm


@dataclass(slots=True)
class Built:
    """Results of building the ranks, in addition to their operations."""

    members: list[tuple[int, int, Called]] = field(default_factory=list)
    """(rank, operation, call), in the order of each rank's calls."""
    early: Counter[str] = field(default_factory=Counter)
    """Number of dependencies that the recording contradicts, by kind."""
    order: dict[int, int] = field(default_factory=dict)
    """Position of each member's operation among the operations of its rank and group."""
    without_launch: int = 0
    without_size: int = 0
    in_graphs: int = 0
    """Number of tasks in CUDA graphs that use several streams."""
    open_waits: int = 0


def kind_of(name: str) -> str | None:
    """The kind of collective in a name."""
    plain = name.replace("_", "").lower()
    return next((kind for part, kind in _KIND_OF if part in plain), None)
