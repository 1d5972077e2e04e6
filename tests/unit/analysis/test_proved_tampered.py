"""The oracle finds each kind of change in a result, and names the claim."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from latitude.analysis.analyze import analyze
from latitude.model.network import Network
from latitude.trace.examples import example
from latitude.trace.load import load
from latitude.trace.program import Program
from support.oracle.proved import Proof, stated
from support.tiers import first_of

Result = dict[str, Any]
Tamper = Callable[[Result], None]


@pytest.fixture(scope="module")
def program() -> Program:
    """A real one: LULESH on 8 ranks."""
    return load(example("lulesh-8-i20-s8.tar.xz"))


@pytest.fixture(scope="module")
def result(program: Program) -> Result:
    """The engine's result: 45 critical latencies, and numbers that binary cannot represent."""
    return stated(analyze(program))


def add(path: str, by: float) -> Tamper:
    """A number is something else: `tolerance.1.value`."""

    def tamper(result: Result) -> None:
        *way, last = path.split(".")
        place: Any = result
        for step in way:
            place = place[int(step)] if isinstance(place, list) else place[step]
        place[int(last) if isinstance(place, list) else last] += by

    return tamper


def put(path: str, value: object) -> Tamper:
    """A field is something else."""

    def tamper(result: Result) -> None:
        *way, last = path.split(".")
        place: Any = result
        for step in way:
            place = place[int(step)] if isinstance(place, list) else place[step]
        place[int(last) if isinstance(place, list) else last] = value

    return tamper


def without(section: str, row: int) -> Tamper:
    return lambda result: result[section].pop(row)


def hidden(result: Result) -> None:
    """A critical latency is missing, and those beside it are made to fit."""
    rows = result["breakpoints"]
    rows[8]["lambda_right"] = rows[10]["lambda_left"] = rows[9]["lambda_left"]
    del rows[9]


def made_up(result: Result) -> None:
    """A critical latency between two others."""
    rows = result["breakpoints"]
    before, after = rows[8], rows[9]
    L = (before["value"] + after["value"]) / 2
    T = before["T_ns"] + before["lambda_right"] * (L - before["value"])
    more = {"lambda_left": before["lambda_right"], "lambda_right": before["lambda_right"] + 0.5}
    after["lambda_left"] = more["lambda_right"]
    rows.insert(9, {"value": L, "T_ns": T, **more})


def swapped(section: str, first: int, second: int) -> Tamper:
    def tamper(result: Result) -> None:
        rows = result[section]
        rows[first], rows[second] = rows[second], rows[first]

    return tamper


def turned(result: Result) -> None:
    """Both slopes of a critical latency the other way round."""
    row = result["breakpoints"][9]
    row["lambda_left"], row["lambda_right"] = row["lambda_right"], row["lambda_left"]


def all_later(result: Result) -> None:
    """Everything takes a nanosecond longer, and everything fits."""
    base = result["baseline"]
    base["T_ns"] += 1
    base["path"]["calc_ns"] += 1
    result["efficiency"]["predicted"]["T_ns"] += 1
    for row in (*result["breakpoints"], *result["tolerance"]):
        row["T_ns" if "T_ns" in row else "T_limit_ns"] += 1
    result["curve"]["T_ns"] = [T + 1 for T in result["curve"]["T_ns"]]


def moved(result: Result) -> None:
    """A millisecond of computation is said to be latency."""
    result["baseline"]["path"]["calc_ns"] -= 1e6
    result["baseline"]["path"]["latency_ns"] += 1e6


def shorter_curve(result: Result) -> None:
    for column in result["curve"].values():
        column.pop()


TAMPERED: dict[str, tuple[Tamper, str]] = {
    "T is 1 ns more": (add("baseline.T_ns", 1.0), "baseline.T_ns"),
    "T is 1 ns less": (add("baseline.T_ns", -1.0), "baseline.T_ns"),
    "all times are 1 ns more": (all_later, "baseline.T_ns"),
    "L": (add("baseline.L_ns", 1.0), "baseline.L_ns"),
    "one more latency": (add("baseline.lambda_L_right", 1.0), "baseline.lambda_L_right"),
    "one less to the left": (add("baseline.lambda_L_left", -1.0), "baseline.lambda_L_left"),
    "another λ": (add("theta.lambda", 1.0), "theta.lambda"),
    "share of latency": (add("baseline.rho_L", 1e-6), "baseline.rho_L"),
    "one more byte": (add("baseline.path.lambda_G", 1.0), "baseline.path.lambda_G"),
    "one more overhead": (add("baseline.path.lambda_o", 1.0), "baseline.path.lambda_o"),
    "computation is latency": (moved, "baseline.path.latency_ns"),
    "more bandwidth": (add("baseline.path.bandwidth_ns", 1.0), "baseline.path (sum)"),
    "θ's base": (add("theta.base", 1.0), "theta.base"),
    "a longer interval": (add("interval.high", 1e5), "interval.high"),
    "a breakpoint is missing": (without("breakpoints", 9), "breakpoints (joined)"),
    "the same, hidden": (hidden, "breakpoints (none missing)"),
    "the first one": (without("breakpoints", 0), "breakpoints (none missing)"),
    "the last one": (without("breakpoints", -1), "breakpoints (none missing)"),
    "all": (put("breakpoints", []), "breakpoints (none missing)"),
    "a breakpoint is made up": (made_up, "breakpoints.lambda_right"),
    "a breakpoint is 1 ns later": (add("breakpoints.9.value", 1.0), "breakpoints.lambda_left"),
    "its T is 1 ns more": (add("breakpoints.9.T_ns", 1.0), "breakpoints.T_ns"),
    "its slopes are swapped": (turned, "breakpoints (rising slope)"),
    "two are swapped": (swapped("breakpoints", 9, 10), "breakpoints (order)"),
    "more is tolerated": (add("tolerance.1.value", 1.0), "tolerance.value"),
    "less is tolerated": (add("tolerance.0.value", -1.0), "tolerance.value"),
    "anything is tolerated": (put("tolerance.2.value", None), "tolerance.value"),
    "another limit": (add("tolerance.0.T_limit_ns", 1.0), "tolerance.T_limit_ns"),
    "another degradation": (put("tolerance.0.degradation", 0.02), "tolerance.degradation"),
    "another distance": (add("tolerance.0.delta", 1.0), "tolerance.delta"),
    "a tolerance is missing": (without("tolerance", 1), "tolerance (rows)"),
    "two are swapped, too": (swapped("tolerance", 0, 1), "tolerance.value"),
    "a point of the curve": (add("curve.T_ns.50", 1.0), "curve.T_ns"),
    "its slope": (add("curve.lambda.50", 1.0), "curve.lambda"),
    "its share": (add("curve.rho.50", 1e-6), "curve.rho"),
    "its place": (add("curve.value.50", 1.0), "curve.value"),
    "a shorter curve": (shorter_curve, "curve (points)"),
    "an efficiency": (add("efficiency.predicted.transfer", 1e-6), "efficiency.predicted.transfer"),
    "T on the ideal network": (
        add("efficiency.predicted.T_ideal_ns", 1.0),
        "efficiency.predicted.T_ideal_ns",
    ),
    "computation": (
        add("efficiency.predicted.useful_max_ns", 1.0),
        "efficiency.predicted.useful_max_ns",
    ),
    "an efficiency of the curve": (
        add("efficiency.curve.7.parallel", 1e-6),
        "efficiency.curve.parallel",
    ),
    "a threshold": (add("efficiency.thresholds.3.value", 1.0), "efficiency.thresholds.value"),
    "a threshold is reached": (
        lambda result: put(
            "efficiency.thresholds.3.reached",
            not result["efficiency"]["thresholds"][3]["reached"],
        )(result),
        "efficiency.thresholds.reached",
    ),
    "a message more": (add("graph.messages", 1), "graph.messages"),
    "an edge less": (add("graph.edges", -1), "graph.edges"),
}


SHORT: dict[str, tuple[Tamper, str]] = {
    "it is complete": (put("critical.complete", value=True), "critical.complete"),
    "it is complete, and fits": (
        lambda result: result["critical"].update(
            complete=True, beyond=[], until=result["interval"]["high"]
        ),
        "breakpoints (none missing)",
    ),
    "it goes on": (add("critical.until", 1.0), "critical.until"),
    "another length": (add("critical.listed", 1), "critical.listed"),
    "a better bound": (put("critical.bound", 1e-6), "critical.bound"),
    "a point beyond": (add("critical.beyond.1.T_ns", 1.0), "critical.beyond.T_ns"),
    "its slope": (add("critical.beyond.1.lambda", 0.25), "critical.beyond.lambda"),
    "points are swapped": (
        lambda result: result["critical"]["beyond"].reverse(),
        "critical.beyond (order)",
    ),
    "the last point is missing": (
        lambda result: result["critical"]["beyond"].pop(),
        "critical.beyond (end)",
    ),
    "a breakpoint of a short list": (without("breakpoints", 2), "critical.listed"),
}


@pytest.mark.parametrize("what", first_of(SHORT, 2))
def test_what_is_said_beyond_a_short_list_is_rejected(what: str, program: Program) -> None:
    tamper, claim = SHORT[what]
    result = stated(analyze(program, Network(), critical=5))
    assert len(result["breakpoints"]) == 5
    assert Proof(result, program, Network()).rejections == []
    tamper(result)
    rejected = {each.claim for each in Proof(result, program, Network()).rejections}
    assert claim in rejected, rejected


@pytest.mark.parametrize("what", first_of(TAMPERED, 15))
def test_it_is_rejected(what: str, program: Program, result: Result) -> None:
    tamper, claim = TAMPERED[what]
    changed = copy.deepcopy(result)
    tamper(changed)
    assert json.dumps(changed) != json.dumps(result)
    rejected = {each.claim for each in Proof(changed, program, Network()).rejections}
    assert claim in rejected, rejected


def test_as_it_is_it_is_accepted(program: Program, result: Result) -> None:
    proof = Proof(result, program, Network())
    assert proof.rejections == []
    assert proof.corners == len(result["breakpoints"]) > 40


TIED = """num_ranks 2
rank 0 {
a: calc 100 cpu 1
s: send 1b to 1 tag 1
t: send 1b to 1 tag 2
t requires s
}
rank 1 {
r: recv 1b from 0 tag 1
q: recv 1b from 0 tag 2
c: calc 70
c requires r
}
"""
"""Two ways to the end: 100 ns, or 70 and a latency. They tie at L = 30, exactly."""


@pytest.mark.parametrize(
    ("left", "right", "claim"),
    [
        (1.0, 0.0, "baseline.lambda_L_right"),
        (1.0, 1.0, "baseline.lambda_L_left"),
        (0.0, 0.0, "baseline.lambda_L_right"),
        (0.5, 1.0, "baseline.lambda_L_left"),
    ],
)
def test_slopes_at_a_corner(left: float, right: float, claim: str, tmp_path: Path) -> None:
    """Requires both exact slopes if no sum is rounded, swapped or not."""
    (tmp_path / "tied.goal").write_text(TIED)
    program, network = load(tmp_path / "tied.goal"), Network(L=30.0, o=0.0, G=0.0)
    result = stated(analyze(program, network))
    base = result["baseline"]
    assert (base["T_ns"], base["lambda_L_left"], base["lambda_L_right"]) == (100.0, 0.0, 1.0)
    assert Proof(result, program, network).rejections == []
    base["lambda_L_left"], base["lambda_L_right"] = left, right
    rejected = Proof(result, program, network).rejections
    assert claim in {each.claim for each in rejected}
