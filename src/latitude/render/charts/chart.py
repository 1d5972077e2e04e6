"""What a chart of the page is: a plotly figure with words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Trace = dict[str, Any]
"""One of a figure's traces: a line, a set of bars."""
Figure = dict[str, Any]
"""A plotly figure as plain data: {"data": […], "layout": {…}}."""


@dataclass(frozen=True, slots=True)
class View:
    """A button above a chart that looks at a part of it."""

    label: str
    layout: dict[str, Any]
    """Layout changes, e.g. {"xaxis.range": [0, 10]}."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A button above a chart that colours it another way: it shows some of the traces."""

    label: str
    shown: Sequence[bool]
    """Of each trace of the figure."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart: how to read it in a sentence, the figure, and what to know about it."""

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
    """What it shows, for people who do not see it, where there is no reading."""


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
    """Plain numbers of that many significant digits: what a screen shows, at half the size."""
    return [float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=np.float64).ravel()]
