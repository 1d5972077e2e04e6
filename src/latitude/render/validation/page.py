"""The page of a validation."""

import shlex

from latitude.experiments.validation.result import Validation
from latitude.render.charts.theme import subscripted
from latitude.render.html import shell
from latitude.render.html.markup import escape
from latitude.render.html.shell import table
from latitude.render.validation import charts, words
from latitude.results.validation_data import to_csv, to_json
from latitude.units.quantities import counted, format_time

_METHOD = (
    "Method: Shen et al., “LLAMP”, SC’24, §III. The program runs under a flow-level injector that "
    "delivers each message ΔL later, in random order of ΔL; T is the time from when all ranks have "
    "left MPI_Init until the last calls MPI_Finalize. The prediction is the longest path of the "
    "execution graph of a trace at L + ΔL. RRMSE is the root of the mean over ΔL of ((predicted − "
    "measured) / measured)², measured being the median of the runs."
)


def render(result: Validation) -> str:
    """The whole page as one HTML text that needs no network."""
    shown = [charts.runtime_chart(result), charts.error_chart(result)] if result.measured else []
    body = [shell.section(chart, reading=index > 0) for index, chart in enumerate(shown)]
    body += [_levels(result), _tolerances(result), _model(result), _failures(result)]
    return shell.render(
        shell.Shell(
            kind="predicted against measured",
            name=result.program,
            title="validation",
            facts=_facts(result),
            headline=words.headline(result),
            answer=[words.worst(result)] if result.measured else [],
            cards=_cards(result),
            body="\n".join([*body, shell.notes(result.warnings)]),
            charts=shown,
            data=[
                shell.Data("validation.json", to_json(result)),
                shell.Data("validation.csv", to_csv(result)),
            ],
            provenance=shell.origin(
                result.provenance,
                [("program", f"<code>{escape(shlex.join(result.command))}</code>")],
            ),
            method=_METHOD,
            warnings=result.warnings,
        )
    )


def _facts(result: Validation) -> list[str]:
    return [
        counted(result.trace.ranks, "rank"),
        f"{len(result.levels)} latencies added",
        *(
            [f"L {format_time(float(result.base_ns), 4)} longer throughout"]
            if result.base_ns
            else []
        ),
        words.runs(result),
        f"measured {result.provenance.date[:10]}",
    ]


def _cards(result: Validation) -> list[shell.Card]:
    inside = sum(level.inside for level in result.measured)
    return [
        ("RRMSE", words.percent(result.rrmse), "predicted against measured, over all ΔL"),
        ("RMSE", format_time(result.rmse_ns, 3), "the same as a time"),
        ("run to run", words.percent(result.spread), "sd of the runs of one ΔL"),
        ("among the runs", f"{inside} of {len(result.measured)}", "predictions"),
    ]


def _levels(result: Validation) -> str:
    rows = [
        (
            words.delta(level),
            format_time(level.predicted_ns, 5),
            format_time(level.median_ns, 5) if level.measured_ns else "–",
            f"<b>{words.signed(level.error)}</b>" if level.measured_ns else "–",
            words.percent(level.spread),
            str(len(level.measured_ns)),
            f"{level.lambda_L:,.0f}",
        )
        for level in result.levels
    ]
    head = ("ΔL", "predicted", "measured", "error", "sd of runs", "runs", subscripted("λ_L"))
    return shell.text_section("Figures", "", table(head, rows))


def _tolerances(result: Validation) -> str:
    rows = [(words.slower(each), *words.tolerated(each)) for each in result.tolerated]
    reading = "Measured: where the line through the medians passes the limit."
    return shell.text_section(
        "Tolerated latency", reading, table(("", "predicted", "measured"), rows)
    )


def _model(result: Validation) -> str:
    rows = [
        (f"<b>{subscripted(name)}</b>", escape(value))
        for name, value in result.network.describe().items()
    ]
    if result.base_ns:
        rows.append(("<b>base</b>", escape(f"L is {words.base(result)}")))
    rows += [
        ("<b>rendezvous</b>", escape(result.network.rendezvous)),
        ("<b>collectives</b>", escape(result.collectives)),
    ]
    source = f"Parameters: {result.network_source}."
    return shell.text_section("Model", source, table(("", "value"), rows, "model"))


def _failures(result: Validation) -> str:
    if not result.failures:
        return ""
    items = "".join(f"<li>{escape(line)}</li>" for line in words.failed(result))
    return shell.text_section("Failed runs", "", f"<ul>{items}</ul>")
