"""Programs that were traced, written as OTF2 and read again: the same programs."""

from collections.abc import Sequence
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

ASSUMED = {"completions.c": ["wildcards=arrival"]}
"""Converted traces hold no failed polls: their time is computation there, and is here, too, by
this assumption."""


def _found(path: Path, assume: Sequence[str]) -> tuple[Any, ...]:
    program = latitude.load(path, skip_unsupported=True, assume=assume)
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
    assume = ASSUMED.get(source, [])
    assert _found(tmp_path / "run.otf2", assume) == _found(tmp_path / "trace", assume)
