"""`latitude.lp/1`: engine and LP side by side as JSON."""

from dataclasses import asdict

from latitude.analysis.lp.results import Both, SecondOpinion
from latitude.files.provenance import provenance
from latitude.files.text import finite, json_text
from latitude.model.network import Network
from latitude.results.assumptions import Assumptions
from latitude.trace.program import Program

SCHEMA = "latitude.lp/1"


def to_json(opinion: SecondOpinion, program: Program, network: Network) -> str:
    """The result as JSON text; times in ns, those of the clock in s, infinite values null."""
    content = {
        "schema": SCHEMA,
        "provenance": asdict(provenance(program.path, program.digest)),
        "model": Assumptions.of(
            network, program.ranks, program.collectives, program.reduce_ns_per_byte
        ).plain(),
        "lp": {
            "solver": opinion.solver,
            "variables": opinion.variables,
            "constraints": opinion.constraints,
        },
        "largest_difference": opinion.largest_difference,
        "T_ns": _both(opinion.T_ns),
        "sensitivity": [
            {
                "link": s.link,
                "L_ns": s.L_ns,
                "lambda_left": s.lambda_left,
                "lambda_right": s.lambda_right,
                "reduced_cost": s.reduced_cost,
                "critical_below_ns": _both(s.critical_below),
                "critical_above_ns": _both(s.critical_above),
                "basis_ns": None if s.basis_ns is None else list(s.basis_ns),
            }
            for s in opinion.sensitivity
        ],
        "tolerance": [
            {
                "link": t.link,
                "degradation": t.degradation,
                "T_limit_ns": t.limit_ns,
                "L_ns": _both(t.latency),
            }
            for t in opinion.tolerance
        ],
        "budget": {
            "weight": opinion.weight,
            "spent": [
                {
                    "degradation": b.degradation,
                    "T_limit_ns": b.limit_ns,
                    "L_ns": dict(
                        zip([s.link for s in opinion.sensitivity], b.latency_ns, strict=True)
                    ),
                    "engine_T_ns": b.engine_T_ns,
                }
                for b in opinion.budget
            ],
        },
        "seconds": asdict(opinion.times),
    }
    return json_text(finite(content))


def _both(both: Both) -> dict[str, float]:
    return {"engine": both.engine, "lp": both.lp}
