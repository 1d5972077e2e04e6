import numpy as np

from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Unit
from latitude.results.forecast import RuntimeForecast

US = Unit("µs", 1e3)


def test_an_exceedance_curve_falls_from_all_values_to_the_largest() -> None:
    values = np.arange(1.0, 1001.0) * 1e3
    chart = kinds.exceedance(
        "e", "", "", values, US, x=theme.axis("x"), y="share", hover="{share} of {value}"
    )
    (line,) = chart.figure["data"]
    assert (line["x"][0], line["y"][0]) == (1.0, 100.0)
    assert (line["x"][-1], line["y"][-1]) == (1000.0, 0.1)
    assert line["hovertemplate"] == "%{y:.3~g}% of %{x:.6~g} µs<extra></extra>"
    assert chart.figure["layout"]["yaxis"]["type"] == "log"


def test_named_rows_are_as_high_as_there_are_names() -> None:
    one, four = (
        kinds.named_rows("n", "", "", [marks.bars([1.0], ["a"])], x=theme.axis("x"), rows=rows)
        for rows in (1, 4)
    )
    assert four.height - one.height == 3 * 44
    assert one.figure["layout"]["yaxis"]["autorange"] == "reversed"


def test_an_axis_has_the_title_of_the_declared_column() -> None:
    axis = theme.axis_of(RuntimeForecast, "T_ns", "ms", rangemode="tozero")
    assert axis["title"]["text"] == "runtime T (ms)"
    assert axis["rangemode"] == "tozero"
