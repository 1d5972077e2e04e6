"""How good the forecast of the tail was on runs it had not seen."""

from latitude.cluster.advice.score import Score
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, listed
from latitude.units.quantities import format_share

HEIGHT = 380


def calibration_chart(score: Score) -> Chart:
    """Forecast against what came: on the diagonal when a forecast of 30 % means 30 %."""
    bins = score.calibration
    seen = [100 * each.seen for each in bins]
    figure = {
        "data": [
            {
                "type": "scatter",
                "mode": "lines",
                "name": "perfectly calibrated",
                "x": [0, 100],
                "y": [0, 100],
                "line": {"color": "#9aa4af", "dash": "dot", "width": 1.5},
                "hoverinfo": "skip",
            },
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": "forecasts, with 95 % interval",
                "x": listed([100 * each.forecast for each in bins], 4),
                "y": listed(seen, 4),
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": listed([100 * (each.high - each.seen) for each in bins], 4),
                    "arrayminus": listed([100 * (each.seen - each.low) for each in bins], 4),
                    "color": theme.OVERHEAD,
                    "thickness": 1.5,
                    "width": 4,
                },
                "text": [f"{each.runs}" for each in bins],
                "textposition": "middle right",
                "textfont": {"size": 11.5, "color": theme.MUTED},
                "marker": {"size": 9, "color": theme.OVERHEAD},
                "hovertemplate": "forecast %{x:.3~g}%<br>seen %{y:.3~g}%<br>%{text} runs"
                "<extra></extra>",
            },
        ],
        "layout": theme.layout(
            HEIGHT,
            margin={"l": 62, "r": 24, "t": 40, "b": 52},
            xaxis=theme.axis("forecast probability of the tail (%)", range=[-2, 102]),
            yaxis=theme.axis("runs that landed in the tail (%)", range=[-2, 102]),
            shapes=[theme.vertical(100 * score.wait_above, theme.LATENCY, dash="dash", width=1.2)],
            annotations=[
                {
                    "x": 100 * score.wait_above,
                    "y": 1,
                    "yref": "paper",
                    "xanchor": "left",
                    "yanchor": "top",
                    "text": " from here on: wait",
                    "font": {"color": theme.LATENCY, "size": 12},
                    "showarrow": False,
                }
            ],
        ),
    }
    return Chart(
        "calibration",
        "Can the tail be foreseen at submission?",
        reading(score),
        figure,
        HEIGHT,
        f"The model learnt from the oldest {score.trained:,} runs and was asked about the newest "
        f"{score.tested:,}. A run is in the tail when its mean latency exceeds the 85th percentile "
        "of the older runs of its collective and size. Numbers beside points: runs.",
    )


def reading(score: Score) -> str:
    """Verdict, precision and recall."""
    if not score.useful:
        return (
            f"No: knowing b, the forecast's Brier score is {score.brier:.3f}, and "
            f"{score.baseline:.3f} without it; the difference may be chance."
        )
    if score.precision is None or score.recall is None:
        return (
            f"Somewhat: its Brier score is {score.skill:.0%} better than without b, but no run was "
            f"as likely as {format_share(score.wait_above)} to land in the tail."
        )
    return (
        f"Yes: of the runs it would have held back, {format_share(score.precision)} landed in the "
        f"tail, and {format_share(score.recall)} of the tail was held back; its Brier score of "
        f"{score.brier:.3f} beats the {score.baseline:.3f} of knowing all but b."
    )
