"""Panels side by side with one vertical scale, and how programs are told apart in them."""

from collections.abc import Sequence
from typing import Any

from latitude.render.charts import theme
from latitude.render.charts.chart import Figure, Trace

_GAP = 0.03
_MARGIN = {"l": 70, "r": 28, "t": 66, "b": 52}


def panels(
    height: int,
    data: Sequence[Trace],
    heads: Sequence[str],
    horizontal: Sequence[dict[str, Any]],
    vertical: dict[str, Any],
    **options: Any,
) -> Figure:
    """A figure of as many panels as heads.

    Args:
        height: pixels.
        data: traces; `xaxis` of each is `axis_name` of its panel.
        heads: bold, over each panel.
        horizontal: an axis a panel.
        vertical: the axis all share.
        options: more of the layout.
    """
    width = (1 - _GAP * (len(heads) - 1)) / len(heads)
    domains = [(i * (width + _GAP), i * (width + _GAP) + width) for i in range(len(heads))]
    axes = {
        "xaxis" + axis_name(i)[1:]: {**axis, "domain": domain, "anchor": "y"}
        for i, (axis, domain) in enumerate(zip(horizontal, domains, strict=True))
    }
    words = [head(text, domain[0], 1.0) for text, domain in zip(heads, domains, strict=True)]
    return {
        "data": list(data),
        "layout": theme.layout(
            height,
            **{
                "margin": _MARGIN,
                "showlegend": True,
                "legend": {**theme.LEGEND, "y": 1.08},
                "annotations": words,
                "yaxis": vertical,
                **axes,
                **options,
            },
        ),
    }


def head(text: str, x: float, y: float) -> dict[str, Any]:
    """A panel's title with its lower left corner there, as shares of the figure."""
    return {
        "xref": "paper",
        "yref": "paper",
        "x": x,
        "y": y,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "text": f"<b>{text}</b>",
        "font": {"size": 13, "color": theme.INK},
    }


def axis_name(panel: int) -> str:
    """The horizontal axis of a panel: `x`, then `x2` and on."""
    return f"x{panel + 1}" if panel else "x"
