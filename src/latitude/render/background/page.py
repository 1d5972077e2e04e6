"""What the page of `background correlate` has in the frame all pages share."""

import shlex
import sys
from importlib.resources import files
from pathlib import Path
from string import Template

from latitude._version import __version__
from latitude.cluster.advice.score import Score
from latitude.cluster.clock import now
from latitude.cluster.correlate import Study
from latitude.render.background import calibration, panels, tables
from latitude.render.background.shapes import shapes_chart
from latitude.render.charts.chart import Chart
from latitude.render.html import shell
from latitude.render.html.markup import escape
from latitude.results.background_data import to_json
from latitude.units.quantities import counted, format_share

_SYNTHETIC = (
    "<aside class=warnings><b>Synthetic data.</b> The latencies and the b on this page were made "
    "up by <code>latitude background synthetic</code>. Nothing here was measured.</aside>"
)
_METHOD = (
    "Method: Salimi Beni and Cosenza, “An Analysis of Long-tailed Network Latency Distribution and "
    "Background Traffic on Dragonfly+”, Bench’22, §5 and Fig. 4 and 5."
)


def render(study: Study, score: Score | None, *, untested: str = "") -> str:
    """The page as one HTML text that needs no network.

    Args:
        study: correlations and distributions.
        score: test of the forecast, or None.
        untested: why there is none, a sentence.
    """
    scatter, shapes = panels.panels_chart(study), shapes_chart(study)
    tested = calibration.calibration_chart(score) if score is not None else None
    body = Template((files(__package__) / "body.html").read_text(encoding="utf-8")).substitute(
        synthetic=_SYNTHETIC if study.synthetic else "",
        panels=shell.section(scatter),
        correlations=tables.correlation_table(study),
        shapes=shell.section(shapes) if shapes else "",
        forecast=_forecast(tested, score),
        notes=shell.notes(study.warnings),
    )
    return shell.render(
        shell.Shell(
            kind="background traffic",
            name=Path(study.history).name or study.history,
            title="background traffic and latency",
            facts=_facts(study),
            headline=panels.reading(study),
            answer=[f"{tested.title} {tested.reading}" if tested else untested],
            cards=_cards(study, score),
            body=body,
            charts=[chart for chart in (scatter, shapes, tested) if chart is not None],
            data=[shell.Data("correlation.json", to_json(study, score, untested))],
            provenance=_provenance(study),
            method=_METHOD,
            warnings=study.warnings,
        )
    )


def _forecast(chart: Chart | None, score: Score | None) -> str:
    if chart is None or score is None:
        return ""
    return f"{shell.section(chart)}<div class=wide>{tables.score_table(score)}</div>"


def _facts(study: Study) -> list[str]:
    facts = ["synthetic data"] if study.synthetic else []
    facts += [counted(study.runs, "run"), study.placement]
    if study.ranks:
        facts.append(counted(study.ranks, "rank"))
    return [*facts, f"{counted(len(study.panels), 'combination')} of collective and size"]


def _cards(study: Study, score: Score | None) -> list[shell.Card]:
    b = sorted(value for panel in study.panels for value in panel.b.tolist())
    cards = [
        ("b seen", f"{format_share(b[0])} – {format_share(b[-1])}", "of the cluster's nodes"),
        ("runs", f"{study.runs:,}", study.placement),
    ]
    strongest = max(
        (panel.spearman.r for panel in study.panels if panel.spearman), key=abs, default=None
    )
    if strongest is not None:
        value = f"ρ = {panels.coefficient(strongest)}"
        cards.append(("strongest correlation", value, "Spearman, b with latency"))
    if score is not None:
        cards.append(("forecast", f"{100 * score.skill:.0f}%", "better than without b (Brier)"))
    return cards


def _provenance(study: Study) -> list[shell.Row]:
    return [
        ("command", f"<code>{escape(shlex.join(['latitude', *sys.argv[1:]]))}</code>"),
        ("history", f"<code>{escape(study.history)}</code>"),
        ("date", now().isoformat(timespec="seconds")),
        ("Latitude", escape(__version__)),
    ]
