"""Sliders of a page: T over a box of parameters, in the form for the page's script."""

import numpy as np

from latitude._types import Floats
from latitude.model.theta import TOLERANCES
from latitude.render.document import Live, LiveAlternative, Section, Slider
from latitude.results.map import MapAxis, MapOver, Mapped

_READING = (
    "T where the sliders stand, its slopes λ, its parts, and how much each parameter may rise. The "
    "page computes them from planes that T is the largest of."
)


def sliders_section(over: MapOver | None) -> list[Section]:
    """The sliders under their heading, if there are any."""
    return [] if over is None else [Section("Set the parameters", [_live(over)], reading=_READING)]


def _live(over: MapOver) -> Live:
    """Sliders of all parameters, and a button per alternative if there are several."""
    sliders = [Slider(axis.meaning, axis.unit, axis.low, axis.high) for axis in over.axes]
    return Live(sliders, [_of(over.axes, each) for each in over.alternatives], TOLERANCES)


def _of(axes: list[MapAxis], found: Mapped) -> LiveAlternative:
    here = found.T_ns - found.slope @ found.base
    planes = np.column_stack([found.planes.at_zero, found.planes.slope])
    every: Floats = np.vstack([planes, [here, *found.slope]])  # at the network T is exact
    start = found.start(axes).tolist()
    return LiveAlternative(found.label, every.tolist(), start, found.T_ns, found.error)
