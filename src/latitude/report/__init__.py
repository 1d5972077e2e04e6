"""The page: one self-contained HTML file, made from an `Analysis` and nothing else."""

from latitude.report.page import render

__all__ = ["render"]
