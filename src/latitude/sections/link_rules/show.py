"""Link rules as a table: messages, part of the critical path, tolerance."""

import math

import numpy as np

from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, unit_for
from latitude.render.document import Cell, Section
from latitude.render.shown import Shown
from latitude.render.tables import table
from latitude.results.analysis import Analysis
from latitude.sections.link_rules.result import LinkRule
from latitude.units.quantities import format_share, format_time


def _parts(analysis: Analysis) -> list[Section | Chart]:
    rules = analysis.link_rules
    if not rules:
        return []
    runtime = analysis.T_ns or 1.0

    def share(each: LinkRule) -> Cell:
        of_runtime = (each.latency_ns + each.bandwidth_ns + each.overhead_ns) / runtime
        return Cell(format_share(of_runtime), share=of_runtime)

    slower = format_share(rules[0].tolerance[-1].degradation)
    shown = table(
        rules,
        "rule",
        "L_ns",
        "o_ns",
        "rank_pairs",
        "messages",
        "bytes",
        "lambda_L",
        "lambda_o",
        ("of T", share),
        (f"{slower} slower at", _extra),
        (f"{slower} slower at", _extra_o),
        terminal=(0, 1, 2, 6, 7, 8, 9, 10),
    )
    return [
        Section(
            "By link rule",
            [shown],
            reading=_reading(rules, runtime),
            note="The first rule that fits a message sets its price. Latencies λ, overheads λ_o "
            "and their part of T are on the critical path. The last columns are what L and o of "
            "one rule may gain while all others stay.",
        ),
        *_slower(rules),
    ]


def _slower(rules: list[LinkRule]) -> list[Chart]:
    """A chart of the slowdown against the extra latency of each rule's links."""
    series = [
        (number, rule, [0.0, *(each.delta_ns for each in rule.tolerance)])
        for number, rule in enumerate(rules)
        if all(math.isfinite(each.delta_ns) for each in rule.tolerance)
    ]
    if not series:
        return []
    unit = unit_for(max(deltas[-1] for *_, deltas in series))
    steps = [0.0, *(100 * each.degradation for each in rules[0].tolerance)]
    words = "%{x:.4~g} " + unit.name + " more on links %{fullData.name}<br>%{y:.3~g}% slower"
    first = min(series, key=lambda each: each[2][-1])[1]
    return [
        marks.chart(
            "link-rules",
            "More latency on the links of one rule",
            f"Links {first.rule} are the first to make the program {steps[-1]:g}% slower: at "
            f"{_more('L', first.tolerance[-1].delta_ns)}.",
            [
                marks.line(
                    unit.of(np.array(deltas)),
                    steps,
                    name=rule.rule,
                    colour=theme.colour(number),
                    dash=theme.style(number)[0],
                    mode="lines+markers",
                    hover=words,
                )
                for number, rule, deltas in series
            ],
            x=theme.axis(f"more latency of these links ({unit.name})", rangemode="tozero"),
            y=theme.axis("slower (%)", rangemode="tozero"),
            height=300,
            note="The points are exact. Between them the program is at most as slow as the line "
            "says. Rules without a line never make it so slow.",
            margin={"l": 62, "r": 24, "t": 48, "b": 50},
            legend=theme.ORDERED,
            showlegend=True,
        )
    ]


def _extra(rule: LinkRule) -> str:
    return _more("L", rule.tolerance[-1].delta_ns)


def _extra_o(rule: LinkRule) -> str:
    return _more("o", rule.tolerance[-1].delta_o_ns)


def _more(symbol: str, delta_ns: float) -> str:
    return "never" if math.isinf(delta_ns) else f"{symbol} +{format_time(delta_ns)}"


def _reading(rules: list[LinkRule], runtime: float) -> str:
    top = max(rules, key=lambda each: each.latency_ns)
    if not top.latency_ns:
        return "No latency of a message lies on the critical path."
    share = format_share(top.latency_ns / runtime)
    return f"Latency of links {top.rule} takes {share} of the runtime, the most of all rules."


SHOWN = Shown(_parts)
