"""Intervals of predictions: of campaigns with known truth, they hold it as often as they say."""

import math
from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import InputError, Network, Program, _core
from latitude._types import Floats
from latitude.analysis.prediction import (
    Answers,
    Asked,
    answers,
    answers_of,
    not_known,
    together,
)
from latitude.measure.loggps.measured import MeasuredLinks, link_classes
from latitude.measure.loggps.pair import Pair
from latitude.measure.loggps.replicates import quantiles
from latitude.model.cluster_file import Description, read_cluster
from latitude.model.links import AddedLatency
from latitude.model.placement import Placement
from latitude.model.rules import Rule
from latitude.statistics.combined_intervals import combined_intervals
from support.sections import known

TRUE = Network(L=1_500.0, o=400.0, G=0.1, S=1 << 20)
US = 1e3
RANKS, STEPS, BYTES = 4, 12, 2_000
ASKED = Asked([0.0, 10 * US], [0.01, 0.05], np.array([0.0, 5 * US]))
CAMPAIGNS = 70
"""Campaigns for each number of traces."""


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Ranks that compute for different times and pass a message on to the next, in steps: at low
    latencies other paths are critical than at high ones."""
    lines = [f"num_ranks {RANKS}"]
    for rank in range(RANKS):
        lines.append(f"rank {rank} {{")
        for step in range(STEPS):
            work = 20_000 + 6_000 * ((3 * rank + 5 * step) % 7)
            lines += [
                f"c{step}: calc {work}",
                f"s{step}: send {BYTES}b to {(rank + 1) % RANKS} tag {step}",
                f"r{step}: recv {BYTES}b from {(rank - 1) % RANKS} tag {step}",
                f"s{step} requires c{step}",
                f"r{step} requires s{step}",
            ]
            if step:
                lines.append(f"c{step} requires r{step - 1}")
        lines.append("}")
    path = tmp_path_factory.mktemp("ring") / "ring.goal"
    path.write_text("\n".join(lines) + "\n")
    return latitude.load(path)


def traced(ring: Program, random: np.random.Generator) -> _core.Graph:
    """The program as one run of it takes: 2 % longer or shorter, each computation by 10 %."""
    noise = random.normal(0, 0.02) + random.normal(0, 0.1, ring.graph.vertices)
    return ring.graph.scaled(np.exp(noise))


def said(graph: _core.Graph, network: Network) -> Answers:
    return answers_of(_core.Model(graph, network.core(RANKS)), network, ASKED)


def measured(random: np.random.Generator, noise: float, samples: int) -> MeasuredLinks:
    """The network as round trips and calls of it show it, each of which takes longer or shorter."""

    def seen(true: float) -> Floats:
        values = true * (1 + random.normal(0, noise, samples))
        return quantiles(values, np.ones(samples, np.int64), 0.5, random)

    S = TRUE.S
    pair = Pair(
        0, 1, inside=False, eager=S, seconds=1, rounds=5, imprecise=0, eager_isend=S, eager_start=S
    )
    for size in (1 << power for power in range(15)):
        pair.half[size] = seen(TRUE.L + 2 * TRUE.o + (size - 1) * TRUE.G)
        for kind in (pair.send, pair.receive, pair.between):
            kind[size] = seen(TRUE.o)
    (links,) = link_classes([pair], 1)
    return links


def network_of(links: MeasuredLinks) -> Network:
    draws = {name: tuple(values) for name, values in links.draws(None).items()}
    L, o, G = links.L.value, links.o.value, links.G(None).value
    return Network(L=L, o=o, G=G, S=TRUE.S, draws=draws)


@pytest.mark.thorough
def test_intervals_hold_the_truth_as_often_as_they_say(ring: Program) -> None:
    """90 % intervals of 210 campaigns, of T, λ and tolerances, by few traces and by many."""
    random = np.random.default_rng(20)
    runs = [said(traced(ring, random), TRUE).joined() for _ in range(2001)]
    truth = np.median(runs, axis=0)
    coverage = []
    for traces, noise, samples in ((3, 0.05, 50), (5, 0.2, 30), (10, 0.3, 60)):
        held = []
        for _ in range(CAMPAIGNS):
            network = network_of(measured(random, noise, samples))
            graphs = [traced(ring, random) for _ in range(traces)]
            changed = [said(graphs[0], other) for other in network.varied()]
            found = together([said(graph, network) for graph in graphs], changed)
            low, high = found.low.joined(), found.high.joined()
            held.append((low <= truth) & (truth <= high))
        coverage.append(np.mean(held, axis=0))
    assert np.min(coverage) >= 0.78  # the standard error of each is 0.04
    columns = Answers(*np.split(np.arange(8.0), 4))
    of_times = np.array(coverage)[:, [*map(int, (*columns.T_ns, *columns.tolerated))]]
    assert 0.85 <= of_times.mean() <= 0.95  # λ is a whole number, which is held more often


def test_one_trace_and_a_network_that_was_given_have_no_interval(ring: Program) -> None:
    found = known(latitude.analyze(ring).intervals)
    assert (found.T_ns, found.slope, found.tolerance, found.low_T_ns.size) == (None, None, [], 0)
    assert found.not_known == [
        "how much computation differs from run to run: there is one trace",
        "the network: L, o, G, S are defaults, not measured",
    ]
    given = Network(L=1_000.0, o=300.0, G=0.1, S=8192, draws={"o": (300.0, 310.0)})
    assert not_known(2, given) == ["how exact L, G are: they were given without intervals"]
    prediction = together([said(ring.graph, TRUE)], [])
    assert np.isnan(prediction.low.joined()).all()
    assert np.isnan(prediction.high.joined()).all()


@pytest.mark.thorough
def test_an_analysis_has_intervals_by_the_draws_of_its_network(ring: Program) -> None:
    """Compares intervals with their definition: the results on each of the possible networks."""
    L = tuple(np.linspace(1_000, 2_000, 50))
    network = Network(L=1_500.0, o=400.0, G=0.1, S=8192, draws={"L": L})
    found = latitude.analyze(ring, network, tolerance=[0.01], latency=(1_500.0, 5_000.0))
    others = [
        latitude.analyze(ring, other, tolerance=[0.01], latency=(other.L, other.L + 3_500.0))
        for other in network.varied()
    ]
    T = np.array([other.baseline.T_ns for other in others])
    bounds = known(found.intervals)
    assert bounds.T_ns is not None
    assert np.mean((bounds.T_ns.low <= T) & (bounds.T_ns.high >= T)) == pytest.approx(0.9, abs=0.06)
    assert T.min() < bounds.T_ns.low < found.baseline.T_ns < bounds.T_ns.high < T.max()
    (tolerance,) = bounds.tolerance
    deltas = np.array([other.tolerance[0].delta for other in others])
    inside = (deltas >= tolerance.delta.low - 1e-6) & (deltas <= tolerance.delta.high + 1e-6)
    assert 0.84 <= inside.mean() <= 1
    ends = np.array([other.curve.T_ns[-1] for other in others])
    assert ends.min() <= bounds.low_T_ns[-1] <= bounds.high_T_ns[-1] <= ends.max()
    assert found.to_dict()["intervals"]["T_ns"] == {
        "low": bounds.T_ns.low,
        "high": bounds.T_ns.high,
    }


def test_parameters_that_were_measured_together_are_drawn_together(ring: Program) -> None:
    """Half a round trip is known far better than L and o: where o is larger, L is smaller."""
    o = np.linspace(300, 500, 50)
    draws = {"o": tuple(o), "L": tuple(2_300 - 2 * o)}
    apart = {"o": tuple(o), "L": tuple(np.random.default_rng(1).permutation(2_300 - 2 * o))}
    widths = []
    for each in (draws, apart):
        network = Network(L=1_500.0, o=400.0, G=0.1, S=8192, draws=each)
        found = known(latitude.analyze(ring, network).intervals).T_ns
        assert found is not None
        widths.append(found.high - found.low)
    assert widths[0] < 0.5 * widths[1]


def test_what_some_run_never_tolerates_is_unbounded() -> None:
    values = np.array([[5.0, math.inf], [6.0, 9.0], [7.0, 8.0]])
    low, high = combined_intervals(values, np.zeros((0, 2)))
    assert low[0] < 6 < high[0] < math.inf
    assert (low[1], high[1]) == (8, math.inf)
    low, high = combined_intervals(values[1:2], np.array([[0.0, 1.0], [1.0, math.inf]]))
    assert (low[0], high[0]) == (6, 7)
    assert (low[1], high[1]) == (9, math.inf)


def test_a_measured_network_keeps_its_draws_in_its_file(tmp_path: Path) -> None:
    links = measured(np.random.default_rng(3), 0.2, 30)
    draws = links.draws(None)
    assert draws.keys() == {"L", "o", "G"}
    assert {len(values) for values in draws.values()} == {50}
    assert np.corrcoef(draws["L"], draws["o"])[0, 1] < 0
    assert links.draws(links.replicates["O"]).keys() == {"L", "o", "G", "O"}
    assert np.isfinite(list(draws.values())).all()
    path = tmp_path / "cluster.toml"
    path.write_text(
        '[network]\nL = "1us"\no = "0.4us"\nG = "0.1ns"\nS = "8KiB"\n[network.draws]\n'
        'L = ["0.9us", "1.1us"]\no = ["450ns", "350ns"]\n'
    )
    description = read_cluster(path)
    network = description.network()
    assert network.draws == {"L": (900.0, 1_100.0), "o": (450.0, 350.0)}
    assert [(each.L, each.o, each.draws) for each in network.varied()] == [
        (900.0, 450.0, {}),
        (1_100.0, 350.0, {}),
    ]
    over = Description(values={"L": "2us"}).over(description).network()
    assert over.draws == {"o": (450.0, 350.0)}


@pytest.mark.parametrize(
    ("draws", "wrong"),
    [
        ('L = ["1us"]\no = ["1us", "2us"]', "all parameters must have equally many values"),
        ("L = []", "from 1 to 1,000"),
        ('L = ["1"]', "L"),
        ("L = [1.0]", "must be a list of texts"),
        ('S = ["8KiB"]', "no such key"),
        ('L = ["-1us"]', "L"),
        ("L = [" + '"1us",' * 1_001 + "]", "from 1 to 1,000"),
    ],
)
def test_draws_that_are_none_are_refused(tmp_path: Path, draws: str, wrong: str) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(f'[network]\nL = "1us"\n[network.draws]\n{draws}\n')
    with pytest.raises(InputError, match=wrong):
        read_cluster(path).network()


@pytest.mark.parametrize("inside", [True, False])
def test_an_added_latency_is_that_of_all_messages_that_have_it(
    tmp_path: Path, inside: bool
) -> None:
    """Links inside a node count only if the injector delays their messages, too."""
    path = tmp_path / "ring.goal"
    path.write_text(
        "num_ranks 4\n"
        "rank 0 {\na: send 8b to 1 tag 0\nb: send 8b to 2 tag 0\nb requires a\n}\n"
        "rank 1 {\nc: recv 8b from 0 tag 0\nd: send 8b to 3 tag 0\nd requires c\n}\n"
        "rank 2 {\ne: recv 8b from 0 tag 0\n}\n"
        "rank 3 {\nf: recv 8b from 1 tag 0\n}\n"
    )
    program = latitude.load(path)
    placement = Placement.parse("block", ranks_per_node=2)

    def network(L: float, in_node: float) -> Network:
        rules = (Rule("same node", L=in_node),)
        return Network(L=L, o=100.0, G=0.0, rules=rules, placement=placement)

    base, delta = 50 * US, 20 * US
    asked = Asked([0.0, delta], [], np.empty(0), added=AddedLatency(base, inside=inside))
    found = answers(program, network(3 * US, 1 * US), asked)
    for T, more in zip(found.T_ns, (base, base + delta), strict=True):
        slower = network(3 * US + more, 1 * US + (more if inside else 0))
        core = slower.core(program.ranks)
        assert _core.Model(program.graph, core).runtime() == T
    assert found.slope.tolist() == [2.0 if inside else 1.0] * 2
