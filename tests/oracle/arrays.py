"""The shape of an execution graph and of its costs, as the oracles see them.

`latitude._core.Graph` and `latitude._core.Network` fit these protocols; so do the small
stand-ins below, with which the oracles are tested against each other.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

CALC, SEND, RECV = 0, 1, 2
REQUIRES_END, REQUIRES_START, RELEASED, POSTED = 0, 1, 2, 3
NO_VERTEX = 2**32 - 1


Theta = Literal["L", "G", "o"]
"""The parameter that varies."""


class GraphArrays(Protocol):
    """Vertices and dependencies, with the meaning core/graph/graph.hpp gives them."""

    @property
    def kind(self) -> NDArray[np.uint8]: ...
    @property
    def value(self) -> NDArray[np.int64]: ...
    @property
    def partner(self) -> NDArray[np.uint32]: ...
    @property
    def chained(self) -> NDArray[np.uint8]: ...
    @property
    def blocking(self) -> NDArray[np.uint8]: ...
    @property
    def synchronous(self) -> NDArray[np.uint8]: ...
    @property
    def dep_begin(self) -> NDArray[np.uint32]: ...
    @property
    def dep_vertex(self) -> NDArray[np.uint32]: ...
    @property
    def dep_kind(self) -> NDArray[np.uint8]: ...


class Costs(Protocol):
    """LogGPS parameters: times in ns, G in ns a byte, S in bytes."""

    @property
    def L(self) -> float: ...
    @property
    def o(self) -> float: ...
    @property
    def G(self) -> float: ...
    @property
    def S(self) -> int: ...
    @property
    def rendezvous(self) -> str: ...


@dataclass(frozen=True)
class Parameters:
    """Stand-in for `latitude._core.Network`."""

    L: float
    o: float
    G: float
    S: int
    rendezvous: str = "handshake"

    def keywords(self) -> dict[str, Any]:
        """What the constructor of `latitude._core.Network` takes."""
        return dict(vars(self))


@dataclass(frozen=True)
class Arrays:
    """Stand-in for `latitude._core.Graph`."""

    kind: NDArray[np.uint8]
    value: NDArray[np.int64]
    partner: NDArray[np.uint32]
    chained: NDArray[np.uint8]
    blocking: NDArray[np.uint8]
    synchronous: NDArray[np.uint8]
    dep_begin: NDArray[np.uint32]
    dep_vertex: NDArray[np.uint32]
    dep_kind: NDArray[np.uint8]
