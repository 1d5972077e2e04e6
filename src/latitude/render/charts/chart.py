"""A chart of the page: a plotly figure with words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Trace = dict[str, Any]
"""One trace of a figure: a line, a set of bars."""
Figure = dict[str, Any]
"""A plotly figure as plain data, with the keys "data" and "layout"."""


@dataclass(frozen=True, slots=True)
class View:
    """A button above a chart that shows a part of the chart."""

    label: str
    layout: dict[str, Any]
    """Layout changes, e.g. {"xaxis.range": [0, 10]}."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A button above a chart that colours it another way by showing some of the traces."""

    label: str
    shown: Sequence[bool]
    """Whether each trace of the figure is visible."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart: a sentence on reading it, the figure, and a note."""

    id: str
    title: str
    reading: str
    """A sentence on what the chart shows for this program."""
    figure: Figure
    height: int
    """Height, pixels."""
    note: str = ""
    views: Sequence[View] = field(default_factory=tuple)
    """Views; the chart opens with the first."""
    layers: Sequence[Layer] = field(default_factory=tuple)
    """Layers; the chart opens with the first."""
    label: str = ""
    """Description of the chart for people who cannot see it, if it has no reading."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of time for an axis."""

    name: str
    ns: float

    def of(self, values: ArrayLike) -> NDArray[np.float64]:
        """Times from ns to this unit."""
        return np.asarray(values, dtype=np.float64) / self.ns


def unit_for(largest_ns: float) -> Unit:
    """The unit that gives readable ticks on an axis up to `largest_ns`."""
    for unit in (Unit("s", 1e9), Unit("ms", 1e6), Unit("µs", 1e3)):
        if largest_ns >= 2 * unit.ns:
            return unit
    return Unit("ns", 1.0)


def listed(values: ArrayLike, digits: int = 8) -> list[float]:
    """Plain numbers with this many significant digits: enough for a screen, and half as long."""
    return [float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=np.float64).ravel()]
