"""Charts of a forecast: labels stand clear of each other, however near their lines are."""

from pathlib import Path

import latitude
from latitude.model.network import Network
from latitude.random.forecast import Question, Random, forecast, parse_latency
from latitude.render.documents.forecast_charts import runtime_chart

GOAL = "num_ranks 2\nrank 0 {\ns: send 1b to 1 tag 0\n}\nrank 1 {\nr: recv 1b from 0 tag 0\n}\n"


def test_no_label_covers_another_or_a_line_on_its_side(tmp_path: Path) -> None:
    path = tmp_path / "one.goal"
    path.write_text(GOAL)
    random = Random(parse_latency("normal(mean=9us,sd=100ns)"))
    result = forecast(
        latitude.load(path), random, Network(L=1000.0, o=0.0, G=0.0), Question(samples=200)
    )
    layout = runtime_chart(result, "").figure["layout"]
    labels = layout["annotations"]
    assert len({label["y"] for label in labels}) == len(labels) == 4
    sides: dict[str, list[tuple[float, float]]] = {"left": [], "right": []}
    for label in labels:
        sides[label["xanchor"]].append((label["x"], label["y"]))
    assert len(sides["left"]) == 1  # without added latency: 9 µs before the others
    for side, towards in (("left", -1), ("right", 1)):
        ordered = sorted(sides[side], key=lambda place: towards * place[0])
        assert [y for _, y in ordered] == sorted(y for _, y in ordered)
    plot = runtime_chart(result, "").height - layout["margin"]["t"] - layout["margin"]["b"]
    assert (max(label["y"] for label in labels) - 1) * plot < layout["margin"]["t"] - 6
