"""The experiment of Underwood et al. on execution graphs, where the answer is known."""

import json
import math
import subprocess
import sys
import tracemalloc
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import InputError, Network
from latitude.experiments.variation import (
    PUBLISHED,
    Design,
    Lognormal,
    design,
    lognormal_of,
    variation_suite,
)
from latitude.experiments.variation.design import FITTED, LOADS, NAMES
from latitude.random.forecast import Random
from latitude.render.documents.variation import variation_document
from latitude.results.variation import Variation
from latitude.statistics.underwood import TABLE
from latitude.trace.program import Program
from support.paths import ROOT
from support.schemas import document

NETWORK = Network(L=2_000.0, o=1_000.0, G=0.0)
NARROW = Lognormal("narrow", 0.4, 5_000.0, 20_000.0)
"""Its widest relative has an sd of 2.8 times the mean beyond the location."""


def goal(path: Path, *ranks: str) -> Program:
    """A program of these ranks' statements."""
    body = "\n".join(f"rank {i} {{\n{text}\n}}" for i, text in enumerate(ranks))
    path.write_text(f"num_ranks {len(ranks)}\n{body}\n")
    return latitude.load(path)


def chain(path: Path, messages: int) -> Program:
    """Rank 0 sends one message after another to rank 1, which only receives: no choice of path."""
    sends = "\n".join(f"s{i}: send 8b to 1 tag {i}" for i in range(messages))
    waits = "\n".join(f"s{i} requires s{i - 1}" for i in range(1, messages))
    receive = f"r: recv 8b from 0 tag {messages - 1}"
    others = "\n".join(f"r{i}: recv 8b from 0 tag {i}" for i in range(messages - 1))
    return goal(path, f"{sends}\n{waits}", f"{others}\n{receive}")


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


def mute(path: Path) -> Program:
    return goal(path, "c: calc 5000")


@pytest.fixture(scope="module")
def plan() -> Design:
    return design(NARROW)


@pytest.fixture(scope="module")
def pong(tmp_path_factory: pytest.TempPathFactory, plan: Design) -> Variation:
    program = ping_pong(tmp_path_factory.mktemp("pong") / "pong.goal", 20)
    return variation_suite([program], NETWORK, plan, samples=400)


@pytest.fixture(scope="module")
def join(tmp_path_factory: pytest.TempPathFactory, plan: Design) -> Variation:
    program = fork_join(tmp_path_factory.mktemp("join") / "join.goal", 8)
    return variation_suite([program], Network(L=2_000.0, o=0.0, G=0.0), plan, samples=400)


def test_the_design_holds_the_mean_at_each_load_while_variation_rises() -> None:
    plan = design()
    assert [t.name for t in plan.treatments] == [*NAMES] * len(LOADS)
    assert len(plan.treatments) * 25 == 1000, "an n that explains Table 4: 934 to 1041"
    for load, group in groupby(plan.treatments, lambda t: t.load):
        latencies = [t.latency for t in group]
        means = [latency.mean for latency in latencies]
        assert means == pytest.approx([means[0]] * 5, rel=1e-7), load
        sds = [latency.sd for latency in latencies]
        assert sds[0] == 0
        assert sds == sorted(sds)
    extra = [plan.treatments[5 * i].latency.mean - PUBLISHED.loc for i in range(len(LOADS))]
    waits = [load / (1 - load) for load in LOADS]
    np.testing.assert_allclose(np.array(extra) / extra[-1], np.array(waits) / waits[-1], rtol=1e-6)
    highest = next(t for t in plan.treatments if (t.load, t.name) == (LOADS[-1], FITTED))
    expected = PUBLISHED.loc + PUBLISHED.scale * math.exp(PUBLISHED.shape**2 / 2)
    assert highest.latency.mean == pytest.approx(expected, rel=1e-7)


def test_the_design_could_have_been_the_published_one() -> None:
    """Its r_between is one that every row of Table 4 can have."""
    treatments = design().treatments
    between = np.corrcoef([t.latency.mean for t in treatments], [t.latency.sd for t in treatments])
    for row in TABLE:
        half = math.sqrt((1 - row.r_mean**2) * (1 - row.r_std**2))
        assert abs(between[0, 1] - row.r_mean * row.r_std) < half, row.program


def test_a_constant_on_the_wire_is_exactly_a_larger_latency(tmp_path: Path, plan: Design) -> None:
    program = fork_join(tmp_path / "f.goal", 3)
    random = Random(plan.treatments[0].latency, where="flow")
    result = variation_suite([program], NETWORK, plan, random, samples=3)
    alone = latitude.analyze(program, NETWORK).baseline.T_ns
    assert result.programs[0].T0_ns == pytest.approx(alone, rel=1e-12)
    for load in plan.loads:
        run = result.programs[0].at(load, "constant")
        L = NETWORK.L + run.level.mean_ns
        T = latitude.analyze(program, Network(L=L, o=1_000.0, G=0.0)).baseline.T_ns
        np.testing.assert_allclose(run.T_ns, T, rtol=1e-12)
        assert np.ptp(run.T_ns) == 0


def test_a_chain_follows_the_mean_alone(pong: Variation) -> None:
    study = pong.programs[0]
    messages = 40
    for run in study.study.cells:
        error = run.level.sd_ns * math.sqrt(messages / pong.design.samples)
        expected = study.T0_ns + messages * run.level.mean_ns
        assert run.average_ns == pytest.approx(expected, abs=4.5 * error + 1e-3)
    assert study.plane.per_mean == pytest.approx(messages, rel=0.03)
    assert study.plane.per_std == pytest.approx(0, abs=0.03 * messages)
    assert study.plane.intercept_ns == pytest.approx(study.T0_ns, rel=0.05)
    found = study.over_distributions
    assert found is not None
    assert found.mean.r > 0.99
    assert found.std.r == pytest.approx(found.r_between, abs=0.03)
    assert found.mean.slope == pytest.approx(messages, rel=0.05)
    assert found.dependent is not None
    assert found.dependent.williams_p < 1e-10


def test_one_senders_messages_add_up_on_its_cpu(tmp_path: Path, plan: Design) -> None:
    """The injector holds the CPU: n messages wait for n draws. On the wire they overlap."""
    program = chain(tmp_path / "c.goal", 30)
    sender = variation_suite([program], NETWORK, plan, samples=5).programs[0]
    random = Random(plan.treatments[0].latency, where="flow")
    flow = variation_suite([program], NETWORK, plan, random, samples=5).programs[0]
    for load in plan.loads:
        run = sender.at(load, "constant")
        assert run.average_ns == pytest.approx(sender.T0_ns + 30 * run.level.mean_ns)
        run = flow.at(load, "constant")
        assert run.average_ns == pytest.approx(flow.T0_ns + run.level.mean_ns)


def test_a_fork_join_pays_for_variation_at_equal_mean(join: Variation) -> None:
    study = join.programs[0]
    for load in join.loads:
        means = [study.at(load, name).average_ns for name in NAMES]
        assert means == sorted(means)
        assert means[-1] > 1.25 * means[0]
    found = study.over_distributions
    assert found is not None
    assert found.std.r > found.mean.r
    assert study.plane.per_std > 0.5


def test_a_fork_join_takes_the_largest_of_its_draws(join: Variation, plan: Design) -> None:
    study = join.programs[0]
    for run, treatment in zip(study.study.cells, plan.treatments, strict=True):
        values = treatment.latency.values
        share = np.arange(values.size + 1) / values.size
        chance = np.diff(share**8)
        mean = float(values @ chance)
        sd = math.sqrt(max(float(np.square(values - mean) @ chance), 0.0))
        expected = study.T0_ns + mean
        assert run.average_ns == pytest.approx(expected, abs=4.5 * sd / math.sqrt(400) + 1e-3)


def test_the_same_seed_gives_the_same_runs_and_no_two_distributions_share_draws(
    tmp_path: Path, plan: Design
) -> None:
    program = fork_join(tmp_path / "f.goal", 4)
    draw = plan.treatments[0].latency

    def runs(seed: int, threads: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        random = Random(draw, where="sender", seed=seed)
        found = variation_suite(
            [program], NETWORK, plan, random, samples=64, threads=threads
        ).programs[0]
        return np.array(found.T_ns)

    one = runs(1, 1)
    np.testing.assert_array_equal(one, runs(1, 3))
    assert (one[1] != runs(2, 1)[1]).any()
    lognormals = [row for row, t in zip(one, plan.treatments, strict=True) if t.name == FITTED]
    for a, b in pairwise(lognormals):
        assert abs(np.corrcoef(a, b)[0, 1]) < 0.5, "common random numbers would give nearly 1"


def test_a_program_without_messages_has_no_correlation(tmp_path: Path, plan: Design) -> None:
    result = variation_suite([mute(tmp_path / "m.goal")], NETWORK, plan, samples=2)
    study = result.programs[0]
    assert study.over_runs is None
    assert study.over_distributions is None
    assert study.slowest == 1
    assert json.loads(result.to_json())["programs"][0]["over_runs"] is None
    assert "changes the runtime of none" in variation_document(result).headline


def test_json_follows_its_schema_and_holds_the_tables(pong: Variation, join: Variation) -> None:
    for result in (pong, join):
        program = document(result.to_json())["programs"][0]
        assert np.shape(program["T_ns"]) == (40, 400)
        study = result.programs[0]
        assert study.over_runs is not None
        assert program["over_runs"]["mean"]["r"] == study.over_runs.mean.r
        assert program["over_runs"]["n"] == 16_000
        assert program["over_distributions"]["n"] == 40


def test_the_frame_is_what_stats_correlate_reads(join: Variation, tmp_path: Path) -> None:
    from latitude.samples.correlated_runs import correlate_runs  # noqa: PLC0415

    frame = join.runs().to_dataframe()
    assert len(frame) == 16_000
    path = tmp_path / "runs.csv"
    path.write_text(join.to_csv())
    group = correlate_runs(path, ["mean_ns", "sd_ns"], "runtime_ns", by=["program"]).groups[0]
    ours = join.programs[0].over_runs
    assert ours is not None
    assert group.relations[0].pearson.r == pytest.approx(ours.mean.r, rel=1e-12)
    assert group.relations[1].pearson.r == pytest.approx(ours.std.r, rel=1e-12)


def test_other_distributions_are_fitted_by_a_lognormal(tmp_path: Path) -> None:
    exact = lognormal_of("lognorm(s=0.7,loc=2us,scale=9us)")
    assert (exact.shape, exact.loc, exact.scale, exact.fitted) == (0.7, 2000.0, 9000.0, False)
    samples = tmp_path / "s.csv"
    drawn = 4_000 + np.random.default_rng(3).lognormal(math.log(6_000), 0.6, 4_000)
    samples.write_text("latency_ns\n" + "\n".join(f"{x:.3f}" for x in drawn) + "\n")
    found = lognormal_of(str(samples))
    assert found.fitted
    assert found.loc == pytest.approx(4_000, rel=0.15)
    assert found.shape == pytest.approx(0.6, rel=0.15)
    first = design(found).treatments[-5]
    assert first.latency.mean == pytest.approx(drawn.mean(), rel=1e-4)
    gamma = lognormal_of("gamma(mean=20us,sd=8us)")
    assert gamma.fitted
    program = mute(tmp_path / "m.goal")
    warnings = variation_suite([program], NETWORK, design(gamma), samples=1).warnings
    assert "lognormal-fitted" in [notice.code for notice in warnings]


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


@pytest.mark.parametrize("loads", [(0.5,), (0.0, 0.5), (0.5, 1.0), (0.5, 0.5)])
def test_loads_must_be_two_shares(loads: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="loads"):
        design(loads=loads)


def test_programs_need_names_of_their_own(tmp_path: Path) -> None:
    program = mute(tmp_path / "m.goal")
    with pytest.raises(InputError, match="called m"):
        variation_suite([program, program])
    with pytest.raises(InputError, match="no programs"):
        variation_suite([])
    with pytest.raises(InputError, match="at least 1"):
        variation_suite([program], samples=0)
    with pytest.raises(InputError, match="give at most 25,000"):
        variation_suite([program], samples=1_000_000)


def test_the_table_of_runs_is_written_in_pieces(tmp_path: Path) -> None:
    """Memory is bounded by the text: as a list of Python's numbers, a run takes 8 times as much."""
    program = mute(tmp_path / "m.goal")
    result = variation_suite([program], NETWORK, samples=2_000)
    tracemalloc.start()
    try:
        text = result.to_csv()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert text == result.runs().to_csv()
    assert text.count("\n") == 1 + 40 * 2_000
    assert peak < 4 * len(text)


def test_a_wavefront_goes_with_variation_the_more_the_larger_its_grid(tmp_path: Path) -> None:
    """As docs/variation.md has it of LU on 8 and on 64 processes."""
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
        study = variation_suite([program]).programs[0]
        assert study.over_distributions is not None
        means = study.over_distributions
        found[rows] = means.std.r - means.mean.r
        assert study.plane.per_std > 0
    assert found[2] < 0 < found[8]
