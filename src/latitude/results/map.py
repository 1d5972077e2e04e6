"""Planes that give T over a box of parameters, and answers that follow."""

from collections.abc import Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np
from msgspec import Meta

from latitude._types import Floats, Integers
from latitude.files.provenance import Provenance
from latitude.model.theta import VariedParameter
from latitude.notices.notice import Notice
from latitude.results.answer import PathParts
from latitude.results.declared import (
    Amount,
    AmountColumn,
    Columns,
    Nanoseconds,
    Part,
    Share,
    Unbounded,
)
from latitude.results.reported import Reported
from latitude.units.columns import TIME, column

if TYPE_CHECKING:
    import pandas as pd

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

REST = "rest"
"""The part of T that is not due to a varied parameter."""
_ROUNDING = 1e-9
_OF_AXIS = {1: 101, 2: 41, 3: 11, 4: 7}
"""Number of values per axis in the CSV file, by the number of axes."""


class MapAxis(VariedParameter, Part, frozen=True, kw_only=True):
    """A varied parameter of the network, or the factor on computation, which has no unit."""

    name: str
    """Name as in `--vary`."""
    meaning: str
    unit: Literal["ns", "ns/B", ""]
    """Unit of its values: `ns`, `ns/B`, or empty for a factor."""
    low: Amount
    """Lower end of the box."""
    high: Amount
    """Upper end of the box."""

    @property
    def column(self) -> str:
        """Name of a data column: L_ns, G_ns_per_byte, compute."""
        return super().column if self.unit else self.symbol

    def text(self, value: float, significant: int = 4) -> str:
        """A value for people, with its unit."""
        return super().text(value, significant) if self.unit else f"{value:.{significant}g}"

    def difference(self, value: float, significant: int = 4) -> str:
        """A difference of two values for people."""
        return super().difference(value, significant) if self.unit else self.text(value)

    def spaced(self, count: int) -> Floats:
        """(count,) values from end to end, with equal ratios if the axis begins above 0."""
        if self.low > 0:
            return np.geomspace(self.low, self.high, count)
        return np.linspace(self.low, self.high, count)


class Planes(Columns, frozen=True, kw_only=True):
    """Planes that touch T, one per sweep: T_ns + slope · (x − point) is nowhere above T."""

    T_ns: Annotated[AmountColumn, column("T", TIME)]
    point: _Numbers
    """(planes, axes) point at which each plane touches T."""
    slope: _Numbers
    """(planes, axes) ns per unit of each axis."""

    @property
    def at_zero(self) -> Floats:
        """(planes,) value of each plane if all parameters are 0, ns."""
        found: Floats = self.T_ns - np.einsum("ij,ij->i", self.slope, self.point)
        return found

    def highest(self, points: Floats) -> Floats:
        """The highest plane at points (..., axes), ns."""
        found: Floats = (points @ self.slope.T + self.at_zero).max(axis=-1)
        return found

    def slopes(self, points: Floats) -> Floats:
        """(n, axes) slopes of the highest plane at points (n, axes)."""
        found: Floats = self.slope[(points @ self.slope.T + self.at_zero).argmax(axis=-1)]
        return found

    def reach(self, points: Floats, axis: int, limit: float | Floats) -> Floats:
        """The value of one parameter at which the planes reach a limit.

        Args:
            points: (n, axes) the other parameters; the value of `axis` does not count.
            axis: index of the wanted parameter.
            limit: ns, one or (n,).

        Returns:
            (n,) values; infinite if no value reaches the limit, minus infinite if all values exceed
            the limit.
        """
        others = points.copy()
        others[:, axis] = 0
        room = np.asarray(limit).reshape(-1, 1) - (others @ self.slope.T + self.at_zero)
        rising = self.slope[:, axis] > 0
        reached = (room[:, rising] / self.slope[rising, axis]).min(axis=1, initial=np.inf)
        return np.where((room[:, ~rising] >= 0).all(axis=1), reached, -np.inf)


class Simplices(Columns, frozen=True, kw_only=True):
    """Simplices that fill the box; T is nowhere above the interpolation in a simplex."""

    corners: _Corners
    """(simplices, axes + 1) numbers of planes whose points are the corners."""


class Mapped(Part, frozen=True, kw_only=True):
    """T of one program on one network over the box.

    Everywhere in the box T is between `runtime(points)` and (1 + error) times this value. Each
    plane is a path of the graph: its slopes are sums along this path, e.g. messages for L and bytes
    for G.
    """

    label: str
    """Label among the alternatives; empty for a single one."""
    T_ns: Annotated[Nanoseconds, column("T", TIME)]
    """T on the network, whose parameters may lie outside the box."""
    base: AmountColumn
    """(axes,) the parameters in the network."""
    slope: AmountColumn
    """(axes,) λ of each parameter at the network: ns of T per unit."""
    path: PathParts
    """The parts of the critical path at the network."""
    parameters: dict[str, str] = msgspec.field(name="network")
    """Parameters by symbol, for people."""
    error: Share
    """Greatest excess of T over the planes, as a share of the planes."""
    planes: Planes
    simplices: Simplices

    def runtime(self, points: Floats) -> Floats:
        """T (ns) at points of the box, too short by at most the share `error`.

        Args:
            points: (n, axes) or (axes,) values of the parameters, ns, ns per byte or a factor.
        """
        return self.planes.highest(np.asarray(points, float))

    def above(self, points: Floats) -> Floats:
        """Upper bound of T (ns) at points of the box, interpolated between the sweeps.

        Args:
            points: as for `runtime`.
        """
        at = np.atleast_2d(np.asarray(points, float))
        least = np.full(len(at), np.inf)
        for corners in self.simplices.corners:
            inside = np.vstack([self.planes.point[corners].T, np.ones(len(corners))])
            weights = np.linalg.solve(inside, np.vstack([at.T, np.ones(len(at))]))
            here = (weights >= -_ROUNDING).all(axis=0)
            least[here] = np.minimum(least[here], self.planes.T_ns[corners] @ weights[:, here])
        return least if np.ndim(points) > 1 else least[0]

    def shares(self, points: Floats) -> Floats:
        """(n, axes) ρ: the share of T that is due to each parameter, at points (n, axes)."""
        found: Floats = self.planes.slopes(points) * points / self.runtime(points)[:, None]
        return found

    def start(self, axes: Sequence[MapAxis]) -> Floats:
        """(axes,) the network's values, or the nearest ends of the box."""
        return np.clip(self.base, [each.low for each in axes], [each.high for each in axes])

    def line(self, axes: Sequence[MapAxis], index: int, count: int) -> Floats:
        """(count, axes) points along one axis of the box; other parameters stay at `start`."""
        points = np.tile(self.start(axes), (count, 1))
        points[:, index] = axes[index].spaced(count)
        return points


class MapOver(Part, frozen=True, kw_only=True):
    """T over a box of parameters, for one or several programs and networks."""

    axes: Annotated[list[MapAxis], Meta(min_length=1)]
    alternatives: Annotated[list[Mapped], Meta(min_length=1)]
    """Alternatives; the first one is the base of comparison."""


class Exchange(Part, frozen=True, kw_only=True):
    """Amount of one parameter that costs as much as an amount of another, on the network."""

    label: str
    """Label of the alternative."""
    parameter: str
    amount: Amount
    """A tenth of the parameter's value in the network, ns, ns per byte or a factor."""
    cost_ns: Nanoseconds
    other: str
    worth: Unbounded
    """Amount of the other parameter. Null if the other parameter costs nothing."""


class Turn(Part, frozen=True, kw_only=True):
    """A point on an axis at which another parameter begins to take the largest share of T.

    The other parameters are as in the network, or at the nearest end of the box.
    """

    label: str
    """Label of the alternative."""
    along: str
    """Name of the axis."""
    value: Amount
    """Start of the stretch in which `largest` has the largest share of T."""
    largest: str
    """The parameter with the largest share; `rest` for all that is not varied."""
    share: Share
    """Share of T at the beginning of the stretch."""


class TolerancePoint(Part, frozen=True, kw_only=True):
    """Rise of the first parameter at which T has grown by a share, over another parameter."""

    label: str
    """Label of the alternative."""
    over: str
    """Name of the other parameter; all further parameters are as in the network."""
    value: Amount
    degradation: float
    """The share: 0.01 for 1 %."""
    delta_low: Unbounded
    """Lower bound of the tolerance; null if T never grows by this share."""
    delta_high: Unbounded
    """Upper bound of the tolerance."""


class ProgramMap(Reported, MapOver, frozen=True, kw_only=True):
    """Result of `latitude map`. Times are ns unless a name has another unit."""

    SCHEMA: ClassVar[str] = "latitude.map/1"
    DOCUMENT: ClassVar[str] = "latitude.render.documents.map:map_document"

    provenance: Provenance
    exchange: list[Exchange]
    """Exchange rates at each alternative's network, for each pair of parameters."""
    turns: list[Turn]
    """Turns by alternative and axis, by rising value."""
    tolerance: list[TolerancePoint]
    """Tolerance in the first parameter, over each other parameter. Empty for a single parameter."""
    warnings: list[Notice]

    @property
    def name(self) -> str:
        """Name of the program."""
        return self.provenance.name

    def alternative(self, label: str | None = None) -> Mapped:
        """The alternative with this label, or the first. KeyError: the label is unknown."""
        if label is None:
            return self.alternatives[0]
        return {each.label: each for each in self.alternatives}[label]

    def runtime(self, points: Floats, label: str | None = None) -> Floats:
        """T (ns) of an alternative at points of the box: `Mapped.runtime`."""
        return self.alternative(label).runtime(points)

    def above(self, points: Floats, label: str | None = None) -> Floats:
        """An upper bound (ns) of T of an alternative: `Mapped.above`."""
        return self.alternative(label).above(points)

    def grid_columns(self) -> dict[str, Sequence[Any]]:
        """T over a grid of the box by column: alternative, the parameters, T_ns, T_at_most_ns."""
        spaced = [axis.spaced(_OF_AXIS[len(self.axes)]) for axis in self.axes]
        grid = np.meshgrid(*spaced, indexing="ij")
        points = np.stack([each.ravel() for each in grid], axis=1)
        rows = len(self.alternatives)
        names = (axis.column for axis in self.axes)
        return {
            "alternative": np.repeat([each.label for each in self.alternatives], len(points)),
            **dict(zip(names, np.tile(points, (rows, 1)).T, strict=True)),
            "T_ns": np.concatenate([each.runtime(points) for each in self.alternatives]),
            "T_at_most_ns": np.concatenate([each.above(points) for each in self.alternatives]),
        }

    def to_dataframe(self) -> "pd.DataFrame":
        """T over a grid of the box: one row per alternative and point, as in map.csv."""
        import pandas as pd  # noqa: PLC0415 - takes half a second to import

        return pd.DataFrame(self.grid_columns())

    def plot(self) -> Any:
        """Lines of equal slowdown as a plotly figure, or T with one parameter alone."""
        return resolve_name("latitude.render.documents.map:map_figure")(self)
