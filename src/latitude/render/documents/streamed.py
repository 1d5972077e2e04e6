"""What an analysis of a trace that was evaluated while it was read says."""

import math

import numpy as np

from latitude.files.text import csv_text
from latitude.render.document import Document, File, Section, Table, origin
from latitude.render.documents.efficiencies import INDENTED, share_text
from latitude.render.documents.network_origin import network_sentence
from latitude.render.documents.path_shares import call_sites_parts, calls_section, split_table
from latitude.results.analysis import call_sites_csv, efficiency_csv
from latitude.results.critical_path import ByRank
from latitude.results.efficiency import PredictedEfficiency
from latitude.results.messages import LISTED, PairsOnPath
from latitude.results.streamed import PathParts, StreamedAnalysis
from latitude.units.quantities import (
    counted,
    format_count,
    format_share,
    format_size,
    format_time,
)

_PAIRS = 25
"""Pairs of ranks on the page."""
_BRIEF = 5
"""Pairs of ranks on the terminal."""


def streamed_document(found: StreamedAnalysis) -> Document:
    """The terminal's text and the files."""
    theta = found.sensitivity.theta
    share = format_share(found.sensitivity.share)
    return Document(
        kind=f"{theta.meaning} tolerance",
        name=found.provenance.name,
        title="latency tolerance",
        facts=[
            counted(found.trace.ranks, "rank"),
            f"{format_count(found.trace.events or 0)} MPI calls",
            counted(found.graph.messages, "message"),
        ],
        headline=(
            f"T = {format_time(found.T_ns, 5)}, of which {share} is {theta.meaning}: "
            f"λ = {format_count(found.sensitivity.slope)}."
        ),
        answer=[
            (
                f"The trace was evaluated while it was read ({found.streamed.why}), in "
                f"{found.streamed.passes} passes, {format_size(found.streamed.bytes_read)} in all; "
                f"T{', λ and the critical path' if found.path else ' and λ'} are those of an "
                "analysis in memory."
            ),
            network_sentence(found.model.defaults, found.model.source),
        ],
        parts=[
            Section("Tolerances", [_tolerances(found)]),
            Section("Curve", [_curve(found)]),
            *_of_path(found),
            _left_out(found),
        ],
        notices=found.warnings,
        files=_files(found),
        origin=origin(found.provenance),
        has_page=False,
    )


def _of_path(found: StreamedAnalysis) -> list[Section]:
    """All that comes of the pass along the critical path, where it was made."""
    sections = []
    if found.efficiency is not None:
        sections.append(Section("Efficiency", [_efficiency(found.efficiency)]))
    if found.path is not None:
        sections.append(Section("Critical path", [split_table(_parts(found.path, found.T_ns))]))
    sections += call_sites_parts(found.by_call_site or [])
    if found.by_call is not None:
        sections.append(calls_section(found.by_call, found.T_ns, sited=bool(found.by_call_site)))
    if found.pairs is not None:
        sections += _pairs(found.pairs)
    if found.by_rank is not None:
        sections.append(_ranks(found.by_rank, found.T_ns))
    return sections


def _left_out(found: StreamedAnalysis) -> Section:
    """What an analysis in memory has besides, and why this one does not."""
    by_reason: dict[str, list[str]] = {}
    for each in found.left_out:
        by_reason.setdefault(each.why, []).append(each.what)
    said = [f"{why[0].upper()}{why[1:]}: {'; '.join(what)}." for why, what in by_reason.items()]
    return Section("Left out", reading=" ".join(said), terminal=True)


def _files(found: StreamedAnalysis) -> list[File]:
    theta, efficiency, sites = found.sensitivity.theta, found.efficiency, found.by_call_site
    files = [File("streamed.json", found.to_json), File("curve.csv", lambda: _csv(found))]
    if efficiency is not None:
        files.append(File("efficiency.csv", lambda: efficiency_csv(efficiency, theta)))
    if found.by_rank is not None:
        files.append(File("ranks.csv", found.by_rank.to_csv))
    if found.listed_pairs is not None:
        files.append(File("pairs.csv", found.listed_pairs.to_csv))
    if sites:
        files.append(File("call_sites.csv", lambda: call_sites_csv(sites)))
    return files


def _parts(path: PathParts, runtime_ns: float) -> list[tuple[str, float, float]]:
    """Name, ns and share of the four parts of T."""
    parts = (
        ("computation", path.calc_ns),
        ("overhead o", path.overhead_ns),
        ("latency", path.latency_ns),
        ("bandwidth", path.bandwidth_ns),
    )
    return [(name, ns, ns / (runtime_ns or 1.0)) for name, ns in parts]


def _efficiency(found: PredictedEfficiency) -> Table:
    """Each factor below what it is a factor of."""
    rows = [(name, share_text(found.predicted, key)) for key, name in INDENTED.items()]
    return Table(("", "predicted"), rows, brief=len(rows))


def _pairs(pairs: PairsOnPath) -> list[Section]:
    """Pairs of ranks with most latencies on the path, where there are some."""
    order = np.lexsort((-pairs.lambda_G, -pairs.lambda_L))
    top = pairs.at(order[pairs.lambda_L[order] > 0][:_PAIRS])
    if not len(top):
        return []
    rows = [
        (f"{source} → {destination}", f"{messages:,}", format_size(size), *map(format_count, path))
        for source, destination, messages, size, *path in top.rows()
    ]
    listed = counted(min(len(pairs), LISTED), "pair")
    return [
        Section(
            "Pairs of ranks on the critical path",
            [Table(("ranks", "messages", "sent", "latencies λ", "bytes λ_G"), rows, brief=_BRIEF)],
            note=f"Those with most latencies; pairs.csv has {listed}.",
        )
    ]


def _ranks(ranks: ByRank, runtime_ns: float) -> Section:
    """Where ranks' time goes, and the path is."""
    most = int(ranks.path_ns.argmax())
    mean = [float(part.mean()) for part in (ranks.calc_ns, ranks.overhead_ns, ranks.wait_ns)]
    names = ("computation", "overhead", "waiting")
    end = float(ranks.end_ns.mean())
    return Section(
        "Where ranks' time goes",
        [split_table((name, ns, ns / (end or 1.0)) for name, ns in zip(names, mean, strict=True))],
        note=f"Of a rank on average. The critical path is longest on rank {most}: "
        f"{format_share(ranks.path_ns[most] / (runtime_ns or 1.0))} of T.",
    )


def _tolerances(found: StreamedAnalysis) -> Table:
    theta = found.sensitivity.theta
    rows = [
        (
            format_share(each.degradation),
            format_time(each.T_limit_ns, 5),
            "any" if math.isinf(each.value) else theta.text(each.value),
            "any" if math.isinf(each.delta) else theta.difference(each.delta),
        )
        for each in found.tolerance
    ]
    symbol = theta.symbol
    return Table(("slower by at most", "T", f"up to {symbol}", f"Δ{symbol}"), rows, brief=len(rows))


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
