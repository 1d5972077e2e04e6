"""What a campaign's runs say: the experimental suites I and II of [U] (docs/campaign.md)."""

from latitude.experiments.suites.analyse import analyse, analyse_directory
from latitude.experiments.suites.result import Suites
from latitude.experiments.suites.study import Study

__all__ = ["Study", "Suites", "analyse", "analyse_directory"]
