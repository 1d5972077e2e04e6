"""A chart of the page: a plotly figure with words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Trace = dict[str, Any]
"""One of a figure's traces: a line, a set of bars."""
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
    """A button above a chart that colours it another way: it shows some of the traces."""

    label: str
    shown: Sequence[bool]
    """Whether each trace of the figure is visible."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart: a sentence on reading it, the figure, and a note."""

    id: str
    title: str
    reading: str
    """One sentence that says what the chart shows of this program."""
    figure: Figure
    height: int
    """Pixels."""
    note: str = ""
    views: Sequence[View] = field(default_factory=tuple)
    """The first is the one shown at first."""
    layers: Sequence[Layer] = field(default_factory=tuple)
    """As with views."""
    label: str = ""
    """Description of the content for people who do not see the chart, if it has no reading."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of time for an axis."""

    name: str
    ns: float

    def of(self, values: ArrayLike) -> NDArray[np.float64]:
        """Times in ns → in this unit."""
        return np.asarray(values, dtype=np.float64) / self.ns


def unit_for(largest_ns: float) -> Unit:
    """The unit in which an axis up to `largest_ns` has readable ticks."""
    for unit in (Unit("s", 1e9), Unit("ms", 1e6), Unit("µs", 1e3)):
        if largest_ns >= 2 * unit.ns:
            return unit
    return Unit("ns", 1.0)


def listed(values: ArrayLike, digits: int = 8) -> list[float]:
    """Plain numbers with this many significant digits: enough for a screen, at half the size."""
    return [float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=np.float64).ravel()]
