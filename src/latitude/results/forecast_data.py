"""A forecast as plain data: JSON of schema `latitude.forecast/1`."""

from dataclasses import asdict
from typing import Any

import numpy as np

from latitude.files.text import finite, json_text
from latitude.random.forecast.estimate import Estimate
from latitude.random.forecast.result import Forecast
from latitude.random.forecast.source import Source
from latitude.random.forecast.tolerance import Tolerance, Tolerated
from latitude.results.assumptions import Assumptions

SCHEMA = "latitude.forecast/1"
_POINTS = 201
"""Of the distribution function, equally far apart in probability."""


def to_dict(result: Forecast) -> dict[str, Any]:
    """The result as `latitude.forecast/1`; what has no finite value is None."""
    return {
        "schema": SCHEMA,
        "provenance": asdict(result.provenance),
        "trace": asdict(result.trace),
        "graph": result.graph.plain(),
        "model": Assumptions.of(
            result.network, result.trace.ranks, result.collectives, result.reduce_ns_per_byte
        ).plain(),
        "random": _random(result),
        "samples": result.samples,
        "runtime": {
            "mean_ns": _estimate(result.mean),
            "sd_ns": _estimate(result.sd),
            "least_ns": float(result.T_ns.min()),
            "most_ns": float(result.T_ns.max()),
        },
        "quantiles": [{"probability": p, **_estimate(e)} for p, e in result.quantiles()],
        "compared": {
            "T0_ns": result.T0_ns,
            "T_mean_latency_ns": result.T_mean_ns,
            "slowdown": result.slowdown(result.mean.value),
            "slowdown_of_mean_latency": result.slowdown(result.T_mean_ns),
            "jensen_ns": _estimate(result.jensen),
        },
        "bounds": {"mean_at_least_ns": result.T_mean_ns, "never_more_than_ns": result.T_most_ns},
        "tolerance": [_tolerance(t, result.question.probability) for t in result.tolerance],
        "criticality": {
            "samples": result.criticality.samples,
            "calls": [asdict(call) for call in result.criticality.calls],
            "call_sites": [asdict(site) for site in result.criticality.call_sites],
        },
        "pairs": [asdict(pair) for pair in result.criticality.pairs],
        "distribution": _distribution(result),
        "warnings": [notice.to_json() for notice in result.warnings],
    }


def to_json(result: Forecast) -> str:
    """As JSON text."""
    return json_text(to_dict(result))


def samples_csv(result: Forecast) -> str:
    """One row a sample."""
    rows = "".join(f"{i},{T!r}\n" for i, T in enumerate(result.T_ns.tolist()))
    return "sample,T_ns\n" + rows


def _random(result: Forecast) -> dict[str, Any]:
    random = result.random
    return {
        "latency": _source(random.latency),
        "meaning": "total" if random.total else "added",
        "where": random.where,
        "per": random.per,
        "noise": None if random.noise is None else _factors(random.noise),
        "noise_per": random.noise_per,
        "seed": random.seed,
        **asdict(result.engine),
    }


def _source(source: Source) -> dict[str, Any]:
    return {
        "text": source.text,
        "mean_ns": source.mean,
        "sd_ns": source.sd,
        "p50_ns": source.quantile(0.5),
        "p99_ns": source.quantile(0.99),
        "p999_ns": source.quantile(0.999),
        "most_ns": float(source.values[-1]),
    }


def _factors(source: Source) -> dict[str, Any]:
    return {"text": source.text, "sd": source.sd, "most": float(source.values[-1])}


def _tolerance(tolerance: Tolerance, probability: float) -> dict[str, Any]:
    return {
        "degradation": tolerance.degradation,
        "probability": probability,
        "limit_ns": tolerance.limit_ns,
        "constant_ns": finite(tolerance.constant_ns),
        "scaled": _tolerated(tolerance.scaled),
        "spread_possible": tolerance.spread_possible,
        "spread": _tolerated(tolerance.spread),
    }


def _tolerated(found: Tolerated | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "scale": found.scale,
        "mean_ns": found.mean_ns,
        "sd_ns": found.sd_ns,
        "p99_ns": found.p99_ns,
        "share_within": _estimate(found.probability),
    }


def _distribution(result: Forecast) -> dict[str, list[float]]:
    at = np.linspace(0, 1, _POINTS)
    return {"probability": at.tolist(), "T_ns": np.quantile(result.T_ns, at).tolist()}


def _estimate(found: Estimate) -> dict[str, float | None]:
    return {"value": found.value, "low": finite(found.low), "high": finite(found.high)}
