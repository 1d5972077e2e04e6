"""The experiment as plain data: JSON of schema `latitude.variation/1`, and its runs as CSV."""

from dataclasses import asdict
from typing import Any

from latitude.experiments.variation.result import Study, Variation
from latitude.files.text import json_text
from latitude.model.network import Network
from latitude.results.assumptions import Assumptions
from latitude.statistics.mean_and_spread import Plane, correlated_dict

SCHEMA = "latitude.variation/1"


def to_dict(result: Variation) -> dict[str, Any]:
    """The result as `latitude.variation/1`."""
    random = result.random
    return {
        "schema": SCHEMA,
        "provenance": asdict(result.provenance),
        "random": {
            "where": random.where,
            "per": random.per,
            "meaning": "total" if random.total else "added",
            "noise": None if random.noise is None else random.noise.text,
            "noise_per": random.noise_per,
            "seed": random.seed,
        },
        "design": {
            "text": result.design.base.text,
            "lognormal": result.design.base.in_words(),
            "fitted": result.design.base.fitted,
            "samples": result.samples,
        },
        "distributions": [
            {
                "load": t.load,
                "name": t.name,
                "distribution": t.latency.text,
                "mean_ns": t.latency.mean,
                "sd_ns": t.latency.sd,
                "p99_ns": t.latency.quantile(0.99),
                "most_ns": float(t.latency.values[-1]),
            }
            for t in result.design.treatments
        ],
        "programs": [_study(study, result.network) for study in result.studies],
        "warnings": [notice.to_json() for notice in result.warnings],
    }


def to_json(result: Variation) -> str:
    """As JSON text."""
    return json_text(to_dict(result))


def to_csv(result: Variation) -> str:
    """One row a run."""
    text: str = result.to_dataframe().to_csv(index=False, lineterminator="\n")
    return text


def _study(study: Study, network: Network) -> dict[str, Any]:
    return {
        "name": study.name,
        "input": study.input,
        "input_sha256": study.input_sha256,
        "ranks": study.trace.ranks,
        "messages": study.messages,
        "model": Assumptions.of(
            network, study.trace.ranks, study.collectives, study.reduce_ns_per_byte
        ).plain(),
        "T0_ns": study.T0_ns,
        "slowest": study.worst,
        "over_runs": correlated_dict(study.by_run),
        "over_distributions": correlated_dict(study.by_distribution),
        "plane": _plane(study.plane),
        "T_ns": [run.T_ns.tolist() for run in study.runs],
    }


def _plane(found: Plane) -> dict[str, float]:
    return {
        "intercept_ns": found.intercept_ns,
        "per_mean": found.per_mean,
        "per_std": found.per_std,
        "r_squared": found.r_squared,
    }
