"""Recorded and predicted runtime in one line, with a verdict; and what follows from defaults."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

import latitude
from latitude import Analysis, Network
from latitude.model.cluster_file import read_cluster
from latitude.render.document import Section, Table, cell, charts
from latitude.render.documents.analysis import analysis_document
from latitude.render.documents.recorded import recorded_parts, verdict
from latitude.trace.examples import DEMO, DEMO_NETWORK
from latitude.trace.program import WallTimes


@pytest.fixture(scope="module")
def demo(examples: Path) -> Analysis:
    network = read_cluster(examples / DEMO_NETWORK).network()
    return latitude.analyze(latitude.load(examples / DEMO), network)


def recorded(analysis: Analysis, ratio: float, **wall: float) -> Analysis:
    """The analysis of a run that took `ratio` times T, with these shares of its own time."""
    took = analysis.T_ns * ratio
    names = ("computing", "without_core", "tracer", "calls")
    times = WallTimes(**{f"{name}_ns": wall.get(name, 0.0) * took for name in names})
    trace = replace(analysis.trace, wall_ns=took, wall=times)
    return msgspec.structs.replace(analysis, trace=trace)


def test_the_demo_is_predicted_within_3_percent(demo: Analysis) -> None:
    assert demo.trace.wall_ns == pytest.approx(demo.T_ns, rel=0.03)
    document = analysis_document(demo)
    assert not document.doubts
    assert document.answer[0].startswith("Recorded 760.7 ms, predicted 752.6 ms: 1.08% apart, ")
    assert document.answer[0].endswith("They agree.")
    assert "MPI_Allreduce, LLNL+LULESH/lulesh.cc:186" in document.headline


@pytest.mark.parametrize(
    ("ratio", "doubtful", "agree"),
    [(1.05, False, True), (1.3, False, False), (1.6, True, False), (0.6, True, False)],
)
def test_a_verdict_by_the_ratio(demo: Analysis, ratio: float, doubtful: bool, agree: bool) -> None:
    told = verdict(recorded(demo, ratio, computing=0.5, calls=0.5))
    assert told is not None
    assert (told.doubtful, "They agree" in told.text) == (doubtful, agree)
    shown = analysis_document(recorded(demo, ratio, computing=0.5, calls=0.5))
    assert (told.text in shown.doubts, told.text in shown.answer) == (doubtful, not doubtful)


@pytest.mark.parametrize(
    ("wall", "why"),
    [
        ({"without_core": 0.8, "calls": 0.1}, "a rank had no core for 80% of the time"),
        ({"tracer": 0.9}, "the tracer took"),
        ({"calls": 0.7, "without_core": 0.2}, "in MPI, of which this network explains"),
    ],
)
def test_it_says_why(demo: Analysis, wall: dict[str, float], why: str) -> None:
    told = verdict(recorded(demo, 10.0, **wall))
    assert told is not None
    assert why in told.text


@pytest.mark.parametrize("ratio", [1.02, 1.2])
def test_far_apart_the_calls_own_times_are_offered(demo: Analysis, ratio: float) -> None:
    told = verdict(recorded(demo, ratio, computing=0.5, calls=0.5))
    assert told is not None
    assert ("; --costs recorded gives each call" in told.text) == (ratio > 1.1)


def test_a_dearer_network_is_the_reason_for_a_longer_prediction(examples: Path) -> None:
    dear = latitude.analyze(latitude.load(examples / DEMO), Network(L=2e6, o=0, G=0))
    told = verdict(dear)
    assert told is not None
    assert told.doubtful
    assert "because latency is" in told.text


def test_a_program_without_a_recorded_run_has_no_verdict(two_ranks: Path) -> None:
    assert verdict(latitude.analyze(latitude.load(two_ranks))) is None


def test_no_row_of_the_recorded_run_is_negative(demo: Analysis) -> None:
    [section] = recorded_parts(demo)
    assert isinstance(section, Section)
    [table] = section.parts
    assert isinstance(table, Table)
    assert not [row for row in table.rows if str(row[1]).startswith(("-", "−"))]


def hatched(analysis: Analysis) -> Iterator[str]:
    """Names of hatched bars."""
    for chart in charts(analysis_document(analysis).parts):
        for bar in chart.figure["data"]:
            if "pattern" in bar.get("marker", {}):
                assert "default parameters" in chart.note
                yield bar["name"].split(" ")[0]


def test_what_follows_from_defaults_is_hatched_and_no_finding(lulesh: Path) -> None:
    program = latitude.load(lulesh)
    default = latitude.analyze(program)
    assert set(hatched(default)) == {"overhead", "transfer", "latency", "bandwidth"}
    assert default.model.assumed == {"overhead", "latency", "bandwidth", "transfer"}
    split = next(
        section
        for section in analysis_document(default).parts
        if isinstance(section, Section) and section.title == "Critical path"
    )
    [table] = split.parts
    assert isinstance(table, Table)
    names = [cell(row[0]).line for row in table.rows]
    assert names == [
        "computation",
        *(f"{n} (default)" for n in ("overhead o", "latency", "bandwidth")),
    ]
    stated = latitude.analyze(program, Network(L=2999, o=4999, G=0.019, S=9999))
    assert not set(hatched(stated))
