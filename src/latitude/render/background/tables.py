"""Tables of the page."""

from latitude.cluster.advice.question import kind_name
from latitude.cluster.advice.score import Score
from latitude.cluster.correlate import SIGNIFICANT, Panel, Study
from latitude.render.background.panels import coefficient
from latitude.render.html.markup import escape
from latitude.render.html.shell import table
from latitude.units.quantities import format_share, format_time


def correlation_table(study: Study) -> str:
    """One row a panel, with intervals and adjusted p-values."""
    head = (
        "collective and size",
        "runs",
        "Pearson r (95 % interval)",
        "Spearman ρ (95 % interval)",
        "adjusted p of ρ",
        "10 points of b cost",
    )
    return table(head, [_row(panel) for panel in study.panels])


def _row(panel: Panel) -> tuple[str, ...]:
    name = escape(kind_name(panel.collective, panel.bytes))
    runs = f"{panel.b.size:,}"
    if panel.pearson is None or panel.spearman is None:
        return name, runs, escape(panel.reason), "", "", ""
    linear, monotone = (
        f"{coefficient(c.r)} ({coefficient(c.low)} to {coefficient(c.high)})"
        for c in (panel.pearson, panel.spearman)
    )
    p = panel.spearman_adjusted or 0.0
    shown = f"{p:.2g}" if p >= 1e-4 else "&lt; 0.0001"  # noqa: PLR2004 - four digits are plenty
    slope = (panel.slope_ns or 0.0) / 10
    sign = "−" if slope < 0 else ""
    return (
        name,
        runs,
        linear,
        monotone,
        f"<b>{shown}</b>" if p < SIGNIFICANT else shown,
        f"{sign}{format_time(abs(slope), 3)}",
    )


def score_table(score: Score) -> str:
    """The forecast beside its baselines."""
    rows = (
        (
            "forecast from b, placement and size",
            f"{score.brier:.4f}",
            _share(score.precision),
            _share(score.recall),
        ),
        ("base rate of the placement", f"{score.brier_placement:.4f}", "", ""),
        ("base rate of all runs", f"{score.brier_base:.4f}", "", ""),
    )
    head = ("said of each new run", "Brier score", "precision", "recall")
    return table(head, rows)


def _share(value: float | None) -> str:
    return "none called" if value is None else format_share(value)
