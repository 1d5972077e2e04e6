"""What an analysis of a trace that was evaluated while it was read says."""

import math

from latitude.files.text import csv_text
from latitude.render.document import Document, File, Section, Table, origin
from latitude.render.documents.network_origin import network_sentence
from latitude.results.streamed import StreamedAnalysis
from latitude.units.quantities import (
    counted,
    format_count,
    format_share,
    format_size,
    format_time,
)


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
                "T and λ are those of an analysis in memory."
            ),
            network_sentence(found.model.defaults, found.model.source),
        ],
        parts=[
            Section("Tolerances", [_tolerances(found)]),
            Section("Curve", [_curve(found)]),
            Section(
                "Left out",
                reading="These need the whole graph in memory (--in-memory): "
                + ", ".join(found.left_out)
                + ".",
                terminal=True,
            ),
        ],
        notices=found.warnings,
        files=[File("streamed.json", found.to_json), File("curve.csv", lambda: _csv(found))],
        origin=origin(found.provenance),
        has_page=False,
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
