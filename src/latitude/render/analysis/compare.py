"""The page of a comparison."""

from latitude.analysis.compare import Comparison
from latitude.files.provenance import input_name
from latitude.render.analysis.charts.compare import compare_charts
from latitude.render.html import shell
from latitude.render.html.markup import escape
from latitude.render.html.shell import table
from latitude.render.words import (
    compared_headline,
    compared_sentence,
    comparison_table,
    slower,
    tolerated,
)
from latitude.results.comparison_data import curves_csv, table_csv, to_json
from latitude.units.quantities import counted, format_time

_METHOD = (
    "Method: every alternative is a graph or a network of its own, analysed exactly and on one "
    "recording of the program; as in Shen et al., “LLAMP: Assessing Network Latency Tolerance of "
    "HPC Applications with Linear Programming”, SC’24, §IV."
)
_MOST_CARDS = 4


def render(comparison: Comparison) -> str:
    """The whole page as one HTML text that needs no network."""
    charts = compare_charts(comparison)
    head, rows = comparison_table(comparison)
    runtime, *rest = (shell.section(chart, reading=chart.id != "runtime") for chart in charts)
    cells = [[escape(cell) for cell in row] for row in rows]
    body = "\n".join(
        (
            runtime,
            f"<div class=wide>{table([escape(h) for h in head], cells)}</div>",
            *rest,
            _model(comparison),
            shell.notes(comparison.warnings),
        )
    )
    made = comparison.provenance
    name = input_name(made.input)
    return shell.render(
        shell.Shell(
            kind=f"{comparison.theta.meaning} tolerance, side by side",
            name=name,
            title="comparison",
            facts=[
                counted(comparison.trace.ranks, "rank"),
                counted(len(comparison.alternatives), "alternative"),
                comparison.trace.format,
                f"analysed {made.date[:10]}",
            ],
            headline=compared_headline(comparison),
            answer=[compared_sentence(comparison)],
            cards=_cards(comparison),
            body=body,
            charts=charts,
            data=[
                shell.Data("compare.json", to_json(comparison)),
                shell.Data("compare.csv", table_csv(comparison)),
                shell.Data("curves.csv", curves_csv(comparison)),
            ],
            provenance=shell.origin(made),
            method=_METHOD,
            warnings=comparison.warnings,
        )
    )


def _cards(comparison: Comparison) -> list[shell.Card]:
    """Runtime of the first few."""
    return [
        (found.label, format_time(found.T_ns), _tolerated(comparison, index))
        for index, found in enumerate(comparison.alternatives[:_MOST_CARDS])
    ]


def _tolerated(comparison: Comparison, index: int) -> str:
    found = comparison.alternatives[index]
    if not found.tolerance:
        return "runtime T"
    return f"runtime T; {slower(found.tolerance[-1])} slower at {tolerated(found, -1)}"


def _model(comparison: Comparison) -> str:
    """What each alternative assumes."""
    rows = [
        (
            f"<b>{escape(found.label)}</b>",
            escape("; ".join(f"{k} = {v}" for k, v in found.network.describe().items())),
            escape(found.collectives),
        )
        for found in comparison.alternatives
    ]
    shown = table(("", "network", "collectives"), rows, "model")
    return (
        "<section><h2>Model</h2><p class=reading>The same recording, with these parameters and "
        f"algorithms.</p><div class=wide>{shown}</div></section>"
    )
