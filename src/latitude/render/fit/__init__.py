"""The page of a fit: one self-contained HTML file."""

from latitude.render.fit.page import render

__all__ = ["render"]
