"""The experiment on real traces: the figures of docs/variation.md."""

from pathlib import Path

import pytest

import latitude
from latitude.experiments.variation import design, variation_suite
from latitude.experiments.variation.design import NAMES
from latitude.random.forecast import Random
from latitude.random.forecast.random import Where
from latitude.results.variation import DesignedProgram

SENDER = {
    "npb-cg.S-8": (0.88, 0.94),
    "npb-is.S-8": (0.88, 0.95),
    "npb-mg.S-8": (0.88, 0.95),
    "npb-lu.S-8": (0.93, 0.91),
    "npb-cg.S-16": (0.84, 0.97),
    "npb-lu.S-16": (0.88, 0.95),
}
FLOW = {"npb-lu.S-8": (0.83, 0.97), "npb-lu.S-16": (0.80, 0.99)}


def suite(
    traces: Path, names: dict[str, tuple[float, float]], where: Where
) -> dict[str, DesignedProgram]:
    plan = design()
    programs = [latitude.load(traces / f"{name}.tar.xz") for name in names]
    random = Random(plan.treatments[0].latency, where=where)
    return {s.name: s for s in variation_suite(programs, None, plan, random).programs}


@pytest.mark.parametrize(("where", "expected"), [("sender", SENDER), ("flow", FLOW)])
def test_coefficients_are_the_documented_ones(
    traces: Path, where: Where, expected: dict[str, tuple[float, float]]
) -> None:
    for name, study in suite(traces, expected, where).items():
        found = study.over_distributions
        assert found is not None
        pair = (found.mean.r, found.std.r)
        assert pair == pytest.approx(expected[name], abs=0.025), name
        assert found.r_between == pytest.approx(0.71, abs=0.005)
        assert study.plane.r_squared > 0.97
        for load in (0.2, 0.7):
            constant, *others = (study.at(load, each).average_ns for each in NAMES)
            assert constant < min(others), "variation alone costs time"


def test_lu_suffers_most_from_the_mean_and_mg_from_the_variation(traces: Path) -> None:
    names = {f"npb-{code}.S-8": (0.0, 0.0) for code in ("ft", "cg", "is", "mg", "lu", "ep")}
    studies = suite(traces, names, "sender").values()

    def order(name: str) -> list[str]:
        ranked = sorted(studies, key=lambda study: -study.times(0.8, name))
        return [study.name.removeprefix("npb-").removesuffix(".S-8") for study in ranked]

    assert order("constant") == ["lu", "mg", "cg", "is", "ft", "ep"]
    assert order("lognormal-100") == ["mg", "cg", "lu", "is", "ft", "ep"]
