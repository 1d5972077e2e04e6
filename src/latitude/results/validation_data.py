"""A validation as plain data: JSON of schema `latitude.validation/1`, CSV."""

from dataclasses import asdict
from typing import Any

from latitude.experiments.validation.result import Level, Validation
from latitude.files.text import csv_text, finite, json_text
from latitude.results.assumptions import Assumptions

SCHEMA = "latitude.validation/1"


def to_dict(result: Validation) -> dict[str, Any]:
    """The result as `latitude.validation/1`; what has no finite value is None."""
    prediction = result.prediction
    return {
        "schema": SCHEMA,
        "provenance": asdict(result.provenance),
        "program": result.program,
        "command": list(result.command),
        "intra_node": result.intra_node,
        "base_L_ns": result.base_ns,
        "order_seed": result.seed,
        "trace": asdict(result.trace),
        "traces": result.traces,
        "model": Assumptions.of(
            result.network, result.trace.ranks, result.collectives, result.reduce_ns_per_byte
        ).plain(),
        "network_source": result.network_source,
        "rrmse": finite(result.rrmse),
        "rmse_ns": finite(result.rmse_ns),
        "spread": finite(result.spread),
        "shifted_rrmse": finite(result.shifted_rrmse),
        "model_alone": None
        if result.model_alone is None
        else {
            "rrmse": finite(result.model_alone_rrmse),
            "predicted_ns": [level.predicted_ns for level in result.model_alone],
        },
        "levels": [
            _level(level, float(least), float(most))
            for level, least, most in zip(
                result.levels, prediction.least_T_ns, prediction.most_T_ns, strict=True
            )
        ],
        "tolerance": [
            {
                "degradation": each.degradation,
                "predicted_delta_L_ns": finite(each.predicted_ns),
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
        "median_ns": finite(level.median_ns),
        "error": finite(level.error),
        "spread": finite(level.spread),
        "inside": level.inside,
    }


def to_json(result: Validation) -> str:
    """As JSON text."""
    return json_text(to_dict(result))


def to_csv(result: Validation) -> str:
    """One row a run, with what was predicted for its ΔL."""
    rows = (
        (
            level.delta_ns,
            measured,
            f"{level.predicted_ns:.1f}",
            f"{level.predicted_ns / measured - 1:.6f}",
        )
        for level in result.levels
        for measured in level.measured_ns
    )
    return csv_text(("delta_L_ns", "measured_ns", "predicted_ns", "error"), rows)
