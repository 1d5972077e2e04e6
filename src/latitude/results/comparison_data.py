"""Comparisons as plain data: the JSON of schema `latitude.comparison/1` and CSV tables."""

from dataclasses import asdict
from typing import Any

from latitude.analysis.compare import Compared, Comparison
from latitude.files.text import csv_text, finite, json_text
from latitude.model.placement import Placement

SCHEMA = "latitude.comparison/1"


def to_dict(comparison: Comparison) -> dict[str, Any]:
    """The result as `latitude.comparison/1`; infinite values become None (JSON's null)."""
    theta = comparison.theta
    return {
        "schema": SCHEMA,
        "provenance": asdict(comparison.provenance),
        "trace": asdict(comparison.trace),
        "theta": {"name": theta.name, "meaning": theta.meaning, "unit": theta.unit},
        "interval": {"low": comparison.interval[0], "high": comparison.interval[1]},
        "alternatives": [
            _alternative(found, comparison.trace.ranks) for found in comparison.alternatives
        ],
        "warnings": [notice.to_json() for notice in comparison.warnings],
    }


def to_json(comparison: Comparison) -> str:
    """The result as JSON text."""
    return json_text(to_dict(comparison))


def _alternative(found: Compared, ranks: int) -> dict[str, Any]:
    network = found.network
    placed = network.placement is not None or network.topology is not None
    return {
        "label": found.label,
        "choices": found.choices,
        "graph": asdict(found.graph),
        "collectives": found.collectives,
        "network": network.describe(),
        "topology": None if network.topology is None else network.topology.describe(),
        "placement": (network.placement or Placement()).describe(ranks) if placed else None,
        "base": found.theta.base,
        "T_ns": found.T_ns,
        "lambda": found.slope,
        "rho": found.share,
        "tolerance": [
            {
                "degradation": tolerance.degradation,
                "T_limit_ns": tolerance.T_limit_ns,
                "value": finite(tolerance.value),
                "delta": finite(tolerance.delta),
            }
            for tolerance in found.tolerance
        ],
        "curve": {
            "value": found.curve.value.tolist(),
            "T_ns": found.curve.T_ns.tolist(),
            "lambda": found.curve.slope.tolist(),
            "rho": found.curve.share.tolist(),
        },
    }


def table_csv(comparison: Comparison) -> str:
    """One row an alternative."""
    theta, first = comparison.theta, comparison.alternatives[0]
    header = [
        "alternative", *first.choices, theta.column, "T_ns", f"lambda_{theta.symbol}",
        f"rho_{theta.symbol}",
        *(f"delta_{theta.column}_at_{t.degradation:g}" for t in first.tolerance),
    ]  # fmt: skip
    rows = [
        (
            found.label,
            *found.choices.values(),
            found.theta.base,
            found.T_ns,
            found.slope,
            found.share,
            *(tolerance.delta for tolerance in found.tolerance),
        )
        for found in comparison.alternatives
    ]
    return csv_text(header, rows)


def curves_csv(comparison: Comparison) -> str:
    """T of every alternative (ns): one row a value of θ, one column an alternative."""
    curves = [found.curve for found in comparison.alternatives]
    header = [comparison.theta.column, *(found.label for found in comparison.alternatives)]
    columns = (curves[0].value.tolist(), *(curve.T_ns.tolist() for curve in curves))
    return csv_text(header, zip(*columns, strict=True))
