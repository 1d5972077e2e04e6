"""Messages by communicator: they add up to all, and the page tells of several."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import latitude
from latitude import Analysis, _core
from latitude.render.document import Section
from latitude.render.documents.analysis import analysis_document
from latitude.results.critical_path import WholePath
from latitude.results.lines import RankLines
from latitude.sections.communicators.compute import communicators_of
from latitude.sections.communicators.result import Communicators
from support.schemas import document
from support.sections import known


@pytest.fixture(scope="module")
def result(lulesh: Path) -> Analysis:
    return latitude.analyze(latitude.load(lulesh))


def test_all_messages_are_of_the_world(result: Analysis) -> None:
    (row,) = document(result.to_json())["communicators"]
    assert (row["communicator"], row["messages"]) == (0, result.graph.messages)
    assert row["bytes"] == result.graph.bytes
    assert row["lambda_L"] == result.baseline.lambda_L
    path = known(result.baseline.path)
    assert row["network_ns"] == pytest.approx(path.latency_ns + path.bandwidth_ns)


def test_goal_files_have_no_communicators(two_ranks: Path) -> None:
    assert latitude.analyze(latitude.load(two_ranks)).communicators is None


def test_a_message_is_of_the_communicator_of_its_receive() -> None:
    """Calls: a send and two receives of communicator 2, a receive of 0, a barrier of none."""
    graph: Any = SimpleNamespace(
        communicators=3,
        call_comm=np.array([2, 2, 2, 0, 9], dtype=np.uint32),
        origin=np.array([0, 1, 2, 3, 4, _core.NO_ORIGIN], dtype=np.uint32),
        received_by_communicator=lambda: (np.array([1, 0, 2, 1]), np.array([11, 0, 12, 13])),
    )
    vertex, latencies = np.array([5, 0, 1, 3, 4]), np.array([0.0, 0.0, 1.0, 2.0, 4.0])
    nothing = np.zeros(5)
    path = WholePath(
        vertex=vertex, rank=vertex, line=vertex, start=nothing, end=nothing,
        lines=RankLines.one_each(6),
        calc=nothing, overhead=nothing,
        network=10 * latencies, latency=nothing, latencies=latencies,
    )  # fmt: skip
    found = communicators_of(graph, path)
    assert [*known(found).rows()] == [(0, 1, 11, 2.0, 20.0), (2, 2, 12, 1.0, 10.0)]


def test_the_page_tells_several_and_not_one(result: Analysis) -> None:
    def told(found: Analysis) -> list[Section]:
        parts = analysis_document(found).parts
        return [p for p in parts if isinstance(p, Section) and p.title.startswith("Messages by")]

    assert told(result) == []
    two = Communicators(
        communicator=np.array([0, 3]),
        messages=np.array([5, 6]),
        bytes=np.array([7, 8]),
        lambda_L=np.array([1.0, 3.0]),
        network_ns=np.array([10.0, 30.0]),
    )
    (section,) = told(replace(result, communicators=two))
    assert section.reading == "communicator 3 has 75% of the 4 latencies on the critical path."
    files = {file.name: file.text for file in analysis_document(result).files}
    assert files["communicators.csv"]().startswith(
        "communicator,messages,bytes,lambda_L,network_ns"
    )
