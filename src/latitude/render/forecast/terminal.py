"""The forecast on the terminal."""

from pathlib import Path

from rich.padding import Padding
from rich.text import Text

from latitude.files.provenance import input_name
from latitude.random.forecast.result import Forecast
from latitude.render.forecast import words
from latitude.render.terminal import plain_table, print_end, results_console
from latitude.units.quantities import counted, format_count, format_share

_ROWS = 6


def print_forecast(result: Forecast, page: Path | None) -> None:
    """Prints what was found, to standard output; plain text when that is no terminal."""
    console = results_console()
    facts = (counted(result.trace.ranks, "rank"), counted(result.graph.messages, "message"))
    name = input_name(result.provenance.input)
    console.print(Text.assemble((name, "bold"), "  ", (", ".join(facts), "dim")))
    console.print()
    console.print(Text(words.headline(result), style="bold"))
    console.print(words.jensen_sentence(result), markup=False)
    console.print()
    console.print(_quantiles(result))
    if result.tolerance:
        console.print(_tolerances(result))
    if result.criticality.pairs:
        console.print(_pairs(result))
    if result.criticality.call_sites:
        console.print(_call_sites(result))
    console.print(words.random_sentence(result.random), markup=False, style="dim")
    console.print(
        f"{result.samples:,} samples, seed {result.random.seed}; intervals are 95 %.",
        style="dim",
    )
    print_end(console, result.warnings, page)


def _quantiles(result: Forecast) -> Padding:
    table = plain_table("Runtime", "", "T", "interval", "slower by")
    rows = [
        ("without", result.T0_ns, ""),
        ("at the mean latency", result.T_mean_ns, ""),
        ("mean", result.mean.value, words.interval(result.mean)),
        *((f"p{100 * p:g}", found.value, words.interval(found)) for p, found in result.quantiles()),
    ]
    for name, value, interval in rows:
        table.add_row(name, words.time(value), interval, words.change(result.slowdown(value)))
    table.add_row("sd", words.time(result.sd.value), words.interval(result.sd), "")
    return Padding(table, (0, 0, 1, 0))


def _tolerances(result: Forecast) -> Padding:
    p = format_share(result.question.probability)
    table = plain_table(
        f"Tolerated with probability {p}", "slower by", "of this shape", "at this mean", "constant"
    )
    for found in result.tolerance:
        table.add_row(
            format_share(found.degradation),
            words.tolerated(found.scaled),
            words.spread_words(found),
            words.constant_words(found),
        )
    return Padding(table, (0, 0, 1, 0))


def _pairs(result: Forecast) -> Padding:
    return _critical(
        "from → to",
        [(f"{p.source} → {p.destination}", p.share, p.latencies) for p in result.criticality.pairs],
    )


def _call_sites(result: Forecast) -> Padding:
    return _critical(
        "received at", [(s.where, s.share, s.latencies) for s in result.criticality.call_sites]
    )


def _critical(what: str, rows: list[tuple[str, float, float]]) -> Padding:
    table = plain_table("On the critical path", what, "samples", "latencies")
    for name, share, latencies in rows[:_ROWS]:
        table.add_row(name, format_share(share), format_count(round(latencies, 2)))
    return Padding(table, (0, 0, 1, 0))
