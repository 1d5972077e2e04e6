"""The document of a forecast: runtime under random latency."""

import math

from latitude.render.document import (
    Beside,
    Card,
    Document,
    File,
    Section,
    Table,
    origin,
    strong,
)
from latitude.render.documents.forecast_charts import (
    chance_chart,
    latency_chart,
    pairs_chart,
    runtime_chart,
)
from latitude.render.documents.network_origin import network_sentence
from latitude.render.documents.overheads import (
    costs_parts,
    costs_sentence,
    overheads_parts,
    overheads_sentence,
)
from latitude.render.tables import table
from latitude.results.forecast import (
    Estimate,
    LatencyTolerance,
    Randomness,
    RuntimeForecast,
    RuntimeQuantile,
    ToleratedLatency,
)
from latitude.units.quantities import counted, format_change, format_share, format_time

SAMPLES_FILE = "samples.csv"

_MOST_ROWS, _BRIEF = 12, 6
_MANY = 5
"""Significant digits of runtimes with small differences."""
_METHOD = (
    "Method: longest path of the execution graph (Shen et al., “LLAMP”, SC’24) with a latency "
    "drawn for each message, as Underwood et al. (ICPE’18) injected it; random numbers by counter, "
    "sums exact, intervals 95 %: Student’s t for the mean, order statistics for quantiles."
)


def forecast_document(result: RuntimeForecast) -> Document:
    """The document of `latitude forecast`."""
    mean, at, p = result.runtime.mean_ns, result.quantile, result.asked
    jensen = _jensen_sentence(result)
    drawn = _random_sentence(result.random)
    T0 = result.compared.T0_ns
    pairs = pairs_chart(result)
    return Document(
        kind="runtime under random latency",
        name=result.provenance.name,
        title="runtime forecast",
        facts=[
            counted(result.trace.ranks, "rank"),
            counted(result.graph.messages, "message"),
            counted(result.samples, "sample"),
            f"seed {result.random.seed}",
            f"L = {format_time(result.L_ns)}",
            f"computed {result.provenance.date[:10]}",
        ],
        headline=f"Under this latency the program takes {_time(mean.value)} on average, "
        f"{format_change(result.slowdown(mean.value))} against {_time(T0)} without it; "
        f"{_within(p, at)}.",
        answer=[
            jensen,
            network_sentence(result.model.defaults, result.model.source),
            costs_sentence(result.model.costs),
            overheads_sentence(result.model.overheads),
        ],
        cards=[
            Card("mean runtime", _time(mean.value), _interval(mean)),
            Card("slower by", format_change(result.compared.slowdown), "than on the network alone"),
            Card(
                "variation alone",
                format_time(result.compared.jensen_ns.value, 3),
                "beyond the mean latency",
            ),
            Card(f"p{100 * p:g}", _quantile(at), _interval(at)),
        ],
        parts=[
            runtime_chart(result, jensen),
            _figures(result),
            *_tolerance(result),
            chance_chart(result, _chance_sentence(result)),
            *([pairs] if pairs else []),
            *_critical(result),
            latency_chart(result, drawn),
            *costs_parts(result.model.costs),
            *overheads_parts(result.model.overheads),
        ],
        notices=result.warnings,
        files=[File("forecast.json", result.to_json), File(SAMPLES_FILE, result.samples_csv)],
        origin=origin(result.provenance),
        method=_METHOD,
        closing=[
            drawn,
            f"{result.samples:,} samples, seed {result.random.seed}; intervals are 95 %.",
        ],
    )


def _time(ns: float) -> str:
    return format_time(ns, _MANY)


def _interval(found: Estimate | RuntimeQuantile) -> str:
    """An interval as text: `31.2 ms to 31.5 ms`."""
    low, high = (_time(end) if math.isfinite(end) else "?" for end in (found.low, found.high))
    return f"{low} to {high}"


def _within(probability: float, at: RuntimeQuantile) -> str:
    """A quantile as a sentence: `95% of runs finish within 31.2 ms`."""
    runs = f"{100 * probability:g}% of runs"
    if at.known:
        return f"{runs} finish within {_time(at.value)}"
    return f"how long {runs} take at most is not known, because the table of latencies ends before"


def _quantile(at: RuntimeQuantile) -> str:
    """A quantile as text: `31.2 ms`, or `not known`."""
    return _time(at.value) if at.known else "not known"


def _jensen_sentence(result: RuntimeForecast) -> str:
    """A sentence on the cost of variation alone."""
    gap, T_mean = result.compared.jensen_ns, result.compared.T_mean_latency_ns
    constant = f"A constant latency of the same mean would take {_time(T_mean)}"
    if result.random.latency.sd_ns == 0 and result.random.noise is None:
        return f"{constant}: nothing varies."
    if gap.low <= 0:
        return f"{constant}; as far as {result.samples:,} samples tell, variation costs nothing."
    share = gap.value / T_mean if T_mean else 0.0
    return (
        f"{constant}; variation alone costs {format_time(gap.value, 3)} more "
        f"({format_change(share)}, {format_time(gap.low, 3)} to {format_time(gap.high, 3)})."
    )


def _random_sentence(random: Randomness) -> str:
    """A sentence on the random quantities, and their places."""
    latency = random.latency
    place = {
        "flow": "on the wire",
        "sender": "on the sender's CPU, before each message is posted",
    }[random.where]
    each = {
        "message": "one draw per message",
        "pair": "one draw per pair of ranks and sample",
        "rank": "one draw per sending rank and sample",
    }[random.per]
    how = "in place of L" if random.meaning == "total" else "on top of L"
    text = (
        f"Latency {latency.text}, {how}, {place}, {each}: mean {format_time(latency.mean_ns)}, "
        f"sd {format_time(latency.sd_ns)}, p99 {format_time(latency.p99_ns)}."
    )
    if random.noise is not None:
        unit = "computation" if random.noise_per == "vertex" else "rank and sample"
        text += (
            f" Computation is multiplied with {random.noise.text}, sd "
            f"{format_share(random.noise.sd)}, one factor per {unit}."
        )
    return text


def _figures(result: RuntimeForecast) -> Section:
    """T and its quantiles, each with its interval."""

    def row(name: str, T: float, interval: str = "") -> tuple[str, ...]:
        return (name, _time(T), interval, format_change(result.slowdown(T)))

    mean, sd = result.runtime.mean_ns, result.runtime.sd_ns
    share = format_share(sd.value / mean.value) + " of the mean" if mean.value else ""
    rows = [
        row("network alone", result.compared.T0_ns),
        row("at the mean latency (a lower bound)", result.bounds.mean_at_least_ns),
        row("mean", mean.value, _interval(mean)),
        *(_quantile_row(result, each) for each in result.quantiles),
        row("every draw the largest (a bound)", result.bounds.never_more_than_ns),
        ("standard deviation", _time(sd.value), _interval(sd), share),
    ]
    head = ("runtime T", "", "95 % interval", "slower by")
    return Section("Figures", [Table(head, rows, brief=len(rows))])


def _quantile_row(result: RuntimeForecast, found: RuntimeQuantile) -> tuple[str, ...]:
    slower = format_change(result.slowdown(found.value)) if found.known else ""
    return (f"p{100 * found.probability:g}", _quantile(found), _interval(found), slower)


def _chance_sentence(result: RuntimeForecast) -> str:
    """A sentence: `One run in 20 takes 12.9 ms or longer, +11.9% against the network alone`."""
    at, runs = result.quantile, f"One run in {1 / (1 - result.asked):.3g} takes"
    if not at.known:
        return f"{runs} a time that is not known, because the table of latencies ends before."
    slower = format_change(result.slowdown(at.value))
    return f"{runs} {_time(at.value)} or longer, {slower} against the network alone."


def _tolerance(result: RuntimeForecast) -> list[Section]:
    if not result.tolerance:
        return []
    mean = format_time(result.random.latency.mean_ns, 3)
    shown = table(
        result.tolerance,
        ("limit", lambda each: f"{format_share(each.degradation)} slower"),
        "limit_ns",
        ("latency of this shape", lambda each: strong(_tolerated(each.scaled))),
        (f"lognormal of mean {mean}", _spread),
        ("constant latency", lambda each: _constant(each.constant_ns)),
    )
    first = result.tolerance[0]
    return [
        Section(
            f"Tolerated with probability {format_share(first.probability)}",
            [shown],
            _tolerance_sentence(first),
        )
    ]


def _constant(ns: float) -> str:
    return format_time(ns, 3) if math.isfinite(ns) else "any"


def _tolerated(found: ToleratedLatency | None) -> str:
    """A tolerated distribution as text: `mean 5.4 µs, sd 5.4 µs, p99 26.9 µs`."""
    if found is None:
        return "any"
    return (
        f"mean {format_time(found.mean_ns, 3)}, sd {format_time(found.sd_ns, 3)}, "
        f"p99 {format_time(found.p99_ns, 3)}"
    )


def _tolerance_sentence(found: LatencyTolerance) -> str:
    """A sentence on one degradation."""
    constant = (
        f"a constant {format_time(found.constant_ns, 3)}"
        if math.isfinite(found.constant_ns)
        else "any constant latency"
    )
    shape = (
        "latency of this shape, however large"
        if found.scaled is None
        else f"latency of this shape up to {_tolerated(found.scaled)}"
    )
    return (
        f"T stays within {format_share(found.degradation)} with probability "
        f"{format_share(found.probability)} under {shape} (under {constant})."
    )


def _spread(found: LatencyTolerance) -> str:
    """The largest sd at the requested mean, as text."""
    if not found.spread_possible:
        return "none: the mean alone is too much"
    return "any" if found.spread is None else f"sd {format_time(found.spread.sd_ns, 3)}"


def _critical(result: RuntimeForecast) -> list[Section]:
    """Sections on criticality by call, pair and call site."""
    found = result.criticality
    if not found.calls:
        return []
    top = found.calls[0]
    total = sum(call.latencies for call in found.calls)
    rest = ("share", "latencies")
    calls = table(found.calls[:_MOST_ROWS], "call", *rest, brief=0)
    pairs = table(result.pairs[:_MOST_ROWS], "pair", *rest, brief=_BRIEF)
    sites = table(found.call_sites[:_MOST_ROWS], "where", *rest, brief=_BRIEF)
    return [
        Section(
            "On the critical path",
            [Beside([calls, pairs]), sites],
            f"{top.call} receives {format_share(top.latencies / total)} of the latencies on the "
            f"critical path, mean over {found.samples:,} samples.",
        )
    ]
