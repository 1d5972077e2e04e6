"""The summary of a fit on the terminal."""

import math
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from latitude.distributions.fitting.result import Fit, FitResult
from latitude.distributions.table import Figures, Table, seed_path
from latitude.render.fit.words import (
    headline,
    member_words,
    p_text,
    parameters,
    remark,
    sample_name,
    sample_sentence,
)
from latitude.render.terminal import print_page, print_warnings, results_console
from latitude.units.quantities import format_time


def print_fits(result: FitResult, top: int, page: Path | None) -> None:
    """Prints the best fits, the family, what failed, to standard output."""
    console = results_console()
    info = result.samples
    facts = f"{info.count:,} samples"
    console.print(Text.assemble((sample_name(result), "bold"), "  ", (facts, "dim")))
    console.print()
    console.print(Text(headline(result), style="bold"))
    console.print(sample_sentence(result), markup=False)
    console.print()
    if top:
        console.print(_ranking(result, result.fits[:top]))
    console.print(_family(result))
    _failures(console, result)
    print_warnings(console, result.warnings)
    print_page(console, page)


def print_table(table: Table, path: Path, *, quiet: bool = False) -> None:
    """Says what was written, and what 4,096 entries cannot hold."""
    console = results_console(stderr=quiet)
    console.print(
        Text.assemble((str(path), "bold"), f" and {seed_path(path)}: {table.source}"),
        soft_wrap=True,
    )
    grid = _grid("")
    for column in ("", "mean", "sd", "p99.9"):
        grid.add_column(column, justify="right" if column else "left")
    if table.before is not None:
        grid.add_row("distribution", *_figures(table.before))
    grid.add_row("table", *_figures(table.after))
    console.print(grid)
    print_warnings(console, table.notices)


def _figures(figures: Figures) -> list[str]:
    values = (figures.mean, figures.sd, figures.p999)
    return [format_time(v, 6) if math.isfinite(v) else "none" for v in values]


def _grid(title: str) -> Grid:
    return Grid(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )


def _ranking(result: FitResult, fits: list[Fit]) -> Padding:
    grid = _grid(f"Best of {len(result.fits)}, by {result.ranked_by.upper()}")
    grid.add_column("distribution")
    grid.add_column("ΔBIC", justify="right")
    grid.add_column("ΔAIC", justify="right")
    grid.add_column("KS", justify="right")
    grid.add_column("p", justify="right")
    grid.add_column("parameters", overflow="fold")
    aic = min((fit.aic for fit in result.fits), default=0.0)
    bic = min((fit.bic for fit in result.fits), default=0.0)
    for fit in fits:
        note = remark(fit)
        words = Text(parameters(fit))
        if note:
            words.append(f"  {note}", style="dim")
        figures = (f"{fit.bic - bic:.1f}", f"{fit.aic - aic:.1f}", f"{fit.ks:.4f}")
        grid.add_row(fit.name, *figures, p_text(fit), words)
    return Padding(grid, (0, 0, 1, 0))


def _family(result: FitResult) -> Padding:
    grid = _grid("Family of equal means")
    grid.add_column("distribution")
    for column in ("mean", "sd", "p99.9 of its table"):
        grid.add_column(column, justify="right")
    for member in result.family:
        grid.add_row(
            member_words(member.name),
            format_time(member.mean),
            format_time(member.sd),
            format_time(member.table.p999),
        )
    return Padding(grid, (0, 0, 1, 0))


def _failures(console: Console, result: FitResult) -> None:
    if not result.failures:
        return
    console.print(Text(f"Not fitted: {len(result.failures)}", style="bold"))
    for failure in result.failures:
        console.print(Text(f"{failure.name}: {failure.kind}: {failure.reason}"), soft_wrap=True)
