"""The suite's results: page, JSON, CSV."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from latitude.forecast import words
from latitude.forecast.random import Random
from latitude.forecast.variation import RUNS, Compared, Study
from latitude.forecast.variation_charts import charts
from latitude.network import Network
from latitude.provenance import provenance
from latitude.report import shell
from latitude.report.markup import escape
from latitude.report.tables import table
from latitude.serialise import json_text, model_dict
from latitude.statistics.underwood import TABLE
from latitude.units import format_time

SCHEMA = "latitude.variation/1"
_METHOD = (
    "Method: Underwood, Anderson, Apon, “Measuring Network Latency Variation Impacts to High "
    "Performance Computing Application Performance”, ICPE’18, §5.3 and §7, on execution graphs "
    "instead of a cluster. The two correlations share the runtimes, so Williams’s test, which [U] "
    "leaves out, is the one that fits."
)


def p_text(log10_p: float) -> str:
    """A p-value, however small."""
    if log10_p > -4:  # noqa: PLR2004 - readable as a decimal
        return f"{10**log10_p:.2g}"
    power = math.floor(log10_p)
    return f"{10 ** (log10_p - power):.1f}e{power}"


def headline(studies: Sequence[Study]) -> str:
    """The answer in one sentence."""
    known = [s for s in studies if s.compared]
    more = [s for s in known if s.compared and s.compared.std.r > s.compared.mean.r]
    worst = max(studies, key=Study.worst)
    return (
        f"Runtime goes more with the variation of latency than with its mean in {len(more)} of "
        f"{len(known)} programs; {worst.name} suffers most, up to {worst.worst():.3g} times its "
        "runtime."
    )


def row(study: Study) -> tuple[str, ...]:
    """A row of Table 4."""
    found = study.compared
    if found is None:
        return (study.name, "–", "–", "–", "–", f"{study.worst():.3g}×")
    return (
        study.name,
        f"{found.mean.r:.2f}",
        f"{found.std.r:.2f}",
        p_text(found.fisher.log10_p),
        "–"
        if found.dependent is None
        else p_text(math.log10(max(found.dependent.williams_p, 1e-300))),
        f"{study.worst():.3g}×",
    )


HEAD = ("program", "r_mean", "r_std", "p (Fisher, as [U])", "p (Williams)", "slowest")


def render(studies: Sequence[Study], network: Network, random: Random) -> str:
    """The page."""
    shown = charts(studies)
    rows = [tuple(escape(cell) for cell in row(study)) for study in studies]
    theirs = [(r.program, f"{r.r_mean:.2f}", f"{r.r_std:.2f}", f"{r.p:.1e}") for r in TABLE]
    body = "\n".join(
        [
            "<section><h2>Mean or variation</h2>" + table(HEAD, rows) + "</section>",
            *(shell.section(chart) for chart in shown),
            "<section><h2>As published</h2><p class=reading>Table 4 of Underwood et al., measured "
            "on 64 processes of 8 nodes.</p>"
            + table(("program", "r_mean", "r_std", "p"), theirs)
            + "</section>",
        ]
    )
    first = studies[0].program
    return shell.render(
        shell.Shell(
            kind="latency variation",
            name=studies[0].name if len(studies) == 1 else f"{len(studies)} programs",
            title="mean or variation",
            facts=[
                f"{len(studies[0].runs)} distributions",
                f"{RUNS} runs of each",
                f"highest mean {format_time(random.latency.mean)}",
                f"seed {random.seed}",
            ],
            headline=headline(studies),
            answer=[words.random_sentence(random)],
            cards=[],
            body=body,
            charts=shown,
            data=[
                shell.Data("variation.json", to_json(studies, network, random)),
                shell.Data("variation.csv", to_csv(studies)),
            ],
            provenance=shell.origin(provenance(first.path, first.digest)),
            method=_METHOD,
        )
    )


def to_json(studies: Sequence[Study], network: Network, random: Random) -> str:
    """As `latitude.variation/1`."""
    first = studies[0].program
    return json_text(
        {
            "schema": SCHEMA,
            "provenance": asdict(provenance(first.path, first.digest)),
            "model": model_dict(
                network, first.trace.ranks, first.collectives, first.reduce_ns_per_byte
            ),
            "random": {"where": random.where, "per": random.per, "seed": random.seed},
            "treatments": [
                {
                    "level": r.treatment.level,
                    "name": r.treatment.name,
                    "mean_ns": r.treatment.latency.mean,
                    "sd_ns": r.treatment.latency.sd,
                }
                for r in studies[0].runs
            ],
            "programs": [_program(study) for study in studies],
        }
    )


def _program(study: Study) -> dict[str, Any]:
    return {
        "name": study.name,
        "T0_ns": study.T0_ns,
        "slowest": study.worst(),
        "compared": None if study.compared is None else _compared(study.compared),
        "runs_ns": [run.T_ns.tolist() for run in study.runs],
    }


def _compared(found: Compared) -> dict[str, Any]:
    return {
        "r_mean": asdict(found.mean),
        "r_std": asdict(found.std),
        "fisher": asdict(found.fisher),
        "dependent": None if found.dependent is None else asdict(found.dependent),
    }


def to_csv(studies: Sequence[Study]) -> str:
    """One row a run; `latitude stats correlate` reads it."""
    rows = ["program,level,distribution,mean_ns,sd_ns,runtime_ns"]
    for study in studies:
        for run in study.runs:
            t = run.treatment
            rows += [
                f"{study.name},{t.level},{t.name},{t.latency.mean!r},{t.latency.sd!r},{T!r}"
                for T in run.T_ns.tolist()
            ]
    return "\n".join([*rows, ""])
