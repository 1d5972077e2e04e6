"""The experimental suites I and II of [U], which docs/explanation/mean-or-variation.md explains."""

from latitude.lab.campaign.suites.analyse import analyse, analyse_directory

__all__ = ["analyse", "analyse_directory"]
