"""What a campaign's runs say: the experimental suites I and II of [U] (docs/campaign.md)."""

from latitude.lab.campaign.suites.analyse import analyse, analyse_directory

__all__ = ["analyse", "analyse_directory"]
