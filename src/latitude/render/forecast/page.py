"""The page of a forecast."""

from latitude.files.provenance import input_name
from latitude.random.forecast.result import Forecast
from latitude.render.forecast import charts, words
from latitude.render.html import shell
from latitude.render.html.markup import escape
from latitude.render.html.shell import table
from latitude.results.forecast_data import samples_csv, to_json
from latitude.units.quantities import counted, format_count, format_share, format_time

_MOST_ROWS = 12
_METHOD = (
    "Method: longest path of the execution graph (Shen et al., “LLAMP”, SC’24) with a latency "
    "drawn for each message, as Underwood et al. (ICPE’18) injected it; random numbers by counter, "
    "sums exact, intervals 95 %: Student’s t for the mean, order statistics for quantiles."
)


def render(result: Forecast) -> str:
    """The whole page as one HTML text that needs no network."""
    runtime, over, latency = (
        charts.runtime_chart(result),
        charts.distribution_chart(result),
        charts.latency_chart(result),
    )
    pairs = charts.pairs_chart(result)
    shown = [runtime, over, latency, *([pairs] if pairs else [])]
    body = "\n".join(
        [
            shell.section(runtime),
            shell.text_section("Figures", "", _figures(result)),
            _tolerance(result),
            shell.section(over),
            shell.section(pairs) if pairs else "",
            _calls(result),
            shell.section(latency),
            shell.notes(result.warnings),
        ]
    )
    name = input_name(result.provenance.input)
    return shell.render(
        shell.Shell(
            kind="runtime under random latency",
            name=name,
            title="runtime forecast",
            facts=_facts(result),
            headline=words.headline(result),
            answer=[words.jensen_sentence(result)],
            cards=_cards(result),
            body=body,
            charts=shown,
            data=[
                shell.Data("forecast.json", to_json(result)),
                shell.Data("samples.csv", samples_csv(result)),
            ],
            provenance=shell.origin(result.provenance),
            method=_METHOD,
            warnings=result.warnings,
        )
    )


def _facts(result: Forecast) -> list[str]:
    return [
        counted(result.trace.ranks, "rank"),
        counted(result.graph.messages, "message"),
        counted(result.samples, "sample"),
        f"seed {result.random.seed}",
        f"L = {format_time(result.network.L)}",
        f"computed {result.provenance.date[:10]}",
    ]


def _cards(result: Forecast) -> list[shell.Card]:
    mean, p = result.mean, result.question.quantile
    at = result.quantile(p)
    return [
        ("mean runtime", words.time(mean.value), words.interval(mean)),
        ("slower by", words.change(result.slowdown(mean.value)), "than on the network alone"),
        ("variation alone", format_time(result.jensen.value, 3), "beyond the mean latency"),
        (f"p{100 * p:g}", words.time(at.value), words.interval(at)),
    ]


def _figures(result: Forecast) -> str:
    def row(name: str, T: float, interval: str = "") -> tuple[str, ...]:
        return (escape(name), words.time(T), escape(interval), words.change(result.slowdown(T)))

    rows = [
        row("network alone", result.T0_ns),
        row("at the mean latency (lower bound of the mean)", result.T_mean_ns),
        row("mean", result.mean.value, words.interval(result.mean)),
        *(row(f"p{100 * p:g}", q.value, words.interval(q)) for p, q in result.quantiles()),
        row("every draw the largest (never exceeded)", result.T_most_ns),
    ]
    sd = (
        "standard deviation",
        words.time(result.sd.value),
        escape(words.interval(result.sd)),
        format_share(result.sd.value / result.mean.value) + " of the mean"
        if result.mean.value
        else "",
    )
    return table(("runtime T", "", "95 % interval", "slower by"), [*rows, sd])


def _tolerance(result: Forecast) -> str:
    if not result.tolerance:
        return ""
    p = result.question.probability
    rows = [
        (
            f"{format_share(t.degradation)} slower",
            words.time(t.limit_ns),
            f"<b>{escape(words.tolerated(t.scaled))}</b>",
            escape(words.spread_words(t)),
            escape(words.constant_words(t)),
        )
        for t in result.tolerance
    ]
    head = (
        "limit",
        "runtime T",
        "latency of this shape",
        f"lognormal of mean {format_time(result.random.latency.mean, 3)}",
        "constant latency",
    )
    reading = words.tolerance_sentence(result.tolerance[0], p)
    return shell.text_section(
        f"Tolerated with probability {format_share(p)}", reading, table(head, rows)
    )


def _calls(result: Forecast) -> str:
    found = result.criticality
    if not found.calls:
        return ""
    top = found.calls[0]
    total = sum(call.latencies for call in found.calls)
    calls = _shares("received in", [(c.call, c.share, c.latencies) for c in found.calls])
    sites = _shares("received at", [(s.where, s.share, s.latencies) for s in found.call_sites])
    pairs = _shares(
        "from → to", [(f"{p.source} → {p.destination}", p.share, p.latencies) for p in found.pairs]
    )
    return shell.text_section(
        "On the critical path",
        f"{top.call} receives {format_share(top.latencies / total)} of the latencies on the "
        f"critical path, mean over {found.samples:,} samples.",
        f"<div class=pairs>{calls}{pairs}</div>" + (sites if found.call_sites else ""),
    )


def _shares(what: str, rows: list[tuple[str, float, float]]) -> str:
    return table(
        (what, "samples", "latencies"),
        [
            (
                f"<code>{escape(name)}</code>",
                format_share(share),
                format_count(round(latencies, 2)),
            )
            for name, share, latencies in rows[:_MOST_ROWS]
        ],
    )
