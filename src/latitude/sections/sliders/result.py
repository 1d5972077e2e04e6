"""T over several parameters at once, for the page's sliders."""

from latitude.results.map import MapOver as Sliders

__all__ = ["Sliders"]
