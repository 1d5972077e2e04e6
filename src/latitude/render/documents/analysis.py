"""What an analysis says."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from latitude.files import extras
from latitude.render.document import (
    Beside,
    Bullets,
    Document,
    File,
    Line,
    Paragraph,
    Part,
    Section,
    Table,
    origin,
    strong,
)
from latitude.render.documents.analysis_charts import (
    parts_of,
    runtime_chart,
    sensitivity_chart,
    sizes_chart,
    split_chart,
)
from latitude.render.documents.answers import (
    METHOD,
    baseline_sentence,
    cards,
    critical_note,
    facts,
    headline,
    tolerances,
)
from latitude.render.documents.call_stacks import call_stacks
from latitude.render.documents.efficiencies import efficiency_parts
from latitude.render.documents.iterations import iterations_parts
from latitude.render.documents.model_section import closing, model_section
from latitude.render.documents.network_map import network_map
from latitude.render.documents.network_origin import network_sentence
from latitude.render.documents.otherwise import otherwise_parts
from latitude.render.documents.over_runs import over_runs_parts, over_runs_sentence
from latitude.render.documents.overheads import overheads_parts, overheads_sentence
from latitude.render.documents.pair_charts import pair_charts
from latitude.render.documents.path_chart import path_charts
from latitude.render.documents.path_shares import call_sites_parts, calls_section, split_table
from latitude.render.documents.recorded import recorded_parts, recorded_sentence
from latitude.render.documents.slack import SLACK_NOTE, slack_table
from latitude.render.documents.timeline_chart import timeline_charts
from latitude.render.documents.waits import waits_parts
from latitude.results.analysis import (
    Analysis,
    breakpoints_csv,
    call_sites_csv,
    curve_csv,
    efficiency_csv,
)
from latitude.results.critical_path import NearPath
from latitude.results.messages import slack_csv
from latitude.units.quantities import format_count, format_share, format_time

_PAIRED = 64
"""Up to so many ranks the two heat maps fit side by side."""
_WAYPOINTS = 2
"""Messages named of each of the longest paths."""


def analysis_document(analysis: Analysis) -> Document:
    """The page, the terminal's text and the files of an analysis."""
    answer = headline(analysis)
    parts = parts_of(analysis.baseline, analysis.T_ns)
    return Document(
        kind=f"{analysis.theta.meaning} tolerance",
        name=analysis.name,
        title="latency tolerance",
        facts=facts(analysis),
        headline=answer,
        answer=[
            baseline_sentence(analysis, analysis.baseline.lambda_L, analysis.baseline.rho_L),
            *filter(None, [over_runs_sentence(analysis), recorded_sentence(analysis)]),
            network_sentence(analysis.model.defaults, analysis.model.source),
            overheads_sentence(analysis.model.overheads),
        ],
        cards=cards(analysis, analysis.baseline.lambda_L, analysis.baseline.rho_L),
        parts=[
            runtime_chart(analysis, answer),
            tolerances(analysis),
            _exact(analysis),
            *over_runs_parts(analysis),
            sensitivity_chart(analysis),
            split_chart(parts, analysis.T_ns),
            _split(analysis, parts),
            *recorded_parts(analysis),
            *efficiency_parts(analysis, analysis.efficiency),
            *otherwise_parts(analysis),
            *timeline_charts(analysis),
            *path_charts(analysis),
            *_near_paths(analysis),
            *iterations_parts(analysis),
            *call_sites_parts(analysis.by_call_site),
            *call_stacks(analysis),
            *([] if analysis.waits is None else waits_parts(analysis.waits)),
            *_messages(analysis),
            *network_map(analysis),
            *([] if analysis.slack is None else sizes_chart(analysis.slack, analysis.network.S)),
            calls_section(analysis.by_call, analysis.T_ns, sited=bool(analysis.by_call_site)),
            *_left_out(analysis),
            model_section(analysis),
            *overheads_parts(analysis.model.overheads),
        ],
        notices=analysis.warnings,
        files=_files(analysis),
        origin=origin(analysis.provenance),
        method=METHOD,
        closing=closing(analysis),
    )


def runtime_figure(analysis: Analysis) -> Any:
    """The first chart as a plotly figure, for notebooks. ImportError without plotly."""
    try:
        import plotly.graph_objects as go  # noqa: PLC0415 - slow to import, optional
    except ImportError as error:
        raise ImportError(f"a figure needs plotly: {extras.install('plotly')}") from error

    return go.Figure(runtime_chart(analysis, headline(analysis)).figure)


def _exact(analysis: Analysis) -> Section:
    """How far T and λ may be off, and what is not known of that."""
    found = analysis.intervals
    items: list[Line] = []
    if found.T_ns is not None and found.slope is not None:
        T, slope = found.T_ns, found.slope
        items.append(
            f"By what the network's parameters were measured with, T lies between "
            f"{format_time(T.low, 5)} and {format_time(T.high, 5)}, λ between "
            f"{format_count(slope.low)} and {format_count(slope.high)} (90 % intervals)."
        )
    items += [f"Not known: {each}." for each in found.not_known]
    return Section("How far this may be off", [Bullets(items)])


def _split(analysis: Analysis, parts: Sequence[tuple[str, float, float]]) -> Section:
    """The four parts of T on the terminal; the page has a chart of them."""
    return Section(
        "Critical path",
        [split_table(parts)],
        note=critical_note(analysis),
        page=False,
    )


def _near_paths(analysis: Analysis) -> list[Section]:
    """The paths that are next in line, where there are others than the critical one."""
    if len(analysis.near_paths) < 2:  # noqa: PLR2004 - one alone is the critical path
        return []
    rows = [
        (
            strong(f"{number}."),
            format_time(path.length_ns, 6),
            "critical" if number == 1 else format_time(path.shorter_ns, 3),
            f"{path.messages:,}",
            f"{path.others:,}",
            f"{path.skipped:,}",
            _via(path, _WAYPOINTS) + (", …" if path.others > _WAYPOINTS else "") or "–",
        )
        for number, path in enumerate(analysis.near_paths, 1)
    ]
    head = ("path", "length", "shorter by", "messages", "other", "without", "through")
    return [
        Section(
            "Next in line",
            [Table(head, rows, "near")],
            reading=near_sentence(analysis),
            note="The longest paths that differ in the messages they wait for; “other” and "
            "“without” compare them to the critical path's. Making the critical path faster gains "
            "no more than the distance to the next one; then that one is critical.",
        )
    ]


def near_sentence(analysis: Analysis) -> str:
    """How far the second longest path is, and where it goes."""
    _, second, *_ = analysis.near_paths
    tied = sum(not path.shorter_ns for path in analysis.near_paths)
    if tied > 1:
        many = f"{tied} or more" if tied == len(analysis.near_paths) else f"{tied}"
        return (
            f"{many} paths are equally long: all must get shorter before the program runs faster."
        )
    share = second.shorter_ns / analysis.baseline.T_ns
    where = f"goes through {_via(second, 1)}" if second.others else "waits for fewer messages"
    return (
        f"The second path is {format_time(second.shorter_ns, 3)} shorter ({format_share(share)} of "
        f"the runtime); it {where}."
    )


def _via(path: NearPath, count: int) -> str:
    """The first `count` messages that tell a path from the critical one."""
    return ", ".join(f"rank {w.source} → {w.destination} ({w.call})" for w in path.through[:count])


def _messages(analysis: Analysis) -> list[Part]:
    """Pairs of ranks and slack, where there are messages."""
    if analysis.slack is None or not len(analysis.pairs):
        return []
    charts = pair_charts(analysis, analysis.slack)
    listed, every = len(analysis.listed_pairs), len(analysis.pairs)
    pairs = "every pair" if listed == every else f"the {listed:,} pairs that matter most"
    return [
        *([Beside(charts)] if analysis.trace.ranks <= _PAIRED else charts),
        slack_table(analysis.slack),
        Paragraph(f"{SLACK_NOTE} slack.csv has {pairs}.", muted=True),
    ]


def _left_out(analysis: Analysis) -> list[Section]:
    """The sections that this result does not have, and why."""
    items = [f"{each.what}: {each.why}" for each in analysis.left_out]
    return [Section("Left out", [Bullets(items)])] if items else []


def _files(analysis: Analysis) -> list[File]:
    slack, waits = analysis.slack, analysis.waits
    files = [
        File("analysis.json", analysis.to_json),
        File("curve.csv", lambda: curve_csv(analysis)),
        File("breakpoints.csv", lambda: breakpoints_csv(analysis.breakpoints, analysis.theta)),
        File("efficiency.csv", lambda: efficiency_csv(analysis.efficiency, analysis.theta)),
    ]
    if slack is not None:
        listed = partial(slack.of_pairs, analysis.pairs, analysis.baseline.L_ns)
        files.append(File("slack.csv", lambda: slack_csv(slack, listed())))
    if waits is not None:
        files.append(File("waits.csv", waits.times.to_csv))
        files.append(File("delays.csv", waits.delays.to_csv))
    if analysis.by_call_site:
        files.append(File("call_sites.csv", lambda: call_sites_csv(analysis.by_call_site)))
    if analysis.iterations is not None:
        files.append(File("iterations.csv", analysis.iterations.shares.to_csv))
    if analysis.link_loads is not None:
        files.append(File("links.csv", analysis.link_loads.to_csv))
    return files
