"""Critical path and slack of traces that are evaluated while they are read: those in memory."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import Analysis, Program
from latitude.analysis.answer import Listed
from latitude.analysis.context import PassesContext
from latitude.analysis.stream import analyze_stream
from latitude.files.progress import Silent
from latitude.model.network import Network
from latitude.model.theta import theta_of
from latitude.sections.slack.result import Slack, SlackGroup
from latitude.sections.waits.compute import COMPUTED as WAITS
from latitude.sections.waits.result import CAUSES
from latitude.trace.pieces import open_in_pieces
from latitude.trace.synthetic import SyntheticTrace
from latitude.units.quantities import format_share
from support.native_trace import RANKS, rank_file, write
from support.paths import EXAMPLES, TRACE_NAMES
from support.rewritten import rewritten
from support.sections import known, pairs_in, slack_in, waits_in
from support.tiers import first_of

NEAR = 1e-9
"""Sums of numbers that are associated otherwise, as a share of T."""
NETWORKS = {
    "eager": {"L": "1.7us", "o": "300ns", "G": "0.25ns/B", "S": "256KiB"},
    "rendezvous": {"L": "1.7us", "o": "300ns", "G": "0.25ns/B", "O": "0.1ns/B", "S": "64B"},
    "tied": {"L": "0ns", "o": "0ns", "G": "0ns/B", "S": "1KiB"},
}


def same(found: Analysis, expected: Analysis) -> None:
    """All that both have."""
    near = NEAR * expected.baseline.T_ns

    def close(one: float, other: float) -> bool:
        return one == pytest.approx(other, rel=NEAR, abs=near)

    path, other = known(found.baseline.path), known(expected.baseline.path)
    assert (path.lambda_o, path.lambda_G) == (other.lambda_o, other.lambda_G)
    for name in ("lambda_L", "lambda_L_left", "lambda_L_right"):
        assert getattr(found.baseline, name) == getattr(expected.baseline, name), name
    assert close(known(found.baseline.rho_L), known(expected.baseline.rho_L))
    parts = ("calc_ns", "overhead_ns", "latency_ns", "bandwidth_ns")
    for name in parts:
        assert close(getattr(path, name), getattr(other, name)), name
    assert close(sum(getattr(path, name) for name in parts), found.T_ns)

    assert known(found.efficiency).processors == known(expected.efficiency).processors
    for name, value in known(expected.efficiency).predicted.plain().items():
        assert getattr(known(found.efficiency).predicted, name) == value, name

    for name, column in known(expected.by_rank).columns().items():
        own = known(found.by_rank).columns()[name]
        np.testing.assert_allclose(own, column, rtol=NEAR, atol=near, err_msg=name)

    same_shares(found, expected, close)
    same_waits(found, expected)


def same_shares(found: Analysis, expected: Analysis, close: Callable[[float, float], bool]) -> None:
    """Checks the parts of calls, call sites and pairs in the path."""
    calls = {share.call: share.plain() for share in expected.by_call}
    assert {share.call for share in found.by_call} == set(calls)
    for share in found.by_call:
        for name, value in share.plain().items():
            other = calls[share.call][name]
            exact = name in {"call", "count", "path_vertices", "lambda_L"}
            assert value == other if exact else close(value, other), (share.call, name)

    sites = {share.where: share.plain() for share in expected.by_call_site}
    assert {share.where for share in found.by_call_site} == set(sites)
    for site in found.by_call_site:
        for name, value in site.plain().items():
            if name == "least_slack_ns" and found.slack is None:
                continue
            other = sites[site.where][name]
            inexact = name.endswith("_ns") or name == "share"
            assert close(value, other) if inexact else value == other, (site.where, name)

    for name, column in pairs_in(found).columns().items():
        if "slack" not in name:
            assert np.array_equal(column, pairs_in(expected).columns()[name]), name


def same_waits(found: Analysis, expected: Analysis) -> None:
    """Compares times of ranks, and causes of waits."""
    near = NEAR * expected.baseline.T_ns
    assert found.waits is not None
    assert found.by_rank is not None
    assert found.waits.unexplained_ns == 0
    for name, column in found.waits.by_rank.columns().items():
        other = waits_in(expected).by_rank.columns()[name]
        if name.endswith("_ns"):
            np.testing.assert_allclose(column, other, rtol=NEAR, atol=near, err_msg=name)
        else:
            assert list(column) == list(other), name
    for table, sums in (("times", 1), ("delays", 2), ("between_ranks", 2), ("between_calls", 2)):
        rows, others = (
            {row[:-sums]: row[-sums:] for row in getattr(waits, table).rows()}
            for waits in (found.waits, expected.waits)
        )
        none = (0.0,) * sums
        for key in rows.keys() | others.keys():
            about = pytest.approx(others.get(key, none), rel=NEAR, abs=near)
            assert rows.get(key, none) == about, (table, key)

    # Time of a rank that is neither computation nor overhead is waiting or transfer.
    ranks = found.waits.by_rank
    waited = sum(getattr(ranks, f"{cause}_ns") for cause in CAUSES)
    np.testing.assert_allclose(ranks.end_ns, found.by_rank.end_ns, rtol=NEAR, atol=near)
    np.testing.assert_allclose(
        ranks.transfer_ns + waited, found.by_rank.wait_ns, rtol=NEAR, atol=10 * near
    )


def same_slack(found: Slack, expected: Analysis) -> None:
    """All that both have."""
    slack, near = slack_in(expected), NEAR * expected.baseline.T_ns
    assert (found.pairs, found.critical_pairs) == (slack.pairs, slack.critical_pairs)
    assert found.least_ns == pytest.approx(slack.least_ns, rel=NEAR, abs=near)
    assert found.mean_ns == pytest.approx(slack.mean_ns, rel=NEAR, abs=near)
    for name in ("by_call", "by_comm", "by_size"):
        same_groups(getattr(found, name), getattr(slack, name), near)
    assert len(found.by_pair) == len(slack.by_pair)
    for name, column in slack.by_pair.columns().items():
        own = found.by_pair.columns()[name]
        np.testing.assert_allclose(own, column, rtol=NEAR, atol=near, err_msg=name)
    least = {site.call_site: site.least_ns for site in slack.by_call_site}
    assert {site.call_site for site in found.by_call_site} == set(least)
    for site in found.by_call_site:
        assert site.least_ns == pytest.approx(least[site.call_site], rel=NEAR, abs=near)


def same_groups(found: list[SlackGroup], expected: list[SlackGroup], near: float) -> None:
    """Compares the groups of one way to sum up."""
    others = {group.name: group.plain() for group in expected}
    assert {group.name for group in found} == set(others)
    for group in found:
        for name, value in group.plain().items():
            other = others[group.name][name]
            if name.endswith("_ns"):
                other = pytest.approx(other, rel=NEAR, abs=near)
            assert value == other, (group.name, name)


def both(folder: Path, network: dict[str, str], threads: int = 0) -> tuple[Analysis, Analysis]:
    found = analyze_stream(open_in_pieces(folder), Network.parse(network), threads=threads)
    return found, latitude.analyze(latitude.load(folder), Network.parse(network))


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("pattern", first_of(["halo", "wavefront", "cg"]))
@pytest.mark.parametrize("ranks", [2, 6, 9])
def test_the_path_is_that_of_an_analysis_in_memory(
    tmp_path: Path, pattern: str, ranks: int, network: str
) -> None:
    (tmp_path / "trace").mkdir()
    SyntheticTrace(pattern, ranks, 3000, 4096, 20_000).write_folder(tmp_path / "trace", Silent())
    same(*both(tmp_path / "trace", NETWORKS[network], threads=1 + ranks % 3))


def test_call_sites_have_their_names_and_senders(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", {rank: rank_file(rank) for rank in range(RANKS)})
    found, expected = both(folder, NETWORKS["rendezvous"])
    assert [site.where for site in found.by_call_site] == ["app+0x1234"]
    same(found, expected)


def test_it_is_said_for_how_much_nobody_is_known_behind_waits(tmp_path: Path) -> None:
    trace = open_in_pieces(rewritten(EXAMPLES / "lulesh-8-i20-s8.tar.xz", tmp_path / "trace"))
    network = Network.parse(NETWORKS["eager"])
    found = analyze_stream(trace, network)
    how = trace.how(1, lambda _bytes: None)
    how.on_lines = 0
    core = network.core_of(network.links(trace.ranks))
    links = network.links(trace.ranks)
    context = PassesContext(
        trace=trace,
        network=network,
        links=links,
        theta=theta_of("L", network, links),
        progress=Silent(),
        T_ns=found.T_ns,
        followed=trace.follow(core, how),
    )
    cut = known(WAITS.of_passes)(context)
    near = NEAR * found.T_ns
    assert cut.waited_ns == pytest.approx(waits_in(found).waited_ns, abs=near)
    delays = (cut.delays.direct_ns + cut.delays.indirect_ns).sum()
    assert 0 < cut.unexplained_ns < cut.waited_ns
    assert delays + cut.unexplained_ns == pytest.approx(cut.waited_ns, abs=near)
    (notice,) = (each for each in context.warnings if each.code == "waits-unexplained")
    share = format_share(cut.unexplained_ns / cut.waited_ns)
    assert share in notice.message


@pytest.fixture(scope="module", params=TRACE_NAMES)
def shared_trace(
    request: pytest.FixtureRequest, traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Program]]:
    """A shared trace in our format and its program, for all tests of it."""
    folder = rewritten(traces / request.param, tmp_path_factory.mktemp("shared") / "trace")
    yield folder, latitude.load(folder)
    shutil.rmtree(folder)


@pytest.mark.traces
def test_the_path_and_the_slack_of_every_shared_trace(
    shared_trace: tuple[Path, Program], tmp_path: Path
) -> None:
    folder, program = shared_trace
    for threads, network in enumerate(map(Network.parse, NETWORKS.values()), 1):
        found = analyze_stream(open_in_pieces(folder), network, scratch=tmp_path, threads=threads)
        expected = latitude.analyze(program, network)
        assert found.graph == expected.graph
        assert found.slack is not None
        same_slack(found.slack, expected)
        assert len(found.by_call_site) > 1
        same(found, expected)
    assert not list(tmp_path.iterdir())


@pytest.mark.traces
def test_critical_values_of_every_shared_trace(shared_trace: tuple[Path, Program]) -> None:
    (folder, program), network = shared_trace, Network.parse(NETWORKS["eager"])
    interval = (1700.0, 30_000.0)
    found = analyze_stream(
        open_in_pieces(folder), network, latency=interval, critical=Listed(20), path=False
    )
    expected = latitude.analyze(program, network, latency=interval, critical=20)
    assert found.critical.plain() == expected.critical.plain()
    for column, values in expected.breakpoints.columns().items():
        assert np.array_equal(found.breakpoints.columns()[column], values), column


@pytest.mark.thorough
@pytest.mark.parametrize(("pattern", "most"), [("halo", 1000), ("wavefront", 10_000)])
def test_what_is_kept_of_paths_does_not_grow_with_the_trace(
    tmp_path: Path, pattern: str, most: int
) -> None:
    """Each rank of a halo has a path of its own for good; a wavefront's ranks run ahead.

    How far they do is bounded, too: by the messages that are on their way.
    """
    network = Network.parse(NETWORKS["eager"])
    held = []
    for operations in (400_000, 1_000_000):
        folder = tmp_path / f"{operations}"
        folder.mkdir()
        SyntheticTrace(pattern, 8, operations, 4096, 20_000).write_folder(folder, Silent())
        trace = open_in_pieces(folder)
        core = network.core_of(network.links(trace.ranks))
        held.append(trace.follow(core, trace.how(1, lambda _bytes: None)).survivors)
    assert held[1] == held[0] < most
