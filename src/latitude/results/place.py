"""The result of `latitude place`: placements side by side."""

from typing import Annotated, ClassVar

from msgspec import Meta

from latitude._types import Nodes
from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.results.declared import Amount, Count, Nanoseconds, Part, Result

NodeColumn = Annotated[
    Nodes, Meta(extra_json_schema={"type": "array", "items": {"type": "integer", "minimum": 0}})
]
_Positive = Annotated[int, Meta(ge=1)]


class PlaceMachine(Part, frozen=True, kw_only=True):
    """The nodes for ranks."""

    nodes: _Positive
    cores: _Positive
    """Largest number of ranks per node."""
    hosts: Annotated[list[str], Meta(min_length=1)]
    """Names of the nodes, in the order of their numbers."""
    network: dict[str, str]
    """Parameters by symbol, for people."""
    topology: str | None


class PlaceSearch(Part, frozen=True, kw_only=True):
    """Facts about the search for the placement."""

    start: str
    """Placement from which the search found the best placement."""
    evaluations: Count
    """Number of placements whose runtime was computed."""
    seconds: Amount
    finished: bool
    """Whether the search ended by itself, not by --time or Ctrl-C."""


class LinkShare(Part, frozen=True, kw_only=True):
    """One link class under a placement."""

    link: str
    L_ns: Nanoseconds
    lambda_L: Amount
    """Number of the class's latencies on the critical path."""
    messages: Count
    bytes: Count


class Judged(Part, frozen=True, kw_only=True):
    """A placement in a new evaluation by the engine."""

    name: str
    T_ns: Nanoseconds
    """Predicted runtime."""
    node_of_rank: NodeColumn
    links: list[LinkShare]


class PlaceResult(Result, frozen=True, kw_only=True):
    """Result of `latitude place`.

    Times are ns and sizes bytes unless a name has another unit.
    """

    SCHEMA: ClassVar[str] = "latitude.place/1"

    provenance: Provenance
    machine: PlaceMachine
    search: PlaceSearch
    gain: dict[str, float]
    """Placement → share by which the found placement is faster."""
    placements: Annotated[list[Judged], Meta(min_length=1)]
    """Compared placements; the last one is the found placement."""
    warnings: list[Notice]
    """Warnings about the placed program."""

    @property
    def best(self) -> Judged:
        """The found placement."""
        return self.placements[-1]

    @property
    def name(self) -> str:
        """Name of the program."""
        return self.provenance.name


def gains(others: list[Judged], best: Judged) -> dict[str, float]:
    """Shares by which `best` is faster than each other placement."""
    return {j.name: 1 - best.T_ns / j.T_ns if j.T_ns > 0 else 0.0 for j in others}
