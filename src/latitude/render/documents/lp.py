"""The answers of the linear program and of the engine, side by side."""

import math
from collections.abc import Sequence
from pathlib import Path

from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.render.document import Document, File, Section, Table
from latitude.results.lp import ALL, SecondOpinion, TwoAnswers
from latitude.units.quantities import counted, format_count, format_share, format_time


def lp_document(opinion: SecondOpinion) -> Document:
    """The terminal's text and the JSON of a second opinion."""
    difference = opinion.largest_difference
    agree = f"agree to {difference:.0e}" if difference else "agree in every digit"
    tables = [("Answers", _answers(opinion)), ("Time taken", _times(opinion))]
    if opinion.budget.spent:
        tables.append(("Budget: latencies worth most within each tolerance", _budget(opinion)))
    return Document(
        name=opinion.provenance.name,
        facts=[
            opinion.lp.solver,
            *_size(opinion.lp.variables, opinion.lp.constraints),
        ],
        headline=f"Engine and linear program {agree}.",
        notices=opinion.warnings,
        parts=[Section(title, [table]) for title, table in tables],
        files=[File("lp.json", opinion.to_json)],
    )


def export_document(
    made: Provenance, path: Path, variables: int, constraints: int, warnings: Sequence[Notice]
) -> Document:
    """The terminal's text on a linear program that was written but not solved."""
    return Document(
        name=made.name,
        facts=_size(variables, constraints),
        headline=f"The linear program is in {path}.",
        notices=warnings,
    )


def _size(variables: int, constraints: int) -> list[str]:
    return [counted(variables, "variable"), counted(constraints, "constraint")]


def _answers(opinion: SecondOpinion) -> Table:
    rows: list[tuple[str, str, str, str]] = []
    several = len(opinion.sensitivity) > 1

    def add(what: str, both: TwoAnswers, none: str) -> None:
        answers = _time(both.engine, none), _time(both.lp, none)
        rows.append((what, *answers, _off(both.difference)))

    add("runtime T", opinion.T_ns, "")
    for s in opinion.sensitivity:
        of = f", {s.link}" if several else ""
        slopes = format_count(s.lambda_right)
        if s.lambda_left != s.lambda_right:
            slopes = f"{format_count(s.lambda_left)} to {slopes}"
        reduced_cost = format_count(round(s.reduced_cost, 6))
        rows.append((f"λ{of}", slopes, reduced_cost, _off(s.difference)))
        add(f"λ holds from L ={of}", s.critical_below_ns, "0 ns")
        add(f"λ holds up to L ={of}", s.critical_above_ns, "any")
        if s.basis_ns is not None:
            low, high = (_time(x, "any") for x in s.basis_ns)
            rows.append((f"final basis holds{of}", "", f"{low} to {high}", ""))
    for t in opinion.tolerance:
        extra = "extra latency" if t.link == ALL else "latency"
        what = f"{format_share(t.degradation)} slower: {extra}"
        add(what + (f", {t.link}" if several else ""), t.L_ns, "any")
    return Table(("", "engine", "linear program", "difference"), rows, brief=len(rows))


def _time(ns: float, none: str) -> str:
    return none if math.isinf(ns) else format_time(ns, 10)


def _off(difference: float) -> str:
    return f"{difference:.0e}" if difference else "0"


def _times(opinion: SecondOpinion) -> Table:
    took = opinion.seconds
    rows = [
        (what, "" if engine is None else format_time(engine * 1e9, 3), format_time(lp * 1e9, 3))
        for what, engine, lp in (
            ("from graph to model", took.engine_build, took.lp_build),
            ("T" if opinion.tolerance else "T and λ", None, took.lp_runtime),
            ("λ, tolerances, critical latencies", took.engine_solve, took.lp_rest),
        )
    ]
    return Table(("", "engine", "linear program"), rows, brief=len(rows))


def _budget(opinion: SecondOpinion) -> Table:
    links, weight = opinion.sensitivity, opinion.budget.weight
    now = format_time(opinion.T_ns.engine, 10)
    rows = [
        ("worth of a ns", *(f"{weight.get(s.link, 0.0):g}" for s in links), ""),
        ("now", *(format_time(s.L_ns) for s in links), now),
        *(
            (
                format_share(spent.degradation),
                *(_time(spent.L_ns[s.link], "any") for s in links),
                format_time(spent.engine_T_ns, 10),
            )
            for spent in opinion.budget.spent
        ),
    ]
    head = ("slower by", *(s.link for s in links), "T by the engine")
    return Table(head, rows, brief=len(rows))
