"""The page of `background correlate`: one self-contained HTML file."""

from latitude.render.background.page import render

__all__ = ["render"]
