"""Sliders of the page."""

from latitude.render.documents.sliders import sliders_section
from latitude.render.shown import Shown

SHOWN = Shown(lambda analysis: sliders_section(analysis.sliders))
"""Sliders on the page; the terminal shows nothing."""
