"""Results as plain data: the JSON of schema `latitude.analysis/1` and CSV tables."""

import csv
import io
import json
import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from latitude.network import Network
from latitude.results import Analysis, Pairs

SCHEMA = "latitude.analysis/1"


def to_dict(analysis: Analysis) -> dict[str, Any]:
    """The result as `latitude.analysis/1`; infinite values become None (JSON's null)."""
    curve, breakpoints, trace = analysis.curve, analysis.breakpoints, analysis.trace
    return {
        "schema": SCHEMA,
        "provenance": asdict(analysis.provenance),
        "trace": asdict(trace),
        "graph": asdict(analysis.graph),
        "model": model_dict(analysis.network, analysis.collectives, analysis.reduce_ns_per_byte),
        "baseline": asdict(analysis.baseline),
        "interval": {"low_ns": analysis.interval_ns[0], "high_ns": analysis.interval_ns[1]},
        "tolerance": [
            {
                "degradation": _finite(t.degradation),
                "T_limit_ns": t.T_limit_ns,
                "L_ns": _finite(t.L_ns),
                "delta_L_ns": _finite(t.delta_L_ns),
            }
            for t in analysis.tolerance
        ],
        "curve": {
            "L_ns": curve.L_ns.tolist(),
            "T_ns": curve.T_ns.tolist(),
            "lambda_L": curve.lambda_L.tolist(),
            "rho_L": curve.rho_L.tolist(),
        },
        "breakpoints": [
            {"L_ns": L, "T_ns": T, "lambda_left": left, "lambda_right": right}
            for L, T, left, right in zip(
                breakpoints.L_ns.tolist(),
                breakpoints.T_ns.tolist(),
                breakpoints.lambda_left.tolist(),
                breakpoints.lambda_right.tolist(),
                strict=True,
            )
        ],
        "critical_path": [stay.to_json() for stay in analysis.critical_path],
        "by_rank": _by_rank(analysis),
        "by_call": [share.to_json() for share in analysis.by_call],
        "by_call_site": [share.to_json() for share in analysis.by_call_site],
        "pairs": _pairs(analysis.pairs),
        "slack": _slack(analysis),
        "warnings": [notice.to_json() for notice in analysis.warnings],
    }


def to_json(analysis: Analysis) -> str:
    """The result as JSON text."""
    return json_text(to_dict(analysis))


def json_text(document: dict[str, Any]) -> str:
    """A document as JSON text: one line a field, and one a row of each list of rows."""
    lines = [f"{_compact(key)}: {_rows(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rows(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return _compact(value)
    return "[\n  " + ",\n  ".join(_compact(row) for row in value) + "\n]"


def _compact(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def model_dict(network: Network, collectives: str, reduce_ns_per_byte: float) -> dict[str, Any]:
    """The `model` of a result."""
    return {
        "L_ns": network.L,
        "o_ns": network.o,
        "g_ns": network.g,
        "O_ns_per_byte": network.O,
        "G_ns_per_byte": network.G,
        "S_bytes": network.S,
        "rendezvous": network.rendezvous,
        "topology": "one latency class",
        "mapping": None,
        "collectives": collectives,
        "reduce_ns_per_byte": reduce_ns_per_byte,
        "defaults": list(network.defaults()),
    }


def _by_rank(analysis: Analysis) -> list[dict[str, Any]]:
    ranks = analysis.by_rank
    columns = [
        values.tolist()
        for values in (ranks.calc_ns, ranks.overhead_ns, ranks.wait_ns, ranks.end_ns, ranks.path_ns)
    ]
    return [
        {
            "rank": rank,
            "calc_ns": calc,
            "overhead_ns": overhead,
            "wait_ns": wait,
            "end_ns": end,
            "path_ns": path,
        }
        for rank, (calc, overhead, wait, end, path) in enumerate(zip(*columns, strict=True))
    ]


def _pairs(pairs: Pairs) -> list[dict[str, Any]]:
    exact = ("source", "destination", "messages", "bytes", "lambda_L")
    columns = [getattr(pairs, name).tolist() for name in exact]
    slack = [
        [_finite(value) for value in values.tolist()]
        for values in (pairs.least_slack_ns, pairs.mean_slack_ns)
    ]
    names = (*exact, "least_slack_ns", "mean_slack_ns")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, *slack, strict=True)]


def _slack(analysis: Analysis) -> dict[str, Any]:
    pairs = analysis.pairs
    messages = int(pairs.messages.sum())
    if messages == 0:
        return {"pairs": 0, "critical_pairs": 0, "least_ns": None, "mean_ns": None}
    return {
        "pairs": int(pairs.source.size),
        "critical_pairs": int(np.sum(pairs.least_slack_ns == 0)),
        "least_ns": _finite(float(pairs.least_slack_ns.min())),
        "mean_ns": _finite(float(np.dot(pairs.mean_slack_ns, pairs.messages) / messages)),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def curve_csv(analysis: Analysis) -> str:
    """The curve as CSV: one row a latency."""
    curve = analysis.curve
    delta = curve.L_ns - analysis.baseline.L_ns
    return _csv(
        ("L_ns", "delta_L_ns", "T_ns", "lambda_L", "rho_L"),
        zip(
            *(c.tolist() for c in (curve.L_ns, delta, curve.T_ns, curve.lambda_L, curve.rho_L)),
            strict=True,
        ),
    )


def breakpoints_csv(analysis: Analysis) -> str:
    """The critical latencies as CSV: one row each."""
    found = analysis.breakpoints
    columns = (found.L_ns, found.T_ns, found.lambda_left, found.lambda_right)
    return _csv(
        ("L_ns", "T_ns", "lambda_left", "lambda_right"),
        zip(*(column.tolist() for column in columns), strict=True),
    )


def call_sites_csv(analysis: Analysis) -> str:
    """What each call site has on the critical path as CSV: one row each, most latency first."""
    header = (
        "where", "function", "file", "line", "module", "calls", "count", "lambda_L", "latency_ns",
        "network_ns", "overhead_ns", "calc_ns", "before_ns", "share", "bytes_sent",
        "bytes_received", "least_slack_ns", "sent_from",
    )  # fmt: skip
    rows = []
    for share in analysis.by_call_site:
        row = share.to_json()
        row["calls"] = " ".join(share.calls)
        row["sent_from"] = share.sent_from.where if share.sent_from else None
        rows.append(tuple(row[name] for name in header))
    return _csv(header, rows)


def _csv(header: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
