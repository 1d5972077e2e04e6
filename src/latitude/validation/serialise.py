"""A validation as plain data: JSON of schema `latitude.validation/1`, CSV."""

import csv
import io
import math
from dataclasses import asdict
from typing import Any

from latitude.serialise import json_text, model_dict
from latitude.validation.result import Level, Validation

SCHEMA = "latitude.validation/1"


def to_dict(result: Validation) -> dict[str, Any]:
    """The result as `latitude.validation/1`; what has no finite value is None."""
    prediction = result.prediction
    return {
        "schema": SCHEMA,
        "provenance": asdict(result.provenance),
        "command": list(result.command),
        "intra_node": result.intra_node,
        "order_seed": result.seed,
        "trace": asdict(result.trace),
        "traces": result.traces,
        "model": model_dict(
            result.network, result.trace.ranks, result.collectives, result.reduce_ns_per_byte
        ),
        "network_source": result.network_source,
        "rrmse": _number(result.rrmse),
        "rmse_ns": _number(result.rmse_ns),
        "spread": _number(result.spread),
        "shifted_rrmse": _number(result.shifted_rrmse),
        "levels": [
            _level(level, float(least), float(most))
            for level, least, most in zip(
                result.levels, prediction.least_T_ns, prediction.most_T_ns, strict=True
            )
        ],
        "tolerance": [
            {
                "degradation": each.degradation,
                "predicted_delta_L_ns": _number(each.predicted_ns),
                "measured_delta_L_ns": each.measured_ns,
            }
            for each in result.tolerated
        ],
        "curve": {
            "delta_L_ns": prediction.curve_delta_ns.tolist(),
            "T_ns": prediction.curve_T_ns.tolist(),
        },
        "failures": [
            {
                "delta_L_ns": run.delta_ns,
                "repetition": run.repetition,
                "why": run.failure,
                "exit_status": run.exit_status,
                "output": run.output,
            }
            for run in result.failures
        ],
        "warnings": [notice.to_json() for notice in result.warnings],
    }


def _level(level: Level, least: float, most: float) -> dict[str, Any]:
    return {
        "delta_L_ns": level.delta_ns,
        "predicted_ns": level.predicted_ns,
        "predicted_least_ns": least,
        "predicted_most_ns": most,
        "lambda_L": level.lambda_L,
        "measured_ns": list(level.measured_ns),
        "median_ns": _number(level.median_ns),
        "error": _number(level.error),
        "spread": _number(level.spread),
        "inside": level.inside,
    }


def to_json(result: Validation) -> str:
    """As JSON text."""
    return json_text(to_dict(result))


def to_csv(result: Validation) -> str:
    """One row a run, with what was predicted for its ΔL."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("delta_L_ns", "measured_ns", "predicted_ns", "error"))
    for level in result.levels:
        for measured in level.measured_ns:
            error = level.predicted_ns / measured - 1
            writer.writerow((level.delta_ns, measured, f"{level.predicted_ns:.1f}", f"{error:.6f}"))
    return text.getvalue()


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
