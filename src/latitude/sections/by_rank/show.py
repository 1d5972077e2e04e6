"""Writes the time of each rank to ranks.csv; the page shows nothing."""

from latitude.render.shown import Shown, Text
from latitude.results.analysis import Analysis


def _csv(analysis: Analysis) -> Text | None:
    return None if analysis.by_rank is None else analysis.by_rank.to_csv


SHOWN = Shown(lambda _: (), {"ranks.csv": _csv})
