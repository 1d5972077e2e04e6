"""Waits and delays against docs/explanation/waits.md: by an oracle that follows every line, and by
their sums on the shared traces.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from latitude import _core
from support.oracle.arrays import Parameters
from support.oracle.programs import random_cluster, random_program
from support.oracle.threaded_programs import random_threads
from support.oracle.traced_programs import random_trace
from support.oracle.traces import ARCHIVES, graph_of, graph_of_texts, random_call_times
from support.oracle.unordered_goal import independent_program
from support.oracle.waits import Accounts, Place, Waits
from support.tiers import first_of

READINGS = ("handshake", "put", "get", "llamp", "sync")
GAPS = ("none", "send", "both")
CHUNKS, PROGRAMS = 4, 120
"""Programs of a chunk."""


def found_by(core: _core.Waits, names: list[str]) -> Accounts:
    """The core's rows as the oracle has them."""
    found = Accounts()

    def rows(*columns: Any) -> Any:
        return zip(*(column.tolist() for column in columns), strict=True)

    names = [*names, ""]
    places: list[Place] = [
        (names[call], site, names[posted_call], posted_site)
        for call, site, posted_call, posted_site in rows(
            core.place_call, core.place_site, core.place_posted_call, core.place_posted_site
        )
    ]
    spent = rows(core.spent_line, core.spent_place, core.spent_activity, core.spent_ns)
    for rank, place, activity, ns in spent:
        found.spent[rank, places[place], core.activities[activity]] += ns
    for rank, place, cause, ns in rows(
        core.wait_line, core.wait_place, core.wait_cause, core.wait_ns
    ):
        found.waits[rank, places[place], core.causes[cause]] += ns
    for rank, place, activity, *both in rows(
        core.delay_line,
        core.delay_place,
        core.delay_activity,
        core.delay_direct_ns,
        core.delay_indirect_ns,
    ):
        for direct, ns in zip((True, False), both, strict=True):
            found.delays[rank, places[place], core.activities[activity], direct] += ns
    for delaying, waiting, *both in rows(
        core.line_delaying, core.line_waiting, core.line_direct_ns, core.line_indirect_ns
    ):
        for direct, ns in zip((True, False), both, strict=True):
            found.lines[delaying, waiting, direct] += ns
    for delaying, waiting, *both in rows(
        core.place_delaying, core.place_waiting, core.place_direct_ns, core.place_indirect_ns
    ):
        for direct, ns in zip((True, False), both, strict=True):
            found.places[places[delaying], places[waiting], direct] += ns
    return found


def rounded(sums: Mapping[Any, Fraction]) -> dict[Any, float]:
    """Sums that differ from zero."""
    return {key: round(float(ns), 6) for key, ns in sums.items() if abs(ns) > 1e-6}


def check(graph: _core.Graph, costs: Parameters) -> set[str]:
    """The core's sums are those of the oracle. Returns the causes that occurred."""
    core = _core.Model(graph, _core.Network(**costs.keywords())).waits()
    found = found_by(core, graph.call_name)
    expected = Waits(graph, costs).accounts()
    for name, sums in vars(expected).items():
        assert rounded(getattr(found, name)) == rounded(sums), name
    check_together(graph, costs, expected)
    return {cause for _, _, cause in rounded(expected.waits)} | {
        "indirect" for *_, direct in rounded(expected.lines) if not direct
    }


def check_together(graph: _core.Graph, costs: Parameters, expected: Accounts) -> None:
    """Checks that delays are equal if lines are followed together. The waiting rank is known for
    direct delays; the completion part of a collective's wait is not.
    """
    core = _core.Model(graph, _core.Network(**costs.keywords())).waits(together=True)
    found = found_by(core, graph.call_name)
    for name in ("spent", "delays", "places"):
        assert rounded(getattr(found, name)) == rounded(getattr(expected, name)), name
    assert core.wait_ns.sum() == pytest.approx(float(sum(expected.waits.values())))
    assert core.unexplained_ns == 0
    paired = sum(found.lines.values(), Fraction(0))
    total = sum(expected.lines.values(), Fraction(0))
    assert float(paired) + core.unpaired_ns == pytest.approx(float(total))
    for key, ns in rounded(found.lines).items():
        assert ns <= float(expected.lines[key]) + 1e-6


def networks(rng: Random, ranks: int) -> list[Parameters]:
    """One of a reading and a gap each."""
    drawn = random_cluster(rng, ranks)
    chosen = rng.sample(list(product(READINGS, GAPS)), 4)
    unspaced = replace(drawn, g=0.0, g_of_class=())
    return [
        replace(unspaced if gap == "none" else drawn, rendezvous=reading, gap=gap)
        for reading, gap in chosen
    ]


@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
def test_waits_and_delays_of_small_programs(chunk: int, tmp_path: Path) -> None:
    met: set[str] = set()
    for seed in range(chunk * PROGRAMS, (chunk + 1) * PROGRAMS):
        rng = Random(seed)
        if seed % 3 == 0:
            path = tmp_path / "program.goal"
            path.write_text(random_program(rng).text())
            graph = _core.graph_format("goal").read(str(path))
        else:
            many = {"messages": 20} if seed % 3 == 1 else {"collectives": 6}
            took = random_call_times(rng) if seed % 2 == 0 else None
            graph = graph_of_texts(random_trace(rng, **many), took)
        for costs in networks(rng, graph.ranks):
            met |= check(graph, costs)
    assert met == {*_core.Waits.causes, "indirect"} - {"other_thread"}


@pytest.mark.thorough
@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
def test_waits_and_delays_of_programs_with_threads(chunk: int) -> None:
    """Each of the 1 to 4 threads of a rank has a line of its own."""
    met: set[str] = set()
    for seed in range(chunk * PROGRAMS, (chunk + 1) * PROGRAMS):
        rng = Random(seed)
        graph = random_threads(rng, messages=rng.choice([8, 16])).graph()
        for costs in networks(rng, graph.ranks)[:2]:
            met |= check(graph, costs)
    assert {"late_sender", "late_receiver", "other_thread", "n_to_n", "indirect"} <= met


@pytest.mark.parametrize("chunk", first_of(range(CHUNKS)))
def test_waits_and_delays_where_cpus_serve_who_comes_first(chunk: int, tmp_path: Path) -> None:
    """GOAL files whose ranks have independent operations, on one CPU or several, in the order that
    is taken by default."""
    met: set[str] = set()
    turns = 0
    for seed in range(chunk * PROGRAMS, (chunk + 1) * PROGRAMS):
        rng = Random(seed)
        path = tmp_path / "program.goal"
        path.write_text(independent_program(rng))
        graph = _core.graph_format("goal").read(str(path))
        for costs in networks(rng, graph.ranks):
            network = _core.Network(**costs.keywords())
            service = _core.Model(graph, network).service(costs.L)
            ordered = _core.in_order_of(graph, service)
            turns += int((ordered.dep_kind == _core.DepKind.served).sum())
            met |= check(ordered, costs)
    assert met == {"late_sender", "late_receiver", "other_thread", "indirect"}
    assert turns > 10 * PROGRAMS


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("name", ARCHIVES)
def test_all_of_every_ranks_time_is_accounted_for(name: str) -> None:
    graph = graph_of(name)
    networks = (
        Parameters(L=3000.0, o=5000.0, G=0.018, S=256 * 1024),
        Parameters(L=1000.0, o=500.0, G=0.1, S=100, gap="both", g=10.0, O=0.1),
    )
    for costs in networks:
        model = _core.Model(graph, _core.Network(**costs.keywords()))
        waits, path = model.waits(), model.critical_path()
        total = np.bincount(waits.spent_line, waits.spent_ns, graph.ranks)
        total += np.bincount(waits.wait_line, waits.wait_ns, graph.ranks)
        assert np.abs(total - path.rank_end_ns).max() < 0.5
        computed = waits.spent_activity == waits.activities.index("computation")
        own = np.bincount(waits.spent_line, waits.spent_ns * computed, graph.ranks)
        assert np.abs(own - path.rank_calc_ns).max() < 0.5
        waited = waits.wait_ns.sum()
        assert waited > 0
        for which in ("delay", "line", "place"):
            direct = getattr(waits, f"{which}_direct_ns")
            indirect = getattr(waits, f"{which}_indirect_ns")
            assert direct.min() >= 0
            assert indirect.min() >= 0
            assert direct.sum() + indirect.sum() == pytest.approx(waited, abs=0.5)
