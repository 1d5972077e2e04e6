"""The page of `background correlate`: one self-contained HTML file."""

from latitude.background.report.page import render

__all__ = ["render"]
