"""Programs that were traced, written as OTF2 and read again: the same programs."""

from pathlib import Path
from typing import Any

import pytest

import latitude
from latitude.cli.main import main
from support.mpi.traced import Mpi

RANKS = {
    "collectives.c": 4,
    "communicators.c": 4,
    "completions.c": 2,
    "messages.c": 2,
    "neighbours.c": 4,
}
"""Wildcards, receives that complete out of order, communicators of all kinds, v-collectives,
MPI_IN_PLACE, operations of the program's own."""


def _found(path: Path) -> tuple[Any, ...]:
    program = latitude.load(path, skip_unsupported=True)
    analysis = latitude.analyze(program, latitude.Network(L=3000, o=500, G=0.1, S=64))
    graph = program.graph
    # T and λ, every critical latency, the calls made, and the graph itself.
    return (
        analysis.baseline,
        analysis.to_dict()["breakpoints"],
        program.trace.calls,
        (graph.vertices, graph.messages, sorted(graph.value.tolist())),
    )


@pytest.mark.parametrize("source", RANKS)
def test_a_traced_program_is_the_same_as_otf2(source: str, tracer: Mpi, tmp_path: Path) -> None:
    traced = tracer.trace(tmp_path, RANKS[source], source)
    assert traced.done.returncode == 0, traced.done.stderr
    assert main(["convert", str(tmp_path / "trace"), str(tmp_path / "run.otf2")]) == 0
    converted, own = _found(tmp_path / "run.otf2"), _found(tmp_path / "trace")
    if "polls" in {
        each.code for each in latitude.load(tmp_path / "trace", skip_unsupported=True).warnings
    }:
        # Converted traces hold no polls that failed: their time is computation there, not a wait.
        assert converted[2] == own[2]
        assert converted[3][:2] == own[3][:2]
        assert sum(converted[3][2]) >= sum(own[3][2])
    else:
        assert converted == own
