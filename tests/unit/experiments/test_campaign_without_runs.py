"""Campaigns of which no run was made: drawn from execution graphs where the answer is known."""

import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import InputError, Network
from latitude.experiments.planned import LevelPlan
from latitude.lab.campaign.plan import plan
from latitude.lab.campaign.read import read_campaign
from latitude.lab.campaign.suites.predict import predicted_campaign
from latitude.lab.distributions.family import lognormal_of
from latitude.lab.results.campaign import CampaignAnalysis, CampaignProgram
from latitude.results.runs import Runs
from latitude.trace.program import Program
from support.paths import ROOT
from support.schemas import document

NETWORK = Network(L=2_000.0, o=1_000.0, G=0.0)
PUBLISHED = "lognorm(s=1.5,loc=6us,scale=11us)"
"""Has [U]'s idle latency of 6 µs (Fig. 4), and a widest sd of over 400 µs (§7)."""
NARROW = "lognorm(s=0.4,loc=5us,scale=20us)"
"""The widest distribution of its family has an sd of 2.8 times the mean above the location."""
LOADS = tuple(tenth / 10 for tenth in range(1, 9))
MEMBERS = ("constant", *(f"lognormal-{share}" for share in (100, 75, 50, 25)))
"""Members by rising variation."""


class Drawn:
    """Campaigns in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(
        self, names: Sequence[str], family: str, layer: str, repetitions: int, seed: int = 1
    ) -> Path:
        file = self._folder / "campaign.toml"
        programs = "".join(f"[[programs]]\nname = '{name}'\nlaunch = 'true'\n" for name in names)
        loads = [f"{load:.0%}" for load in LOADS]
        file.write_text(
            f"[campaign]\nrepetitions = {repetitions}\nseed = {seed}\n{programs}"
            f"[[levels]]\nlatency = 'none'\n"
            f"[[levels]]\nfamily = '{family}'\nloads = {loads}\nlayer = '{layer}'\n"
        )
        return file

    def levels(self, family: str) -> tuple[LevelPlan, ...]:
        return read_campaign(self.file(["a"], family, "flow", 1)).levels[1:]

    def __call__(
        self,
        programs: Mapping[str, Program],
        network: Network = NETWORK,
        family: str = NARROW,
        layer: str = "verbs",
        repetitions: int = 25,
        seed: int = 1,
        threads: int = 0,
    ) -> CampaignAnalysis:
        planned = plan(read_campaign(self.file([*programs], family, layer, repetitions, seed)))
        return predicted_campaign(planned, programs, network, threads=threads)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    return Drawn(tmp_path_factory.mktemp("drawn"))


def at(program: CampaignProgram, load: float, member: str) -> Runs:
    name = f"{load:.0%}-{member}"
    return next(cell for cell in program.study.cells if cell.level.name == name)


def times(program: CampaignProgram, load: float, member: str) -> float:
    return program.study.mean_times(at(program, load, member))


def goal(path: Path, *ranks: str) -> Program:
    """A program of these ranks' statements."""
    body = "\n".join(f"rank {i} {{\n{text}\n}}" for i, text in enumerate(ranks))
    path.write_text(f"num_ranks {len(ranks)}\n{body}\n")
    return latitude.load(path)


def chain(path: Path, messages: int) -> Program:
    """Rank 0 sends one message after another to rank 1, which only receives: no choice of path."""
    sends = "\n".join(f"s{i}: send 8b to 1 tag {i}" for i in range(messages))
    waits = "\n".join(f"s{i} requires s{i - 1}" for i in range(1, messages))
    receives = "\n".join(f"r{i}: recv 8b from 0 tag {i}" for i in range(messages))
    return goal(path, f"{sends}\n{waits}", receives)


def ping_pong(path: Path, rounds: int) -> Program:
    """One token back and forth: T is a sum over messages, whatever they draw."""
    first, second = [], []
    for i in range(rounds):
        first += [f"s{i}: send 8b to 1 tag {i}", f"r{i}: recv 8b from 1 tag {i}"]
        first += [f"r{i} requires s{i}"] + ([f"s{i} requires r{i - 1}"] if i else [])
        second += [f"r{i}: recv 8b from 0 tag {i}", f"s{i}: send 8b to 0 tag {i}"]
        second += [f"s{i} requires r{i}"] + ([f"r{i} requires s{i - 1}"] if i else [])
    return goal(path, "\n".join(first), "\n".join(second))


def fork_join(path: Path, children: int) -> Program:
    """Every other rank sends to rank 0, which ends with the last message: T is a maximum."""
    root = "\n".join(f"r{i}: recv 8b from {i} tag 0" for i in range(1, children + 1))
    return goal(path, root, *["s: send 8b to 0 tag 0"] * children)


def test_families_hold_the_mean_at_each_load_while_variation_rises(drawn: Drawn) -> None:
    levels = drawn.levels(PUBLISHED)
    assert [level.name for level in levels] == [
        f"{x:.0%}-{name}" for x in LOADS for name in MEMBERS
    ]
    for load, group in groupby(levels, lambda level: level.load):
        of_load = list(group)
        means = [level.mean_ns for level in of_load]
        assert means == pytest.approx([means[0]] * 5, rel=1e-7), load
        sds = [level.sd_ns for level in of_load]
        assert sds[0] == 0
        assert sds == sorted(sds)
    extra = np.array([level.mean_ns - 6_000 for level in levels[::5]])
    waits = np.array([load / (1 - load) for load in LOADS])
    np.testing.assert_allclose(extra / extra[-1], waits / waits[-1], rtol=1e-6)
    assert extra[-1] == pytest.approx(11_000 * math.exp(1.5**2 / 2), rel=1e-7)
    between = np.corrcoef([level.mean_ns for level in levels], [level.sd_ns for level in levels])
    assert between[0, 1] == pytest.approx(0.71, abs=0.005)


def test_a_constant_on_the_wire_is_a_larger_latency(drawn: Drawn, tmp_path: Path) -> None:
    program = fork_join(tmp_path / "f.goal", 3)
    found = drawn({"f": program}, layer="flow", repetitions=3).programs[0]
    alone = latitude.analyze(program, NETWORK).baseline.T_ns
    assert found.study.base_ns == pytest.approx(alone, rel=1e-12)
    for load in LOADS:
        run = at(found, load, "constant")
        network = Network(L=NETWORK.L + run.level.mean_ns, o=1_000.0, G=0.0)
        # A table holds whole ns: a constant between two of them is a mix of both.
        np.testing.assert_allclose(
            run.T_ns, latitude.analyze(program, network).baseline.T_ns, atol=1
        )


def test_a_chain_follows_the_mean_alone(drawn: Drawn, tmp_path: Path) -> None:
    messages, runs = 40, 100
    program = {"pong": ping_pong(tmp_path / "pong.goal", messages // 2)}
    result = drawn(program, repetitions=runs)
    found = result.programs[0]
    base = found.study.base_ns
    for run in found.study.design:
        error = run.level.sd_ns * math.sqrt(messages / runs)
        expected = base + messages * run.level.mean_ns
        assert run.average_ns == pytest.approx(expected, abs=4.5 * error + messages)
    assert found.plane is not None
    assert found.plane.per_mean == pytest.approx(messages, rel=0.05)
    assert found.plane.per_std == pytest.approx(0, abs=0.05 * messages)
    assert found.plane.intercept_ns == pytest.approx(base, rel=0.05)
    assert found.answer.closer_with == "mean"
    levels = found.over_levels
    assert levels is not None
    assert levels.n == 40
    assert levels.std.r == pytest.approx(levels.r_between, abs=0.05)
    assert levels.mean.slope == pytest.approx(messages, rel=0.05)
    content = document(result.to_json())
    assert content["done"] == 41 * runs
    assert content["warnings"][0]["code"] == "runs-drawn"


def test_one_senders_messages_add_up_on_its_cpu(drawn: Drawn, tmp_path: Path) -> None:
    """The injector holds the CPU: n messages wait for n draws. On the wire they overlap."""
    program = {"c": chain(tmp_path / "c.goal", 30)}
    for layer, messages in (("verbs", 30), ("flow", 1)):
        found = drawn(program, layer=layer, repetitions=5).programs[0]
        for load in LOADS:
            run = at(found, load, "constant")
            expected = found.study.base_ns + messages * run.level.mean_ns
            assert run.average_ns == pytest.approx(expected, abs=30)


def test_a_fork_join_takes_the_largest_of_its_draws(drawn: Drawn, tmp_path: Path) -> None:
    program = {"join": fork_join(tmp_path / "join.goal", 8)}
    result = drawn(program, Network(L=2_000.0, o=0.0, G=0.0), repetitions=100)
    found = result.programs[0]
    tables = {level.name: level.table for level in drawn.levels(NARROW)}
    for run in found.study.design:
        table = tables[run.level.name]
        assert table is not None
        values = table.values.astype(float)
        share = np.arange(values.size + 1) / values.size
        chance = np.diff(share**8)
        mean = float(values @ chance)
        sd = math.sqrt(max(float(np.square(values - mean) @ chance), 0.0))
        expected = found.study.base_ns + mean
        assert run.average_ns == pytest.approx(expected, abs=4.5 * sd / math.sqrt(100) + 1e-3)
    for load in LOADS:
        means = [at(found, load, name).average_ns for name in MEMBERS]
        assert means == sorted(means)
        assert means[-1] > 1.25 * means[0]
    assert found.over_levels is not None
    assert found.over_levels.std_more


def test_the_same_seed_gives_the_same_runs_and_no_two_levels_share_draws(
    drawn: Drawn, tmp_path: Path
) -> None:
    program = {"f": fork_join(tmp_path / "f.goal", 4)}

    def runs(seed: int, threads: int) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
        found = drawn(program, repetitions=32, seed=seed, threads=threads).programs[0]
        return [at(found, load, "lognormal-100").T_ns for load in LOADS]

    one = runs(1, 1)
    np.testing.assert_array_equal(one, runs(1, 3))
    assert (one[0] != runs(2, 1)[0]).any()
    for a, b in pairwise(one):
        assert abs(np.corrcoef(a, b)[0, 1]) < 0.5, "common random numbers would give nearly 1"


def test_a_program_without_messages_has_no_correlation(drawn: Drawn, tmp_path: Path) -> None:
    found = drawn({"m": goal(tmp_path / "m.goal", "c: calc 5000")}, repetitions=2).programs[0]
    assert (found.over_runs, found.over_levels) == (None, None)
    assert found.answer.closer_with == "open"


def test_a_trace_of_other_ranks_is_refused(drawn: Drawn, tmp_path: Path) -> None:
    file = drawn.file(["f"], NARROW, "flow", 1)
    file.write_text(file.read_text().replace("launch = 'true'", "launch = 'mpirun -n 8 ./f'"))
    program = fork_join(tmp_path / "f.goal", 2)
    with pytest.raises(InputError, match="a trace of 3 ranks, but f runs on 8"):
        predicted_campaign(plan(read_campaign(file)), {"f": program}, NETWORK)


def test_other_distributions_are_fitted_by_a_lognormal(tmp_path: Path) -> None:
    assert lognormal_of("lognorm(s=0.7,loc=2us,scale=9us)") == (0.7, 2000.0, 9000.0)
    samples = tmp_path / "s.csv"
    values = 4_000 + np.random.default_rng(3).lognormal(math.log(6_000), 0.6, 4_000)
    samples.write_text("latency_ns\n" + "\n".join(f"{x:.3f}" for x in values) + "\n")
    shape, loc, scale = lognormal_of(str(samples))
    assert loc == pytest.approx(4_000, rel=0.15)
    assert shape == pytest.approx(0.6, rel=0.15)
    assert loc + scale * math.exp(shape**2 / 2) == pytest.approx(values.mean(), rel=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("constant(5us)", "does not vary"),
        ("lognorm(s=0.5,loc=-2us,scale=9us)", "location is below 0"),
    ],
)
def test_a_base_without_a_family_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lognormal_of(text)


@pytest.mark.thorough
def test_a_wavefront_goes_with_variation_the_more_the_larger_its_grid(
    drawn: Drawn, tmp_path: Path
) -> None:
    """docs/explanation/mean-or-variation.md states this for LU on 8 and on 64 processes."""
    found = {}
    for rows, columns in ((2, 4), (8, 8)):
        path = tmp_path / f"{rows}x{columns}.goal"
        command = [sys.executable, ROOT / "benchmarks" / "wavefront.py", f"{rows}x{columns}"]
        options = ["--planes", "20", "--iterations", "2"]
        with path.open("w") as out:
            subprocess.run([*map(str, command), *options], stdout=out, check=True)
        program = latitude.load(path)
        neighbours = 2 * rows * columns - rows - columns
        assert program.graph.messages == neighbours * 20 * 2 * 2
        levels = drawn({"w": program}, Network(), PUBLISHED).programs[0].over_levels
        assert levels is not None
        found[rows] = levels.std.r - levels.mean.r
    assert found[2] < 0 < found[8]


SENDER = {
    "npb-cg.S-8": (0.88, 0.94),
    "npb-is.S-8": (0.88, 0.95),
    "npb-mg.S-8": (0.88, 0.95),
    "npb-lu.S-8": (0.93, 0.91),
    "npb-cg.S-16": (0.84, 0.97),
    "npb-lu.S-16": (0.88, 0.95),
}
FLOW = {"npb-lu.S-8": (0.83, 0.97), "npb-lu.S-16": (0.80, 0.99)}


@pytest.mark.thorough
@pytest.mark.parametrize(("layer", "expected"), [("verbs", SENDER), ("flow", FLOW)])
def test_coefficients_are_the_documented_ones(
    drawn: Drawn, traces: Path, layer: str, expected: dict[str, tuple[float, float]]
) -> None:
    programs = {name: latitude.load(traces / f"{name}.tar.xz") for name in expected}
    for found in drawn(programs, Network(), PUBLISHED, layer).programs:
        levels = found.over_levels
        assert levels is not None
        pair = (levels.mean.r, levels.std.r)
        assert pair == pytest.approx(expected[found.name], abs=0.025), found.name
        assert found.plane is not None
        assert found.plane.r_squared > 0.97
        for load in (0.2, 0.7):
            constant, *others = (at(found, load, each).average_ns for each in MEMBERS)
            assert constant < min(others), "variation alone costs time"


@pytest.mark.thorough
def test_lu_suffers_most_from_the_mean_and_mg_from_the_variation(
    drawn: Drawn, traces: Path
) -> None:
    codes = ("ft", "cg", "is", "mg", "lu", "ep")
    programs = {code: latitude.load(traces / f"npb-{code}.S-8.tar.xz") for code in codes}
    found = drawn(programs, Network(), PUBLISHED).programs

    def order(member: str) -> list[str]:
        return [p.name for p in sorted(found, key=lambda each: -times(each, 0.8, member))]

    assert order("constant") == ["lu", "mg", "cg", "is", "ft", "ep"]
    assert order("lognormal-100") == ["mg", "cg", "lu", "is", "ft", "ep"]
