"""All ranks over time, and the critical path over ranks and time."""

from latitude.render.charts.chart import Chart
from latitude.render.shown import Shown
from latitude.results.analysis import Analysis
from latitude.sections.critical_path.path_chart import path_charts
from latitude.sections.critical_path.timeline import timeline_charts


def _parts(analysis: Analysis) -> list[Chart]:
    if not analysis.critical_path:
        return timeline_charts(analysis)
    return [*timeline_charts(analysis), *path_charts(analysis)]


SHOWN = Shown(_parts)
