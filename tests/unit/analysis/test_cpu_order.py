"""The order in which CPUs take independent operations of GOAL files.

The C++ tests hold it against simulators; here are LogGOPSim's numbers, and what users see.
"""

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

import latitude as lat
from latitude import _core
from latitude._core import InputError
from latitude.analysis.cpu_order import in_order
from latitude.model.theta import theta_of
from support.oracle.exact import ExactGraph
from support.oracle.unordered_goal import unordered_program

LATENCY = 3000.0
GOLDEN = json.loads((Path(__file__).parent / "loggopsim_unordered.json").read_text())
"""T of LogGOPSim 76451de: by o, one a program; benchmarks/validate_loggopsim.py prints them."""


def network(o: float, **more: object) -> lat.Network:
    """LogGOPSim's, where messages are eager and have no bytes."""
    return lat.Network(L=LATENCY, o=o, G=0.0, S=1 << 20, rendezvous="sync", **more)  # type: ignore[arg-type]


def runtime(program: lat.Program, on: lat.Network, L: float = LATENCY) -> float:
    """T in ns."""
    model = _core.Model(program.graph, on.core(program.ranks))
    return float(model.along().runtime(np.array([L]))[0])


def loaded(text: str, folder: Path, **options: str) -> lat.Program:
    """A GOAL file of this text."""
    path = folder / "program.goal"
    path.write_text(text)
    return lat.load(path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("o", [0, 1000, 5000])
def test_T_at_the_baseline_is_LogGOPSims(o: int, tmp_path: Path) -> None:
    """Compares T for receives that are posted before their messages come; no CPU does two things at
    once, as it would without an order.
    """
    golden = GOLDEN[str(o)]
    assert len(golden) >= 20
    moved = 0
    for seed, theirs in enumerate(golden):
        program = loaded(unordered_program(Random(seed)), tmp_path)
        ordered = in_order(program, network(o))
        assert runtime(ordered, network(o)) == theirs, seed
        moved += runtime(program, network(o)) < theirs
        assert _core.Model(ordered.graph, network(o).core(ordered.ranks)).overlapping() == 0
    assert moved > len(golden) / 2


def test_an_order_leaves_it_to_the_network_which_messages_wait(tmp_path: Path) -> None:
    """A rule's S makes rendezvous of messages on the network of the order, not in the program."""
    program = loaded(unordered_program(Random(1)), tmp_path)
    together = lat.Placement.explicit([0] * program.ranks)
    eager = replace(network(700.0), rendezvous="handshake", placement=together)
    on = replace(eager, rules=(lat.Rule("same node", L=LATENCY, S=1),))
    ordered = in_order(program, on)
    assert runtime(ordered, on) > runtime(ordered, eager)
    assert not ordered.graph.synchronous.any()


def test_the_inequalities_have_the_order_too(tmp_path: Path) -> None:
    """The exact longest path of the LP's rows is the engine's T, rendezvous and gaps included."""
    refused = 0
    for seed in range(40):
        on = replace(
            network(
                700.0, gap=["none", "send", "both"][seed % 3], g=0.0 if seed % 3 == 0 else 900.0
            ),
            S=[1 << 20, 100][seed // 2 % 2],
            rendezvous=["handshake", "put", "get", "llamp", "sync"][seed % 5],
        )
        text = unordered_program(Random(seed))
        text = re.sub(r"tag (\d+)", lambda tag: f"{tag[0]} nic {int(tag[1]) % 3}", text)
        try:
            program = in_order(loaded(text, tmp_path), on)
        except InputError:  # with gaps the order of the file may be one in which it cannot run
            refused += 1
            continue
        assert _core.choices(program.graph) > 0
        exact = ExactGraph(program.graph, on.core(program.ranks))
        theta = theta_of("L", on, on.links(program.ranks))
        assert float(exact.along(theta).at(Fraction(LATENCY))) == runtime(program, on)
    assert refused < 20


def test_choices_are_counted_and_told(tmp_path: Path) -> None:
    program = loaded(unordered_program(Random(1)), tmp_path)
    found = lat.analyze(program, network(1000.0), latency="3us:300us")
    order = found.cpu_order
    assert order is not None
    assert order.order == "baseline"
    assert order.choices > 5
    assert order.otherwise_at_low == 0  # it is the baseline
    assert order.otherwise_at_high is not None
    assert 0 < order.otherwise_at_high < order.choices
    (told,) = [each for each in found.warnings if each.code == "cpu-order-chosen"]
    assert told.message.startswith(f"the file leaves {order.choices} orders of operations")
    assert told.message.endswith(f"and {order.otherwise_at_high} at 300 µs")


def test_operations_that_overlap_are_counted_and_told(tmp_path: Path) -> None:
    text = unordered_program(Random(1))
    apart = lat.analyze(loaded(text, tmp_path), network(1000.0)).baseline.T_ns
    found = lat.analyze(loaded(text, tmp_path, cpu_order="none"), network(1000.0))
    assert found.cpu_order is not None
    assert (found.cpu_order.order, found.cpu_order.choices) == ("none", 0)
    assert found.baseline.T_ns < apart
    (told,) = [each for each in found.warnings if each.code == "cpu-overlap"]
    assert "operations begin while another one holds their cpu: T is" in told.message


def test_what_has_an_order_is_as_it_was(tmp_path: Path, lulesh: Path) -> None:
    traced = lat.load(lulesh)
    assert in_order(traced, network(1000.0)) is traced
    assert lat.analyze(traced, network(1000.0)).cpu_order is None
    text = "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 7\nb requires a\n}\n"
    for order in ("baseline", "none", "file"):
        found = lat.analyze(loaded(text, tmp_path, cpu_order=order), network(1000.0))
        assert found.cpu_order is not None
        assert found.cpu_order.choices == 0
        assert not [each for each in found.warnings if each.code.startswith("cpu-")]


def test_an_unknown_order_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cpu_order: 'fifo' is unknown; use baseline, file, none"):
        loaded("num_ranks 1\nrank 0 {\n}\n", tmp_path, cpu_order="fifo")
