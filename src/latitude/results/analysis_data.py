"""Results as plain data: the JSON of schema `latitude.analysis/1` and CSV tables."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude.analysis.pairs import Pairs
from latitude.analysis.slack import SlackGroup
from latitude.files.text import csv_text, finite, json_text
from latitude.model.links import Links, describe_links
from latitude.model.network import Network
from latitude.model.placement import Placement
from latitude.results.analysis import Analysis

Floats = NDArray[np.float64]

SCHEMA = "latitude.analysis/1"


def to_dict(analysis: Analysis) -> dict[str, Any]:
    """The result as `latitude.analysis/1`; infinite values become None (JSON's null)."""
    return {
        "schema": SCHEMA,
        "provenance": asdict(analysis.provenance),
        "trace": asdict(analysis.trace),
        "graph": asdict(analysis.graph),
        "model": model_dict(
            analysis.network,
            analysis.trace.ranks,
            analysis.collectives,
            analysis.reduce_ns_per_byte,
        ),
        "baseline": asdict(analysis.baseline),
        "theta": _theta(analysis),
        **_of_theta(analysis),
        "critical_path": [stay.to_json() for stay in analysis.critical_path],
        "by_rank": _by_rank(analysis),
        "by_call": [share.to_json() for share in analysis.by_call],
        "by_call_site": [share.to_json() for share in analysis.by_call_site],
        "pairs": _pairs(analysis.pairs),
        "slack": _slack(analysis),
        "near_paths": [path.to_json() for path in analysis.near_paths],
        "warnings": [notice.to_json() for notice in analysis.warnings],
    }


def _theta(analysis: Analysis) -> dict[str, Any]:
    """What was varied, and how T depends on it at the baseline."""
    theta, sensitivity = analysis.theta, analysis.sensitivity
    return {
        "name": theta.name,
        "meaning": theta.meaning,
        "unit": theta.unit,
        "base": theta.base,
        "lambda": sensitivity.slope,
        "lambda_left": sensitivity.slope_left,
        "lambda_right": sensitivity.slope_right,
        "rho": sensitivity.share,
    }


@dataclass(frozen=True, slots=True)
class _Names:
    """Keys of what is a function of θ."""

    value: str
    delta: str
    slope: str
    share: str
    low: str
    high: str


_OF_L = _Names("L_ns", "delta_L_ns", "lambda_L", "rho_L", "low_ns", "high_ns")
_OF_ANY = _Names("value", "delta", "lambda", "rho", "low", "high")


def _of_theta(analysis: Analysis) -> dict[str, Any]:
    """What is a function of θ: with the names of L, or of any other parameter."""
    names = _OF_L if analysis.theta.name == "L" else _OF_ANY
    curve, breakpoints = analysis.curve, analysis.breakpoints
    low, high = analysis.interval
    return {
        "interval": {names.low: low, names.high: high},
        "tolerance": [
            {
                "degradation": finite(t.degradation),
                "T_limit_ns": t.T_limit_ns,
                names.value: finite(t.value),
                names.delta: finite(t.delta),
            }
            for t in analysis.tolerance
        ],
        "curve": {
            names.value: curve.value.tolist(),
            "T_ns": curve.T_ns.tolist(),
            names.slope: curve.slope.tolist(),
            names.share: curve.share.tolist(),
        },
        "breakpoints": [
            {names.value: value, "T_ns": T, "lambda_left": left, "lambda_right": right}
            for value, T, left, right in zip(
                breakpoints.value.tolist(),
                breakpoints.T_ns.tolist(),
                breakpoints.lambda_left.tolist(),
                breakpoints.lambda_right.tolist(),
                strict=True,
            )
        ],
    }


def to_json(analysis: Analysis) -> str:
    """The result as JSON text: one line a field, and one a row of each list of rows."""
    return json_text(to_dict(analysis))


def model_dict(
    network: Network, ranks: int, collectives: str, reduce_ns_per_byte: float
) -> dict[str, Any]:
    """The `model` of a result about a program of `ranks` ranks."""
    links = network.links(ranks)
    return {
        "L_ns": links.classes[0].L,
        "o_ns": network.o,
        "g_ns": network.g,
        "O_ns_per_byte": network.O,
        "G_ns_per_byte": network.G,
        "S_bytes": network.S,
        "rendezvous": network.rendezvous,
        "gap": network.gap,
        "compute_scale": network.compute_scale,
        "topology": describe_links(network.topology, links),
        "mapping": _mapping(network, ranks, links),
        "classes": [
            {
                "name": link.name,
                "L_ns": link.L,
                "G_ns_per_byte": link.G,
                "switches": link.switches,
                "rank_pairs": link.pairs,
            }
            for link in links.classes
        ],
        "collectives": collectives,
        "reduce_ns_per_byte": reduce_ns_per_byte,
        "defaults": list(network.defaults()),
    }


def _mapping(network: Network, ranks: int, links: Links) -> str | None:
    if links.node_of_rank is None:
        return None
    return (network.placement or Placement()).describe(ranks)


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
    exact = ("source", "destination", "messages", "bytes", "lambda_L", "lambda_G")
    columns = [getattr(pairs, name).tolist() for name in exact]
    slack = [
        [finite(value) for value in values.tolist()]
        for values in (pairs.least_slack_ns, pairs.mean_slack_ns)
    ]
    names = (*exact, "least_slack_ns", "mean_slack_ns")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, *slack, strict=True)]


def _slack(analysis: Analysis) -> dict[str, Any]:
    pairs = analysis.pairs
    messages = int(pairs.messages.sum())
    groups = {
        "by_call": [_group(row) for row in analysis.slack.by_call],
        "by_comm": [_group(row) for row in analysis.slack.by_comm],
    }
    if messages == 0:
        return {"pairs": 0, "critical_pairs": 0, "least_ns": None, "mean_ns": None, **groups}
    return {
        "pairs": int(pairs.source.size),
        "critical_pairs": int(np.sum(pairs.least_slack_ns == 0)),
        "least_ns": finite(float(pairs.least_slack_ns.min())),
        "mean_ns": finite(float(np.dot(pairs.mean_slack_ns, pairs.messages) / messages)),
        **groups,
    }


def _group(row: SlackGroup) -> dict[str, Any]:
    return {**asdict(row), "least_ns": finite(row.least_ns), "mean_ns": finite(row.mean_ns)}


def curve_csv(analysis: Analysis) -> str:
    """The curve as CSV: one row a value of θ."""
    columns = curve_columns(analysis)
    return csv_text(tuple(columns), zip(*(c.tolist() for c in columns.values()), strict=True))


def curve_columns(analysis: Analysis) -> dict[str, Floats]:
    """The curve's columns by name: L_ns, delta_L_ns, T_ns, lambda_L, rho_L, or those of θ."""
    curve, theta = analysis.curve, analysis.theta
    return {
        theta.column: curve.value,
        f"delta_{theta.column}": curve.value - theta.base,
        "T_ns": curve.T_ns,
        f"lambda_{theta.symbol}": curve.slope,
        f"rho_{theta.symbol}": curve.share,
    }


def breakpoints_csv(analysis: Analysis) -> str:
    """The critical values as CSV: one row each."""
    found = analysis.breakpoints
    columns = (found.value, found.T_ns, found.lambda_left, found.lambda_right)
    return csv_text(
        (analysis.theta.column, "T_ns", "lambda_left", "lambda_right"),
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
    return csv_text(header, rows)


def slack_csv(analysis: Analysis) -> str:
    """Slack by rank pair, MPI call and communicator as CSV."""
    pairs = analysis.pairs
    critical, tight = analysis.slack.by_pair(pairs, analysis.baseline.L_ns)
    columns = (
        pairs.source,
        pairs.destination,
        pairs.messages,
        critical,
        tight,
        pairs.least_slack_ns,
        pairs.mean_slack_ns,
    )
    rows = [
        ("pair", f"{source}->{destination}", *rest)
        for source, destination, *rest in zip(*(c.tolist() for c in columns), strict=True)
    ]
    for by, groups in (("call", analysis.slack.by_call), ("communicator", analysis.slack.by_comm)):
        rows += [(by, *asdict(group).values()) for group in groups]
    header = ("by", "name", "messages", "critical", "tight", "least_slack_ns", "mean_slack_ns")
    return csv_text(header, rows)
