"""A campaign's suites as plain data: JSON of schema `latitude.campaign/1`."""

import math
from dataclasses import asdict
from typing import Any

from latitude._types import Floats
from latitude.experiments.suites.cells import Cell
from latitude.experiments.suites.predict import Predicted
from latitude.experiments.suites.result import Step, Suites, Verdict
from latitude.experiments.suites.study import Costs, Study
from latitude.files.text import json_text
from latitude.render.campaign import words
from latitude.statistics.corrections import Corrected
from latitude.statistics.drift import Drift
from latitude.statistics.mean_and_spread import Plane, Relation, correlated_dict, relation_dict
from latitude.statistics.mean_ratios import Contrast

SCHEMA = "latitude.campaign/1"


def to_dict(result: Suites) -> dict[str, Any]:
    """The result as `latitude.campaign/1`."""
    balance = result.balance
    both = zip(result.studies, result.verdicts, strict=True)
    return {
        "schema": SCHEMA,
        "provenance": asdict(result.provenance),
        "campaign": result.campaign,
        "attempts": result.attempts,
        "done": result.done,
        "lost": result.lost,
        "achieved_share": result.achieved,
        "programs": [
            _study(study, verdict, result.predicted.get(study.name)) for study, verdict in both
        ],
        "steps": [_step(step) for step in result.steps],
        "failures": [asdict(failure) for failure in result.failures],
        "normality": {"tested": result.tested, "not_normal": result.not_normal},
        "drift": _drift(result.drift),
        "order": None
        if balance is None
        else {
            "rho_mean": _number(balance.mean),
            "rho_sd": _number(balance.sd),
            "p": balance.p,
        },
        "warnings": [notice.to_json() for notice in result.warnings],
    }


def to_json(result: Suites) -> str:
    """As JSON text."""
    return json_text(to_dict(result))


def _study(study: Study, verdict: Verdict, predicted: Predicted | None) -> dict[str, Any]:
    return {
        "name": study.name,
        "program": study.program,
        "ranks": study.ranks,
        "layer": study.layer,
        "messages": study.messages,
        "reference": None if study.reference is None else study.reference.level.name,
        "reference_ns": _number(study.base_ns),
        "injector": _contrast(study.injector),
        "answer": {
            "closer_with": verdict.answer,
            "reason": verdict.reason,
            "p": _corrected(verdict.p),
            "text": words.answer(study, verdict),
        },
        "levels": [_cell(study, cell) for cell in study.cells],
        "over_runs": correlated_dict(study.by_run),
        "over_levels": correlated_dict(study.by_level),
        "over_runs_as_achieved": correlated_dict(study.by_run_achieved),
        "over_levels_as_achieved": correlated_dict(study.by_level_achieved),
        "plane": _plane(study.plane),
        "against_mean": _relation(study.rising),
        "against_delta_L": _relation(study.sweep),
        "costs": [_costs(found) for found in study.costs],
        "predicted": None if predicted is None else _predicted(predicted),
    }


def _predicted(found: Predicted) -> dict[str, Any]:
    return {
        "input": found.input,
        "input_sha256": found.input_sha256,
        "L_ns": found.L_ns,
        "where": found.where,
        "samples": found.samples,
        "reference_ns": found.base_ns,
        "levels": [
            {
                "level": each.cell.level.name,
                "runtime_ns": each.T_ns,
                "runtime_of_mean_ns": each.steady_ns,
                "error": each.error,
            }
            for each in found.levels
        ],
        "rrmse": found.rrmse,
        "noise": _number(found.noise),
        "rrmse_of_means_alone": found.rrmse_steady,
        "over_levels": correlated_dict(found.by_level),
        "plane": _plane(found.plane),
    }


def _cell(study: Study, cell: Cell) -> dict[str, Any]:
    level, test = cell.level, cell.normality
    return {
        "level": level.name,
        "kind": level.kind,
        "family": level.family,
        "load": level.load,
        "asked_mean_ns": level.mean_ns,
        "asked_sd_ns": level.sd_ns,
        "achieved_mean_ns": _achieved(cell, cell.got_mean_ns),
        "achieved_sd_ns": _achieved(cell, cell.got_sd_ns),
        "runs": cell.n,
        "lost": cell.lost,
        "few": cell.few,
        "runtime_ns": cell.T_ns.tolist(),
        "outlier": cell.outliers.tolist(),
        "slowdown": study.times(cell) - 1 if cell.n else None,
        "normality": None if test is None else {"distance": test.distance, "p": test.p},
    }


def _achieved(cell: Cell, values: Floats) -> float | None:
    return float(values.mean()) if cell.known else None


def _plane(found: Plane | None) -> dict[str, Any] | None:
    return None if found is None else {k: _number(v) for k, v in asdict(found).items()}


def _relation(found: Relation | None) -> dict[str, Any] | None:
    return None if found is None else relation_dict(found)


def _costs(found: Costs) -> dict[str, Any]:
    return {
        "mean_ns": found.at.mean_ns,
        "load": found.at.load,
        "sd_ns": found.at.wide.level.sd_ns,
        "mean": _contrast(found.mean),
        "spread": _contrast(found.spread),
        "excess": _contrast(found.excess),
    }


def _step(step: Step) -> dict[str, Any]:
    ranks = step.ranks
    return {
        "program": step.study.name,
        "level": step.wide.level.name,
        "against": step.narrow.level.name,
        "ratio": _contrast(step.ratio),
        "mann_whitney": None
        if ranks is None
        else {
            "u": ranks.u,
            "larger": ranks.larger,
            "larger_low": ranks.larger_low,
            "larger_high": ranks.larger_high,
            "shift_ns": ranks.shift_ns,
            "p": _corrected(step.p),
        },
    }


def _contrast(found: Contrast | None) -> dict[str, Any] | None:
    return None if found is None else {k: _number(v) for k, v in asdict(found).items()}


def _drift(found: Drift | None) -> dict[str, Any] | None:
    return None if found is None else {k: _number(v) for k, v in asdict(found).items()}


def _corrected(found: Corrected | None) -> dict[str, Any] | None:
    return None if found is None else asdict(found)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
