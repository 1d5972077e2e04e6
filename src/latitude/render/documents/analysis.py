"""The document of an analysis: the answer, then the sections in the order of their list."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from latitude.files import extras
from latitude.render.document import (
    Bullets,
    Document,
    File,
    Line,
    Part,
    Section,
    Table,
    origin,
)
from latitude.render.documents.analysis_charts import (
    parts_of,
    runtime_chart,
    sensitivity_chart,
    split_chart,
    split_table,
)
from latitude.render.documents.answers import (
    METHOD,
    baseline_sentence,
    cards,
    cost_sentences,
    critical_note,
    facts,
    headline,
    line_to_change,
    tolerances,
)
from latitude.render.documents.model_section import closing, model_section
from latitude.render.documents.network_origin import network_sentence
from latitude.render.documents.otherwise import otherwise_parts
from latitude.render.documents.over_runs import over_runs_parts, over_runs_sentence
from latitude.render.documents.overheads import (
    costs_parts,
    costs_sentence,
    overheads_parts,
    overheads_sentence,
)
from latitude.render.documents.recorded import noisy_machine, recorded_parts, verdict
from latitude.render.shown import Shown
from latitude.results.analysis import Analysis, curve_csv
from latitude.results.answer import PathParts, breakpoints_csv
from latitude.sections import SECTIONS
from latitude.units.quantities import format_count, format_share, format_size, format_time


def analysis_document(analysis: Analysis) -> Document:
    """The page, the terminal's text and the files of an analysis."""
    answer, sections, recorded = headline(analysis), [*_sections()], verdict(analysis)
    return Document(
        kind=f"{analysis.theta.meaning} tolerance",
        name=analysis.name,
        title="latency tolerance",
        facts=facts(analysis),
        headline=answer + line_to_change(analysis),
        doubts=[
            *noisy_machine(analysis),
            *([recorded.text] if recorded and recorded.doubtful else []),
        ],
        answer=[
            *([recorded.text] if recorded and not recorded.doubtful else []),
            *cost_sentences(analysis),
            baseline_sentence(analysis),
            *filter(None, (section.sentence(analysis) for section in sections)),
            *filter(None, [over_runs_sentence(analysis)]),
            *_streamed_sentence(analysis),
            network_sentence(analysis.model.defaults, analysis.model.source),
            costs_sentence(analysis.model.costs),
            overheads_sentence(analysis.model.overheads),
        ],
        cards=cards(analysis),
        parts=[
            runtime_chart(analysis, answer),
            tolerances(analysis),
            *(part for section in sections if section.early for part in section.parts(analysis)),
            *_exact(analysis),
            *over_runs_parts(analysis),
            sensitivity_chart(analysis),
            *_curve(analysis),
            *_split(analysis, analysis.baseline.path),
            *recorded_parts(analysis),
            *otherwise_parts(analysis),
            *(p for section in sections if not section.early for p in section.parts(analysis)),
            *_left_out(analysis),
            model_section(analysis),
            *costs_parts(analysis.model.costs),
            *overheads_parts(analysis.model.overheads),
        ],
        notices=analysis.warnings,
        files=[
            File("analysis.json", analysis.to_json),
            File("curve.csv", lambda: curve_csv(analysis)),
            File("breakpoints.csv", lambda: breakpoints_csv(analysis.breakpoints, analysis.theta)),
            *(
                File(name, text)
                for section in sections
                for name, of in section.files.items()
                if (text := of(analysis)) is not None
            ),
        ],
        origin=origin(analysis.provenance),
        method=METHOD,
        closing=closing(analysis),
    )


def file_names() -> list[str]:
    """Names of the files that an analysis may have, the page first."""
    own = ["report.html", "analysis.json", "curve.csv", "breakpoints.csv"]
    return [*own, *(name for section in _sections() for name in section.files)]


def _sections() -> Iterator[Shown]:
    for name in SECTIONS:
        shown: Shown = import_module(f"latitude.sections.{name}.show").SHOWN
        yield shown


def runtime_figure(analysis: Analysis) -> Any:
    """The first chart as a plotly figure, for notebooks. ImportError without plotly."""
    try:
        import plotly.graph_objects as go  # noqa: PLC0415 - slow to import, optional
    except ImportError as error:
        raise ImportError(f"a figure needs plotly: {extras.install('plotly')}") from error

    return go.Figure(runtime_chart(analysis, headline(analysis)).figure)


def _streamed_sentence(analysis: Analysis) -> list[str]:
    """Sentences on the passes over a streamed trace."""
    how = analysis.streamed
    if how is None:
        return []
    same = ", λ and the critical path" if analysis.baseline.path else " and λ"
    text = (
        f"The trace was evaluated while it was read ({how.why}), in {how.passes} passes, "
        f"{format_size(how.bytes_read)} in all; T{same} are those of an analysis in memory."
    )
    return [text]


def _exact(analysis: Analysis) -> list[Section]:
    """Sections on the uncertainty of T and λ, and its unknown parts."""
    found = analysis.intervals
    if found is None:
        return []
    items: list[Line] = []
    if found.T_ns is not None and found.slope is not None:
        T, slope = found.T_ns, found.slope
        items.append(
            "By what the network's parameters were measured with, T lies between "
            f"{format_time(T.low, 5)} and {format_time(T.high, 5)}, λ between "
            f"{format_count(slope.low)} and {format_count(slope.high)} (90 % intervals)."
        )
    items += [f"Not known: {each}." for each in found.not_known]
    return [Section("How far this may be off", [Bullets(items)])]


def _curve(analysis: Analysis) -> list[Section]:
    """The curve of a streamed trace, on the terminal."""
    if analysis.streamed is None:
        return []
    theta, curve = analysis.theta, analysis.curve
    columns = curve.value, curve.T_ns, curve.slope, curve.share
    rows = [
        (theta.text(value), format_time(runtime, 5), format_count(slope), format_share(share))
        for value, runtime, slope, share in zip(*(each.tolist() for each in columns), strict=True)
    ]
    table = Table((theta.symbol, "T", "λ", "ρ"), rows, brief=len(rows))
    note = "" if analysis.baseline.path else _critical(analysis)
    return [Section("Curve", [table], note=note, page=False)]


def _split(analysis: Analysis, of: PathParts | None) -> list[Part]:
    """The four parts of T: a chart on the page, a table on the terminal."""
    if of is None:
        return []
    parts = parts_of(of, analysis.T_ns, analysis.model.assumed)
    note = _critical(analysis)
    brief = Section("Critical path", [split_table(parts)], note=note, page=False)
    return [split_chart(parts, analysis.T_ns), brief]


def _critical(analysis: Analysis) -> str:
    """The number of listed breakpoints, if they were requested."""
    critical = analysis.critical
    return critical_note(analysis) if critical.complete or critical.listed else ""


def _left_out(analysis: Analysis) -> list[Section]:
    """Sections that this result lacks, with reasons."""
    by_reason: dict[str, list[str]] = {}
    for each in analysis.left_out:
        by_reason.setdefault(each.why, []).append(each.what)
    said = [f"{why[0].upper()}{why[1:]}: {'; '.join(what)}." for why, what in by_reason.items()]
    told = analysis.streamed is not None
    return [Section("Left out", [Bullets(said)], terminal=told)] if said else []
