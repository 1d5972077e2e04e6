"""`latitude background correlate`: does latency follow b?"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from latitude.cli.background.history import history_of
from latitude.cli.background.samples import add_history
from latitude.cli.outputs import Outputs, add_results
from latitude.render.terminal import plain_table, print_page, print_warnings, results_console
from latitude.units.quantities import format_share, format_time

if TYPE_CHECKING:
    from latitude.cluster.advice.score import Score
    from latitude.cluster.correlate import Panel, Study
    from latitude.cluster.history import History


class Correlate:
    """The 12 panels of [B] Fig. 4, the shapes of Fig. 5, and a test of the forecast."""

    name = "correlate"
    summary = "correlation of b with latency by collective and size, and shapes by b"
    description = """\
Correlates b with the mean latency of past runs, for each collective and size ([B] Fig. 4), compares
the distributions at low and high b (Fig. 5), names those with two modes, and tests how well the
tail could have been foreseen. With -o it writes a page. Runs of one placement at a time."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        add_history(parser)
        parser.add_argument(
            "--placement",
            metavar="TEXT",
            help="runs to look at, e.g. 'different islands' (default: the most frequent)",
        )
        add_results(parser, "report.html and correlation.json")

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        outputs = Outputs.of(arguments, "report.html", "correlation.json")
        from latitude.cluster.correlate import correlate  # noqa: PLC0415 - scipy is slow
        from latitude.results.background_data import to_json  # noqa: PLC0415 - as above

        history = history_of(arguments)
        study = correlate(history, placement=arguments.placement)
        score, untested = _tested(history)

        def page() -> str:
            from latitude.render.background import render  # noqa: PLC0415 - plotly is slow

            return render(study, score, untested=untested)

        text = to_json(study, score, untested)
        outputs.write(page, lambda: text, json=lambda: text)
        if not outputs.uses_stdout():
            _show(results_console(), study, score, untested, outputs.page())


def _tested(history: "History") -> tuple["Score | None", str]:
    """The forecast's score on the newest runs, or why it has none."""
    from latitude.cluster.advice.advice import WAIT_ABOVE  # noqa: PLC0415
    from latitude.cluster.advice.model import NotEnoughHistoryError  # noqa: PLC0415
    from latitude.cluster.advice.score import score, split  # noqa: PLC0415

    if not history.timed:
        return None, "The forecast was not tested: the runs have no times."
    try:
        found = score(*split(history.runs), WAIT_ABOVE)
    except NotEnoughHistoryError as error:
        return None, f"The forecast was not tested, not enough history: {error}."
    if found is None:
        return None, "The forecast was not tested: too few of the newest runs are in the tail."
    return found, ""


def _show(
    shown: Console, study: "Study", score: "Score | None", untested: str, page: Path | None
) -> None:
    from latitude.cluster.advice.question import kind_name  # noqa: PLC0415
    from latitude.render.background import calibration, panels  # noqa: PLC0415

    if study.synthetic:
        shown.print(Text("Synthetic data: nothing here was measured.", style="yellow"))
    shown.print(f"{study.runs:,} runs on {study.placement}", markup=False)
    shown.print()
    shown.print(Text(panels.reading(study), style="bold"))
    shown.print()
    table = plain_table(
        "", "collective and size", "runs", "Pearson r", "Spearman ρ", "adjusted p", "10 points of b"
    )
    for panel in study.panels:
        table.add_row(kind_name(panel.collective, panel.bytes), f"{panel.b.size:,}", *_cells(panel))
    shown.print(table)
    shown.print()
    for shape in study.shapes:
        if shape.modes.multimodal:
            at = " and ".join(format_time(ns, 3) for ns in shape.modes.locations_ns)
            shown.print(
                f"Two modes: {kind_name(shape.collective, shape.bytes)} at b = "
                f"{format_share(shape.b)}, at {at} (dip test p = {shape.modes.p_value:.2g})",
                markup=False,
            )
    shown.print(untested if score is None else "Forecast: " + calibration.reading(score))
    print_warnings(shown, study.warnings)
    print_page(shown, page)


def _cells(panel: "Panel") -> tuple[str, ...]:
    if panel.pearson is None or panel.spearman is None or panel.spearman_adjusted is None:
        return panel.reason, "", "", ""
    from latitude.render.background.panels import coefficient  # noqa: PLC0415 - scipy is slow

    slope = (panel.slope_ns or 0.0) / 10
    return (
        coefficient(panel.pearson.r),
        coefficient(panel.spearman.r),
        f"{panel.spearman_adjusted:.2g}",
        ("−" if slope < 0 else "+") + format_time(abs(slope), 3),
    )
