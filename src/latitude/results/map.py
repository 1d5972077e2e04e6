"""What `latitude map` found: planes that give T over a box of parameters."""

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec import Meta

from latitude._types import Floats, Integers
from latitude.files.provenance import Provenance
from latitude.model.theta import VariedParameter
from latitude.notices.notice import Notice
from latitude.results.declared import (
    Amount,
    AmountColumn,
    Columns,
    Nanoseconds,
    Part,
    Result,
    Share,
)
from latitude.units.columns import TIME, column

_ROW: dict[str, Any] = {"type": "array", "items": {"type": "number"}}
_Numbers = Annotated[Floats, Meta(extra_json_schema={"type": "array", "items": _ROW})]
_Corners = Annotated[
    Integers,
    Meta(
        extra_json_schema={
            "type": "array",
            "items": {"type": "array", "items": {"type": "integer", "minimum": 0}},
        }
    ),
]

_ROUNDING = 1e-9


class MapAxis(VariedParameter, Part, frozen=True, kw_only=True):
    """A parameter of the network that is varied, or the factor on computation, without a unit."""

    name: str
    """As in `--vary`."""
    meaning: str
    unit: Literal["ns", "ns/B", ""]
    """Of its values: `ns`, `ns/B`, or empty for a factor."""
    low: Amount
    """Lower end of the box."""
    high: Amount
    """Upper end of the box."""
    base: Amount
    """Its value in the network."""
    slope: Amount
    """What one unit more adds to T at the network, ns: λ."""

    @property
    def column(self) -> str:
        """For data: L_ns, G_ns_per_byte, compute."""
        return super().column if self.unit else self.symbol

    def text(self, value: float, significant: int = 4) -> str:
        """A value for people, with its unit."""
        return super().text(value, significant) if self.unit else f"{value:.{significant}g}"


class AtNetwork(Part, frozen=True, kw_only=True):
    """The network itself, which need not lie in the box."""

    T_ns: Nanoseconds
    parameters: dict[str, str]
    """By symbol, for people."""


class Planes(Columns, frozen=True, kw_only=True):
    """Planes that touch T, one a sweep: T_ns + slope · (x − point) is nowhere above T."""

    T_ns: Annotated[AmountColumn, column("T", TIME)]
    point: _Numbers
    """(planes, axes) where the plane touches T."""
    slope: _Numbers
    """(planes, axes) ns per unit of each axis."""

    @property
    def at_zero(self) -> Floats:
        """(planes,) their values where all parameters are 0, ns."""
        found: Floats = self.T_ns - np.einsum("ij,ij->i", self.slope, self.point)
        return found

    def highest(self, points: Floats) -> Floats:
        """What the planes say at points (..., axes): the highest of them, ns."""
        found: Floats = (points @ self.slope.T + self.at_zero).max(axis=-1)
        return found

    def reach(self, points: Floats, axis: int, limit: float) -> Floats:
        """The value of one parameter at which the planes reach a limit.

        Args:
            points: (n, axes) the other parameters; the one that is asked for does not count.
            axis: which parameter.
            limit: ns.

        Returns:
            (n,) infinite where no value does, minus infinite where every value does.
        """
        others = points.copy()
        others[:, axis] = 0
        room = limit - (others @ self.slope.T + self.at_zero)
        rising = self.slope[:, axis] > 0
        reached = (room[:, rising] / self.slope[rising, axis]).min(axis=1, initial=np.inf)
        return np.where((room[:, ~rising] >= 0).all(axis=1), reached, -np.inf)


class Simplices(Columns, frozen=True, kw_only=True):
    """Simplices that fill the box; T is nowhere above what is interpolated in one."""

    corners: _Corners
    """(simplices, axes + 1) numbers of planes, at whose points the corners are."""


class ProgramMap(Result, frozen=True, kw_only=True):
    """Result of `latitude map`. Times are ns where no other unit is named.

    Everywhere in the box T is between `runtime(points)` and (1 + error) times that.
    """

    SCHEMA: ClassVar[str] = "latitude.map/1"

    provenance: Provenance
    axes: Annotated[list[MapAxis], Meta(min_length=1)]
    network: AtNetwork
    error: Share
    """How far T can be above the planes, as a share of what they say."""
    planes: Planes
    simplices: Simplices
    warnings: list[Notice]

    @property
    def name(self) -> str:
        """What to call the program."""
        return self.provenance.name

    def runtime(self, points: Floats) -> Floats:
        """T (ns) at points of the box, at most `error` too short.

        Args:
            points: (n, axes) or (axes,) values of the parameters, ns, ns per byte or a factor.
        """
        return self.planes.highest(np.asarray(points, float))

    def above(self, points: Floats) -> Floats:
        """What T (ns) is nowhere above, at points of the box: interpolated between the sweeps.

        Args:
            points: as of `runtime`.
        """
        at = np.atleast_2d(np.asarray(points, float))
        least = np.full(len(at), np.inf)
        for corners in self.simplices.corners:
            inside = np.vstack([self.planes.point[corners].T, np.ones(len(corners))])
            weights = np.linalg.solve(inside, np.vstack([at.T, np.ones(len(at))]))
            here = (weights >= -_ROUNDING).all(axis=0)
            least[here] = np.minimum(least[here], self.planes.T_ns[corners] @ weights[:, here])
        return least if np.ndim(points) > 1 else least[0]
