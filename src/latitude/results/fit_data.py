"""Fits as plain data: the JSON of schema `latitude.fit/1` and the ranking as CSV."""

from dataclasses import asdict
from typing import Any

from latitude.distributions.fitting.result import Fit, FitResult
from latitude.files.text import csv_text, finite, json_text

SCHEMA = "latitude.fit/1"


def to_dict(result: FitResult) -> dict[str, Any]:
    """The result as `latitude.fit/1`; times in ns, what is not finite becomes None."""
    plain: dict[str, Any] = finite(
        {
            "schema": SCHEMA,
            "provenance": asdict(result.provenance),
            "samples": {
                key if key in ("count", "fitted") else f"{key}_ns": value
                for key, value in asdict(result.samples).items()
            },
            "ranked_by": result.ranked_by,
            "budget_s": result.budget_s,
            "seed": result.seed,
            "fits": [_fit(fit) for fit in result.fits],
            "failures": [asdict(failure) for failure in result.failures],
            "lognormal": _fit(result.lognormal),
            "family": [
                {
                    "name": member.name,
                    "distribution": member.distribution,
                    "mean_ns": member.mean,
                    "sd_ns": member.sd,
                    "table": {f"{key}_ns": value for key, value in asdict(member.table).items()},
                }
                for member in result.family
            ],
            "warnings": [notice.to_json() for notice in result.warnings],
        }
    )
    return plain


def to_json(result: FitResult) -> str:
    """The result as JSON text."""
    return json_text(to_dict(result))


def ranking_csv(result: FitResult) -> str:
    """One row a fit, best first."""
    head = ("rank", "name", "distribution", "log_likelihood", "aic", "bic", "ks", "sse_per_us2")
    rows = (
        (
            *(rank, fit.name, fit.in_words(), fit.log_likelihood, fit.aic, fit.bic, fit.ks),
            *(fit.sse, p.p if p else "", p.resamples if p else "", fit.finished),
            fit.same_as or "",
        )
        for rank, fit in enumerate(result.fits, 1)
        for p in (fit.p_value,)
    )
    return csv_text((*head, "p", "resamples", "finished", "same_as"), rows)


def _fit(fit: Fit) -> dict[str, Any]:
    plain = asdict(fit)
    plain["sse_per_us2"] = plain.pop("sse")
    return {"name": plain.pop("name"), "distribution": fit.in_words(), **plain}
