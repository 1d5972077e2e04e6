"""The page of a fit: one self-contained HTML file."""

from latitude.distributions.report.page import render

__all__ = ["render"]
