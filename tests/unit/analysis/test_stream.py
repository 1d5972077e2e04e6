"""Traces that are evaluated while they are read: what an analysis in memory says, in few passes."""

from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import _core
from latitude.analysis.answer import Listed
from latitude.analysis.stream import POINTS, analyze_stream
from latitude.files.progress import Silent
from latitude.model.network import Network
from latitude.trace.pieces import open_in_pieces
from latitude.trace.synthetic import SyntheticTrace
from support.paths import EXAMPLES
from support.rewritten import rewritten
from support.sections import known

BYTES, COMPUTE_NS = 4096, 20_000
NETWORK = {"L": "1.7us", "o": "300ns", "G": "0.25ns/B", "S": "256KiB"}
L, O, B = 1700.0, 300.0, (BYTES - 1) * 0.25
DOUBLING = ["allreduce=recursive-doubling"]


class Told(Silent):
    """Keeps the names of the stages."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def stage(self, text: str, total: int | None = None) -> None:
        super().stage(text, total)
        self.stages.append(text)


def written(folder: Path, pattern: str, ranks: int, operations: int) -> SyntheticTrace:
    made = SyntheticTrace(pattern, ranks, operations, BYTES, COMPUTE_NS)
    folder.mkdir()
    made.write_folder(folder, Silent())
    return made


def streamed(folder: Path, **network: str) -> latitude.Analysis:
    trace = open_in_pieces(folder, collectives=DOUBLING)
    return analyze_stream(trace, Network.parse({**NETWORK, **network}))


@pytest.mark.parametrize("pattern", ["halo", "wavefront", "cg"])
@pytest.mark.parametrize("ranks", [2, 6, 8])
def test_the_numbers_are_those_of_an_analysis_in_memory(
    tmp_path: Path, pattern: str, ranks: int
) -> None:
    written(tmp_path / "trace", pattern, ranks, 3000)
    found = streamed(tmp_path / "trace")
    program = latitude.load(tmp_path / "trace", collectives=DOUBLING)
    expected = latitude.analyze(program, Network.parse(NETWORK))
    assert found.T_ns == expected.baseline.T_ns
    assert found.sensitivity.slope == expected.sensitivity.slope
    assert found.sensitivity.slope_left == expected.sensitivity.slope_left
    assert found.graph == expected.graph
    assert [each.degradation for each in found.tolerance] == [0.01, 0.02, 0.05]
    for one, other in zip(found.tolerance, expected.tolerance, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-12)
    assert (found.curve.T_ns[0], found.curve.T_ns[-1]) == (
        expected.curve.T_ns[0],
        expected.curve.T_ns[-1],
    )
    assert len(found.curve.value) == POINTS
    assert known(found.streamed).passes <= 5


def test_t_is_between_chords_and_tangents(tmp_path: Path) -> None:
    """The page draws T so: below straight lines by at most the stated share."""
    folder = rewritten(EXAMPLES / "lulesh-8-i20-s8.tar.xz", tmp_path / "trace")
    network, interval = Network.parse(NETWORK), (0.0, 50_000.0)
    found = analyze_stream(open_in_pieces(folder), network, latency=interval)
    expected = latitude.analyze(latitude.load(folder), network, latency=interval)
    assert len(expected.breakpoints) > POINTS
    points, critical = found.critical.beyond, found.critical
    assert set(found.curve.value[1:]) < set(points.value)
    assert (critical.complete, critical.listed, critical.until) == (False, 0, 0.0)
    assert 0 < critical.bound < 0.01
    value, above = found.line()
    assert np.array_equal(value[1:], points.value)
    where = np.concatenate([expected.curve.value, expected.breakpoints.value])
    runtime = np.concatenate([expected.curve.T_ns, expected.breakpoints.T_ns])
    upper = np.interp(where, value, above)
    tangents = points.T_ns + points.slope * (where[:, None] - points.value)
    assert (upper >= runtime * (1 - 1e-12)).all()
    assert (upper <= runtime * (1 + critical.bound + 1e-12)).all()
    assert (tangents.max(axis=1) <= runtime * (1 + 1e-12)).all()


@pytest.mark.parametrize("most", [None, 5, 40])
def test_critical_values_are_those_in_memory(tmp_path: Path, most: int | None) -> None:
    folder = rewritten(EXAMPLES / "lulesh-8-i20-s8.tar.xz", tmp_path / "trace")
    network, interval = Network.parse(NETWORK), (0.0, 50_000.0)
    told = Told()
    found = analyze_stream(
        open_in_pieces(folder),
        network,
        latency=interval,
        critical=Listed(most),
        path=False,
        progress=told,
    )
    expected = latitude.analyze(latitude.load(folder), network, latency=interval, critical=most)
    assert expected.critical.complete == (most is None)
    assert found.critical.plain() == expected.critical.plain()
    for name, column in expected.breakpoints.columns().items():
        assert np.array_equal(found.breakpoints.columns()[name], column), name
    assert len(told.stages) == known(found.streamed).passes < 30
    assert any("to go" in text for text in told.stages)
    assert "critical latencies" not in [each.what for each in found.left_out]
    notices = [each.code for each in found.warnings]
    assert ("first-critical-values" in notices) == (most is not None)


def test_critical_values_are_not_looked_for_unless_asked_for(tmp_path: Path) -> None:
    written(tmp_path / "halo", "halo", 4, 2000)
    found = streamed(tmp_path / "halo").to_dict()
    assert found["breakpoints"] == []
    assert found["critical"]["listed"] == 0
    whys = {each["what"]: each["why"] for each in found["left_out"]}
    assert "--critical" in whys["critical latencies"]


def test_where_all_slopes_are_one_t_is_known_everywhere(tmp_path: Path) -> None:
    written(tmp_path / "halo", "halo", 4, 2000)
    found = streamed(tmp_path / "halo")
    low, high = found.interval
    assert (found.critical.complete, found.critical.until) == (True, high)
    value, runtime = found.line()
    assert value.tolist() == [low, high]
    assert runtime.tolist() == [found.curve.T_ns[0], found.curve.T_ns[-1]]


def test_a_long_halo_has_its_closed_form_in_three_passes(tmp_path: Path) -> None:
    made = written(tmp_path / "halo", "halo", 8, 400_000)
    found = streamed(tmp_path / "halo")
    assert found.T_ns == made.steps * (COMPUTE_NS + L + B + 3 * O)
    assert found.sensitivity.slope == made.steps
    assert found.tolerance[0].delta == pytest.approx(0.01 * found.T_ns / made.steps, rel=1e-12)
    assert known(found.streamed).passes == 3
    # Of 480,016 operations: a window of each rank, and messages on their way.
    assert known(found.streamed).operations_held < 1000


def test_what_is_held_does_not_grow_where_one_rank_runs_ahead(tmp_path: Path) -> None:
    written(tmp_path / "wavefront", "wavefront", 2, 200_000)
    trace = open_in_pieces(tmp_path / "wavefront")
    found = analyze_stream(trace, Network.parse(NETWORK))
    assert found.graph.messages == 100_000
    assert known(found.streamed).operations_held < 1000


def test_another_parameter(tmp_path: Path) -> None:
    written(tmp_path / "halo", "halo", 4, 2000)
    network = Network.parse(NETWORK)
    found = analyze_stream(open_in_pieces(tmp_path / "halo"), network, sweep="G")
    expected = latitude.analyze(latitude.load(tmp_path / "halo"), network, sweep="G")
    assert found.sensitivity.slope == expected.sensitivity.slope == 100 * (BYTES - 1)
    assert "value" in found.to_dict()["curve"]


def test_a_gap_is_not_evaluated_while_reading(tmp_path: Path) -> None:
    written(tmp_path / "halo", "halo", 2, 100)
    with pytest.raises(_core.NotInPiecesError, match="a gap"):
        analyze_stream(open_in_pieces(tmp_path / "halo"), Network.parse({**NETWORK, "g": "1us"}))


def test_only_our_own_format_is_read_in_pieces(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(_core.NotInPiecesError, match="only the folder that latitude trace wrote"):
        open_in_pieces(tmp_path / "empty")


def test_t_is_straight_though_it_is_rounded(tmp_path: Path) -> None:
    """A sum of 200,000 numbers is off by more than what tells two values of T of few apart."""
    SyntheticTrace("halo", 2, 1_000_000, 8192, 50_000).write_folder(tmp_path, Silent())
    network = Network.parse({"L": "3us", "o": "1.1us", "G": "0.018ns/B", "S": "256KiB"})
    found = analyze_stream(open_in_pieces(tmp_path), network, path=False)
    assert known(found.streamed).passes == 2
    step_ns = found.T_ns / found.sensitivity.slope
    assert [each.delta for each in found.tolerance] == pytest.approx(
        [each.degradation * step_ns for each in found.tolerance], rel=1e-9
    )
