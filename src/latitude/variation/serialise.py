"""The experiment as plain data: JSON of schema `latitude.variation/1`, and its runs as CSV."""

from dataclasses import asdict
from typing import Any

from latitude.network import Network
from latitude.serialise import json_text, model_dict
from latitude.variation.result import Correlated, Relation, Study, Variation

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
        "model": model_dict(
            network, study.trace.ranks, study.collectives, study.reduce_ns_per_byte
        ),
        "T0_ns": study.T0_ns,
        "slowest": study.worst,
        "over_runs": _correlated(study.by_run),
        "over_distributions": _correlated(study.by_distribution),
        "plane": asdict(study.plane),
        "T_ns": [run.T_ns.tolist() for run in study.runs],
    }


def _correlated(found: Correlated | None) -> dict[str, Any] | None:
    if found is None:
        return None
    fisher, both = found.fisher, found.dependent
    return {
        "n": found.n,
        "r_between": found.r_between,
        "mean": _relation(found.mean),
        "std": _relation(found.std),
        "fisher": None
        if fisher is None
        else {"z": fisher.z, "p": fisher.p, "log10_p": fisher.log10_p},
        "dependent": None
        if both is None
        else {
            "williams_t": both.williams_t,
            "williams_p": both.williams_p,
            "steiger_z": both.steiger_z,
            "steiger_p": both.steiger_p,
            "difference_low": both.low,
            "difference_high": both.high,
        },
    }


def _relation(found: Relation) -> dict[str, Any]:
    fit = found.line
    return {
        "r": found.pearson.r,
        "r_low": found.pearson.low,
        "r_high": found.pearson.high,
        "p": found.pearson.p,
        "rho": found.spearman.r,
        "rho_low": found.spearman.low,
        "rho_high": found.spearman.high,
        "rho_p": found.spearman.p,
        "slope": fit.slope,
        "slope_low": fit.slope_low,
        "slope_high": fit.slope_high,
        "intercept_ns": fit.intercept,
        "r_squared": fit.r_squared,
    }
