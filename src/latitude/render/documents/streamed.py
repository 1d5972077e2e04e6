"""What an analysis of a trace that was evaluated while it was read says."""

import numpy as np

from latitude.files.text import csv_text
from latitude.render.document import (
    Beside,
    Bullets,
    Card,
    Document,
    File,
    Part,
    Section,
    Table,
    origin,
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
    slope_sentence,
    tolerances,
)
from latitude.render.documents.efficiencies import efficiency_parts
from latitude.render.documents.model_section import closing, model_section
from latitude.render.documents.network_origin import network_sentence
from latitude.render.documents.pair_charts import path_pair_charts, slack_chart
from latitude.render.documents.path_shares import call_sites_parts, calls_section, split_table
from latitude.render.documents.slack import SLACK_NOTE, slack_table
from latitude.render.documents.waits import waits_by_call, waits_parts
from latitude.results.analysis import breakpoints_csv, call_sites_csv, efficiency_csv
from latitude.results.critical_path import ByRank
from latitude.results.messages import LISTED, PairsOnPath, slack_csv
from latitude.results.streamed import StreamedAnalysis
from latitude.results.waits import Waits
from latitude.units.quantities import counted, format_count, format_share, format_size, format_time

_PAIRS = 25
"""Pairs of ranks on the page."""
_BRIEF = 5
"""Pairs of ranks on the terminal."""


def streamed_document(found: StreamedAnalysis) -> Document:
    """The page, the terminal's text and the files."""
    answer = headline(found)
    return Document(
        kind=f"{found.theta.meaning} tolerance",
        name=found.provenance.name,
        title="latency tolerance",
        facts=facts(found),
        headline=answer,
        answer=[
            _baseline_sentence(found),
            (
                f"The trace was evaluated while it was read ({found.streamed.why}), in "
                f"{found.streamed.passes} passes, {format_size(found.streamed.bytes_read)} in all; "
                f"T{', λ and the critical path' if found.path else ' and λ'} are those of an "
                "analysis in memory."
            ),
            network_sentence(found.model.defaults, found.model.source),
        ],
        cards=_cards(found),
        parts=[
            runtime_chart(found, answer),
            tolerances(found),
            sensitivity_chart(found),
            Section("Curve", [_curve(found)], note=_curve_note(found), page=False),
            *_of_path(found),
            *_slack(found),
            _left_out(found),
            model_section(found),
        ],
        notices=found.warnings,
        files=_files(found),
        origin=origin(found.provenance),
        method=METHOD,
        closing=closing(found),
    )


def _curve_note(found: StreamedAnalysis) -> str:
    """What is listed of critical values, where no section of the critical path says so."""
    is_said_here = found.listed_until is not None and found.path is None
    return critical_note(found) if is_said_here else ""


def _latency(found: StreamedAnalysis) -> tuple[float, float] | None:
    """λ_L and ρ_L, where these are known: where θ is L."""
    if found.theta.name != "L":
        return None
    of = found.sensitivity
    if len(found.links.classes) == 1:
        return of.slope, of.share
    return None if found.path is None else (of.slope, found.path.latency_ns / (found.T_ns or 1.0))


def _baseline_sentence(found: StreamedAnalysis) -> str:
    known, theta = _latency(found), found.theta
    if known is not None:
        return baseline_sentence(found, *known)
    at = f"At {theta.symbol} = {theta.text(theta.base)} it runs {format_time(found.T_ns)}."
    return f"{at} {slope_sentence(found)}"


def _cards(found: StreamedAnalysis) -> list[Card]:
    known, of, symbol = _latency(found), found.sensitivity, found.theta.symbol
    if known is not None:
        return cards(found, *known)
    return cards(found, of.slope, of.share, f"dT/d{symbol}", symbol)


def _of_path(found: StreamedAnalysis) -> list[Part]:
    """All that comes of the pass along the critical path, where it was made."""
    sections: list[Part] = []
    if found.path is not None:
        parts = parts_of(found.path, found.T_ns)
        sections.append(split_chart(parts, found.T_ns))
        sections.append(
            Section(
                "Critical path",
                [split_table(parts)],
                note="" if found.listed_until is None else critical_note(found),
                page=False,
            )
        )
    if found.efficiency is not None:
        sections += efficiency_parts(found, found.efficiency)
    sections += call_sites_parts(found.by_call_site or [])
    if found.by_rank is not None and found.waits is not None:
        sections += _ranks(found.by_rank, found.waits, found.T_ns)
    if found.pairs is not None:
        sections += _pairs(found.pairs, found)
    if found.by_call is not None:
        sections.append(calls_section(found.by_call, found.T_ns, sited=bool(found.by_call_site)))
    return sections


def _slack(found: StreamedAnalysis) -> list[Part]:
    """What messages can take, where that was looked for and there are some."""
    slack = found.slack
    if slack is None or not slack.by_call:
        return []
    pairs = slack.listed_pairs
    listed = counted(len(pairs), "pair")
    all_listed = len(pairs) == slack.pairs
    return [
        *sizes_chart(slack, found.network.S),
        *([slack_chart(pairs, found.network.L, found.trace.ranks)] if all_listed else []),
        Section(
            "Slack of messages",
            [slack_table(slack, brief=True)],
            note=f"{SLACK_NOTE} slack.csv has {listed} of ranks, those with least slack.",
        ),
    ]


def _left_out(found: StreamedAnalysis) -> Section:
    """What an analysis in memory has besides, and why this one does not."""
    by_reason: dict[str, list[str]] = {}
    for each in found.left_out:
        by_reason.setdefault(each.why, []).append(each.what)
    said = [f"{why[0].upper()}{why[1:]}: {'; '.join(what)}." for why, what in by_reason.items()]
    return Section("Left out", [Bullets(said)], terminal=True)


def _files(found: StreamedAnalysis) -> list[File]:
    theta, efficiency, sites = found.sensitivity.theta, found.efficiency, found.by_call_site
    files = [File("streamed.json", found.to_json), File("curve.csv", lambda: _csv(found))]
    if efficiency is not None:
        files.append(File("efficiency.csv", lambda: efficiency_csv(efficiency, theta)))
    if found.listed_until is not None:
        files.append(File("breakpoints.csv", lambda: breakpoints_csv(found.breakpoints, theta)))
    if found.by_rank is not None:
        files.append(File("ranks.csv", found.by_rank.to_csv))
    if found.waits is not None:
        files.append(File("waits.csv", found.waits.times.to_csv))
        files.append(File("delays.csv", found.waits.delays.to_csv))
    if found.listed_pairs is not None:
        files.append(File("pairs.csv", found.listed_pairs.to_csv))
    slack = found.slack
    if slack is not None:
        files.append(File("slack.csv", lambda: slack_csv(slack, slack.listed_pairs)))
    if sites:
        files.append(File("call_sites.csv", lambda: call_sites_csv(sites)))
    return files


def _pairs(pairs: PairsOnPath, found: StreamedAnalysis) -> list[Part]:
    """Pairs of ranks with most latencies on the path, where there are some."""
    if not len(pairs):
        return []
    charts = Beside(path_pair_charts(pairs, found.trace.ranks, found.links))
    order = np.lexsort((-pairs.lambda_G, -pairs.lambda_L))
    top = pairs.at(order[pairs.lambda_L[order] > 0][:_PAIRS])
    if not len(top):
        return [charts]
    rows = [
        (f"{source} → {destination}", f"{messages:,}", format_size(size), *map(format_count, path))
        for source, destination, messages, size, *path in top.rows()
    ]
    listed = counted(min(len(pairs), LISTED), "pair")
    return [
        charts,
        Section(
            "Pairs of ranks on the critical path",
            [Table(("ranks", "messages", "sent", "latencies λ", "bytes λ_G"), rows, brief=_BRIEF)],
            note=f"Those with most latencies; pairs.csv has {listed}.",
        ),
    ]


def _ranks(ranks: ByRank, waits: Waits, runtime_ns: float) -> list[Part]:
    """Where ranks' time goes, who makes whom wait, and where the path is."""
    most = int(ranks.path_ns.argmax())
    note = (
        f"Of a rank on average. The critical path is longest on rank {most}: "
        f"{format_share(ranks.path_ns[most] / (runtime_ns or 1.0))} of T."
    )
    return [*waits_parts(waits, note), *waits_by_call(waits)]


def _curve(found: StreamedAnalysis) -> Table:
    theta = found.sensitivity.theta
    curve = found.curve
    rows = [
        (theta.text(value), format_time(runtime, 5), format_count(slope), format_share(share))
        for value, runtime, slope, share in zip(
            curve.value.tolist(),
            curve.T_ns.tolist(),
            curve.slope.tolist(),
            curve.share.tolist(),
            strict=True,
        )
    ]
    return Table((theta.symbol, "T", "λ", "ρ"), rows, brief=len(rows))


def _csv(found: StreamedAnalysis) -> str:
    curve = found.curve
    rows = zip(curve.value, curve.T_ns, curve.slope, curve.share, strict=True)
    return csv_text([found.sensitivity.theta.column, "T_ns", "lambda", "rho"], rows)
