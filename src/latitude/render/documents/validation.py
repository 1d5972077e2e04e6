"""The document of `latitude validate`."""

import math
import shlex
from typing import Any

import numpy as np

from latitude.render import document
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Unit, unit_for
from latitude.render.document import (
    Bullets,
    Card,
    Cell,
    Document,
    File,
    Origin,
    Section,
    Table,
    code,
    strong,
)
from latitude.render.documents.overheads import costs_parts, overheads_parts
from latitude.render.tables import table
from latitude.results.validation import AtDelta, TolerancePair, Validation
from latitude.units.quantities import counted, format_share, format_time

_METHOD = (
    "Method: Shen et al., “LLAMP”, SC’24, §III. The program runs under a flow-level injector that "
    "delivers each message ΔL later, in random order of ΔL; T is the time from when all ranks have "
    "left MPI_Init until the last calls MPI_Finalize. The prediction is the longest path of the "
    "execution graph of a trace at L + ΔL. RRMSE is the root of the mean over ΔL of ((predicted − "
    "measured) / measured)², measured being the median of the runs, over the ΔL that were asked "
    "for. L + ΔL is what was really injected: by what messages were late for ranks that waited for "
    "them, it is longer. Tolerances are measured by a rising convex curve through the runs, their "
    "intervals by a bootstrap over blocks of one run at each ΔL."
)
_HEIGHT = 500
_ERRORS = 260
_MEASURED = "#d55e00"
_BAND = "rgba(22,54,92,0.18)"
_MARGIN = {"l": 74, "r": 28, "t": 92, "b": 52}
_BELOW = {"orientation": "h", "x": 0, "y": -0.2, "xanchor": "left", "yanchor": "top"}
"""A legend below the axis, because it would hide points inside a narrow plot."""
_GOAL = 2.0
"""Limit in percent below which the errors in Table I of Shen et al. 2024 stay."""
_LABEL_Y, _LABEL_STEP = 1.015, 0.085
_LABEL_WIDTH = 0.36
"""Width of a label as a share of the plot; labels closer than this are stacked."""


def validation_document(result: Validation) -> Document:
    """The document of a validation: answer, levels, tolerances, failures."""
    measured = result.measured
    return Document(
        kind="predicted against measured",
        name=result.program,
        title="validation",
        facts=_facts(result),
        headline=_headline(result),
        answer=[_worst(result), *_agreement(result)] if result.compared else [],
        cards=_cards(result),
        parts=[
            *([runtime_chart(result), error_chart(result)] if measured else []),
            Section("Figures", [_levels(result)]),
            Section(
                "Tolerated latency",
                [_tolerances(result)],
                _how_measured(result),
            ),
            Section("Model", [_model(result)], f"Parameters: {result.network_source}."),
            *costs_parts(result.model.costs),
            *overheads_parts(result.model.overheads),
            *_own_errors(result),
            *_traced_there(result),
            *_not_known(result),
            *_failures(result),
        ],
        notices=result.warnings,
        files=[File("validation.json", result.to_json), File("validation.csv", result.to_csv)],
        origin=document.origin(
            result.provenance, [Origin("program", code(shlex.join(result.command)))]
        ),
        method=_METHOD,
        closing=[shlex.join(result.command), *_assumed(result)],
    )


def _facts(result: Validation) -> list[str]:
    done = sum(len(level.measured_ns) for level in result.levels)
    lost = f", {len(result.failures):,} failed" if result.failures else ""
    more = format_time(float(result.base_L_ns), 4)
    return [
        counted(result.trace.ranks, "rank"),
        f"{len(result.levels)} latencies added",
        *([f"L {more} longer throughout"] if result.base_L_ns else []),
        f"{counted(done, 'run')}{lost}, {counted(result.traces, 'trace')}",
        f"measured {result.provenance.date[:10]}",
    ]


def _headline(result: Validation) -> str:
    if not result.measured:
        return "No run succeeded, so there is nothing to compare."
    if not result.compared:
        return "No run succeeded at a latency that was asked for, so there is nothing to compare."
    words = result.conclusion.words
    return f"Predictions: {words}."


def _worst(result: Validation) -> str:
    """A sentence on the worst prediction, and on the error at ΔL = 0."""
    level = max(result.compared, key=lambda each: abs(each.error))
    alone = result.model_alone
    replay = (
        ""
        if alone is None
        else "The prediction keeps what the traced runs took beyond the model; the model alone "
        f"would be off by {_percent(alone.rrmse)}. "
    )
    span = format_time(float(result.compared[-1].delta_L_ns), 3)
    return (
        f"Medians are off by {_percent(result.rrmse)} (RRMSE) over ΔL = 0 … {span}, and runs "
        f"differ by {_percent(result.spread)} among themselves{_by_chance(result)}. The largest "
        f"error is {_signed(level.error)} at ΔL = {_delta(level)}. {replay}Were T(0) taken from "
        f"the measurement, the RRMSE would be {_percent(result.shifted_rrmse)}."
    )


def _by_chance(result: Validation) -> str:
    """The RRMSE of a perfect model, in words."""
    perfect = result.perfect
    if perfect is None:
        return ""
    return (
        f": a perfect model would show {_percent(perfect.rrmse)} with as many, and up to "
        f"{_percent(perfect.rrmse_p90)} in nine of ten campaigns"
    )


def _assumed(result: Validation) -> list[str]:
    """Sentences on the network, and on the additional latency of every run."""
    values = ", ".join(f"{name} = {value}" for name, value in result.network.describe().items())
    lines = [f"{values}, rendezvous {result.network.rendezvous} ({result.network_source})"]
    return [*lines, f"L is {_base(result)}"] if result.base_L_ns else lines


def _base(result: Validation) -> str:
    more = format_time(float(result.base_L_ns), 4)
    return f"{more} more in every run, ΔL = 0 and traces included"


def _cards(result: Validation) -> list[Card]:
    inside = sum(level.inside for level in result.measured)
    return [
        Card("RRMSE", _percent(result.rrmse), "predicted against measured, over all ΔL"),
        Card("RMSE", format_time(result.rmse_ns, 3), "the same as a time"),
        Card("run to run", _percent(result.spread), "sd of the runs of one ΔL"),
        Card("among the runs", f"{inside} of {len(result.measured)}", "predictions"),
    ]


def _levels(result: Validation) -> Table:
    return table(
        result.levels,
        ("ΔL", lambda level: _delta(level) + (", placed" if level.placed else "")),
        "injected_delta_L_ns",
        ("predicted", _with_interval),
        *("median_ns", "error", "spread"),
        ("runs", lambda level: str(len(level.measured_ns))),
        "lambda_L",
    )


def _with_interval(level: AtDelta) -> Cell:
    """The prediction, with its interval on a second line."""
    low, high = level.predicted_low_ns, level.predicted_high_ns
    known = math.isfinite(low) and math.isfinite(high)
    below = [f"{format_time(low, 4)} to {format_time(high, 4)}"] if known else []
    return Cell(format_time(level.predicted_ns, 5), below=below)


def _tolerances(result: Validation) -> Table:
    share = format_share(result.precision)
    return table(
        result.tolerance,
        ("", lambda each: f"{format_share(each.degradation)} slower"),
        ("predicted", _predicted),
        ("90 % interval", _predicted_interval),
        ("measured", _measured),
        ("90 % interval", _interval),
        ("agrees", lambda each: {None: "–", True: "yes", False: "no"}[each.agrees]),
        (f"runs for ± {share}", "repetitions_needed"),
    )


def _how_measured(result: Validation) -> str:
    loose = [each for each in result.tolerance if each.measured_delta_L_ns is None]
    unmeasured = (
        " Where no runs near to it bracket it, a tolerance is not measured; --delta adds runs."
        if loose
        else ""
    )
    return (
        "Measured: where a rising convex curve through the runs passes the limit, with its 90 % "
        f"interval.{unmeasured}"
    )


def _interval(each: TolerancePair) -> str:
    """The interval from the runs, even if no runs bracket the tolerance."""
    low = f"+{format_time(each.measured_low_ns, 3)}" if each.measured_low_ns else "0"
    if math.isinf(each.measured_high_ns):
        return f"over {low}" if each.measured_low_ns else "–"
    return f"{low} to +{format_time(each.measured_high_ns, 3)}"


def _agreement(result: Validation) -> list[str]:
    """A sentence on the number of tolerances that agree with the runs."""
    told = [each.agrees for each in result.tolerance if each.agrees is not None]
    if not told:
        return []
    noun, verb = counted(len(told), "tolerance"), "is" if sum(told) == 1 else "are"
    sentence = f"Of {noun} that could be measured, {sum(told)} {verb} predicted within"
    return [f"{sentence} the measured interval."]


def _model(result: Validation) -> Table:
    values = dict(result.network.describe())
    if result.base_L_ns:
        values["base"] = f"L is {_base(result)}"
    values |= {"rendezvous": result.model.rendezvous, "collectives": result.model.collectives}
    rows = [(strong(name), value) for name, value in values.items()]
    return Table(("", "value"), rows, "model")


def _traced_there(result: Validation) -> list[Section]:
    """T at the largest ΔL, predicted from a trace at that ΔL and from one at ΔL = 0."""
    there = result.traced_there
    if there is None:
        return []
    delta = format_time(float(there.delta_L_ns), 4)
    measured = next(each for each in result.levels if each.delta_L_ns == there.delta_L_ns)
    runs = format_time(measured.median_ns, 5) if measured.measured_ns else "–"
    head = ("traced at", "traces", "predicted", "measured", "error", "λ_L")
    rows = [
        (
            "ΔL = 0",
            f"{result.traces:,}",
            format_time(there.at_zero_predicted_ns, 5),
            runs,
            strong(_signed(there.at_zero_error)),
            f"{there.at_zero_lambda_L:,.0f}",
        ),
        (
            f"ΔL = {delta}",
            f"{there.traces:,}",
            format_time(there.predicted_ns, 5),
            runs,
            strong(_signed(there.error)),
            f"{there.lambda_L:,.0f}",
        ),
    ]
    lead = (
        "What a run does otherwise when messages come later is in a trace that was made there: it "
        "computes from colder caches, looks more often for messages, goes another way. What the "
        "rows differ by is the run's and the machine's, what is left of the error the model's."
    )
    return [Section(f"T at ΔL = {delta}, traced there", [Table(head, rows, brief=2)], lead)]


def _own_errors(result: Validation) -> list[Section]:
    """A section on the model's error on each traced run's own trace."""
    if not result.ends:
        return []
    shown = table(
        result.ends,
        ("traced at", lambda end: f"ΔL = {_time_of(end.delta_L_ns)}"),
        "runs",
        "error",
        ("90 % interval", lambda end: f"{_signed(end.low)} to {_signed(end.high)}"),
        "growth_ns",
    )
    lead = (
        "An own error compares the model on the trace of a run with the time of that same run, so "
        "it does not depend on how runs differ. Growth is forward from runs at ΔL = 0, and "
        "backward from those at the largest ΔL. Where both differ, the program goes another way "
        "when messages come later."
    )
    return [Section("Own errors", [shown], lead)]


def _time_of(ns: int) -> str:
    return format_time(float(ns), 4) if ns else "0"


def _not_known(result: Validation) -> list[Section]:
    """A section on uncertainties that no interval contains."""
    if not result.not_known:
        return []
    items = [f"Not known: {each}." for each in result.not_known]
    return [Section("What the intervals of predictions leave out", [Bullets(items)])]


def _failures(result: Validation) -> list[Section]:
    if not result.failures:
        return []
    shown = table(
        result.failures,
        ("run", lambda run: f"ΔL = {format_time(float(run.delta_L_ns))} #{run.repetition}"),
        *("why", "output"),
        kind="failures",
    )
    return [Section("Failed runs", [shown])]


def _delta(level: AtDelta) -> str:
    return "0" if not level.delta_L_ns else format_time(float(level.delta_L_ns), 4)


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.2f}%"


def _signed(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:+.2f}%"


def _measured(each: TolerancePair) -> str:
    """The ΔL at which runs exceed the limit, or the nearest ΔL with runs on both sides."""
    if each.measured_delta_L_ns is not None:
        return f"+{format_time(each.measured_delta_L_ns, 3)}"
    if each.below_ns is None:
        return "–"
    if each.above_ns is None:
        return f"over +{format_time(each.below_ns, 3)}"
    least = f"+{format_time(each.below_ns, 3)}" if each.below_ns else "0"
    return f"between {least} and +{format_time(each.above_ns, 3)}"


def _predicted(each: TolerancePair) -> str:
    if math.isinf(each.predicted_delta_L_ns):
        return "any"
    return f"+{format_time(each.predicted_delta_L_ns, 3)}"


def _predicted_interval(each: TolerancePair) -> str:
    low, high = each.predicted_low_ns, each.predicted_high_ns
    if not math.isfinite(low):
        return "–"
    if math.isinf(high):
        return f"over +{format_time(low, 3)}"
    return f"+{format_time(low, 3)} to +{format_time(high, 3)}"


def runtime_chart(result: Validation) -> Chart:
    """T(ΔL): predictions as a line, measurements as points (Shen et al. 2024, Fig. 9)."""
    curve, levels = result.curve, _by_injected(result)
    unit, runtime = unit_for(float(curve.delta_L_ns[-1])), unit_for(float(curve.T_ns[-1]))
    place = f"ΔL = %{{x:.4~g}} {unit.name}<br>"
    shapes, labels = _zones(result, unit)
    every = [(level.injected_delta_L_ns, T) for level in levels for T in level.measured_ns]
    medians = marks.points(
        unit.of([level.injected_delta_L_ns for level in levels]),
        runtime.of([level.median_ns for level in levels]),
        name="measured: median, least and most",
        low=runtime.of([min(level.measured_ns) for level in levels]),
        high=runtime.of([max(level.measured_ns) for level in levels]),
        hover=f"{place}measured %{{y:.5~g}} {runtime.name}<br>prediction %{{customdata}}",
        customdata=[_signed(level.error) for level in levels],
    )
    medians["marker"] = {"color": "#fff", "size": 9, "line": {"color": _MEASURED, "width": 2.2}}
    medians["error_y"] |= {"color": _MEASURED, "thickness": 1.3, "width": 4}
    end = float(curve.delta_L_ns[-1]) / unit.ns
    return marks.chart(
        "runtime",
        "Runtime against added latency",
        "",
        [
            *_alone(result, unit, runtime),
            *_uncertain(result, unit, runtime),
            marks.line(
                unit.of(curve.delta_L_ns),
                runtime.of(curve.T_ns),
                name="predicted from the trace",
                width=2.5,
                hover=f"{place}predicted %{{y:.5~g}} {runtime.name}",
            ),
            marks.points(
                unit.of([delta for delta, _ in every]),
                runtime.of([T for _, T in every]),
                name="each run",
                colour=_MEASURED,
                size=5,
                opacity=0.35,
                hoverinfo="skip",
            ),
            medians,
        ],
        x=theme.axis(f"latency added to each message, ΔL ({unit.name})", range=_padded(end)),
        y=theme.axis(f"runtime T ({runtime.name})"),
        height=_HEIGHT,
        label=_headline(result),
        note="The line is computed from the trace and the network's parameters alone; nothing is "
        "fitted to the points. Bands end where the prediction passes each tolerance.",
        margin=_MARGIN,
        shapes=shapes,
        annotations=labels,
        legend=_BELOW,
    )


def _by_injected(result: Validation) -> list[AtDelta]:
    """The levels in the order of the injected latency."""
    return sorted(result.measured, key=lambda level: level.injected_delta_L_ns)


def _uncertain(result: Validation, unit: Unit, runtime: Unit) -> list[dict[str, Any]]:
    """The band of the predictions, if their uncertainty is known."""
    curve = result.curve
    if np.isnan(curve.low_T_ns).any():
        return []
    x, low, high = (
        unit.of(curve.delta_L_ns),
        runtime.of(curve.low_T_ns),
        runtime.of(curve.high_T_ns),
    )
    return marks.band(x, low, high, colour=_BAND, name="90 % interval of the prediction")


def _alone(result: Validation, unit: Unit, runtime: Unit) -> list[dict[str, Any]]:
    """The line without replay, if the other line has replay."""
    if result.model_alone is None:
        return []
    pairs = zip(result.levels, result.model_alone.predicted_ns, strict=True)
    drawn = sorted((level.injected_delta_L_ns, T) for level, T in pairs)
    return [
        marks.line(
            unit.of([delta for delta, _ in drawn]),
            runtime.of([T for _, T in drawn]),
            name="the model alone, without replay",
            width=1.4,
            dash="dot",
            hover=f"ΔL = %{{x:.4~g}} {unit.name}<br>model alone %{{y:.5~g}} {runtime.name}",
        )
    ]


def _zones(result: Validation, unit: Unit) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Zones that end at the tolerances, and their labels above the plot."""
    left, right = 0.0, float(result.curve.delta_L_ns[-1])
    shapes: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    free: list[float] = []  # the first free place of each row of labels
    for index, each in enumerate(result.tolerance):
        end = min(each.predicted_delta_L_ns, right)
        if end <= left:
            continue
        shapes.append(marks.zone(left / unit.ns, end / unit.ns, theme.zone_colour(index)))
        beyond = each.predicted_delta_L_ns > right
        row = next((row for row, begin in enumerate(free) if end >= begin), len(free))
        free[row : row + 1] = [end + _LABEL_WIDTH * right]
        text = f"<b>{100 * each.degradation:g}%</b> {_predicted(each)}"
        labels.append(
            marks.label(
                end / unit.ns,
                _LABEL_Y + _LABEL_STEP * row,
                f"{text} →" if beyond else text,
                xanchor="right" if beyond else "center",
                yanchor="bottom",
            )
        )
        left = end
    return shapes, labels


def error_chart(result: Validation) -> Chart:
    """Error of the predictions at each ΔL, next to the spread of runs."""
    levels = _by_injected(result)
    unit = unit_for(float(result.curve.delta_L_ns[-1]))
    x = unit.of([level.injected_delta_L_ns for level in levels])
    least = [100 * (min(level.measured_ns) / level.median_ns - 1) for level in levels]
    most = [100 * (max(level.measured_ns) / level.median_ns - 1) for level in levels]
    errors = [100 * level.error for level in levels]
    inside = sum(level.inside for level in levels)
    reach = max(1.25 * _GOAL, *map(abs, [*least, *most]), *(1.1 * abs(each) for each in errors))
    base = f"; T(0) is {format_time(levels[0].median_ns, 4)}"
    return marks.chart(
        "error",
        "Error of each prediction",
        f"At {inside} of {len(levels)} ΔL the prediction lies among the runs; dotted lines are "
        f"± {_GOAL:g}%.",
        [
            *marks.band(x, least, most, colour="rgba(213,94,0,0.13)", name="runs, least to most"),
            marks.line(
                x,
                errors,
                name="predicted − measured median",
                hover=f"ΔL = %{{x:.4~g}} {unit.name}: %{{y:+.3~g}}%",
                mode="lines+markers",
                marker={"size": 8},
            ),
        ],
        x=theme.axis(f"ΔL ({unit.name})", range=_padded(float(x[-1]))),
        y=theme.axis("error (%)", range=[-reach, reach]),
        height=_ERRORS,
        note=f"Run to run, the sd is {_percent(result.spread)}"
        f"{'' if math.isnan(result.spread) else base}.",
        margin={**_MARGIN, "t": 36},
        shapes=[
            marks.level(y, theme.MUTED, dash="solid" if y == 0 else "dot")
            for y in (_GOAL, 0.0, -_GOAL)
        ],
    )


def _padded(end: float) -> list[float]:
    return [-0.02 * end, 1.02 * end]
