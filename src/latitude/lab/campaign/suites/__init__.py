"""Suites I and II of Underwood et al. 2018 (docs/explanation/mean-or-variation.md)."""

from latitude.lab.campaign.suites.analyse import analyse, analyse_directory

__all__ = ["analyse", "analyse_directory"]
