"""All ranks over time: what is drawn of it is what the waits of the ranks add up to."""

from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import Analysis
from latitude.sections.critical_path.path_pieces import pieces
from latitude.sections.critical_path.timeline import KINDS, timeline_charts
from latitude.sections.waits.result import ACTIVITIES, CAUSES
from support.sections import known, waits_in


@pytest.fixture(scope="module")
def result(lulesh: Path) -> Analysis:
    return latitude.analyze(latitude.load(lulesh))


def _ring(path: Path, ranks: int) -> Analysis:
    lines = [
        f"rank {rank} {{\na: calc {1000 + rank}\nb: send 64b to {(rank + 1) % ranks}\n"
        f"c: recv 64b from {(rank - 1) % ranks}\nb requires a\nc requires a\n}}"
        for rank in range(ranks)
    ]
    path.write_text("\n".join([f"num_ranks {ranks}", *lines]) + "\n", encoding="utf-8")
    return latitude.analyze(latitude.load(path))


def test_cells_add_up_to_each_ranks_time(result: Analysis) -> None:
    whole, closer = waits_in(result).timelines
    ranks = waits_in(result).by_rank
    sums = whole.ns.sum(axis=1)
    for kind, name in enumerate(ACTIVITIES):
        assert sums[:, kind] == pytest.approx(getattr(ranks, f"{name}_ns"))
    waited = np.sum([getattr(ranks, f"{name}_ns") for name in CAUSES], axis=0)
    assert sums[:, -1] == pytest.approx(waited)
    assert (whole.begin_ns, whole.end_ns) == (0, result.baseline.T_ns)
    assert 0 <= closer.begin_ns < closer.end_ns <= whole.end_ns
    width = (closer.end_ns - closer.begin_ns) / closer.ns.shape[1]
    assert closer.ns.sum(axis=2).max() == pytest.approx(width)


def test_the_closer_look_is_where_the_path_is_longest_on_the_network(result: Analysis) -> None:
    _, closer = waits_in(result).timelines
    length = closer.end_ns - closer.begin_ns
    path = known(result.path)
    ends = path.start + np.asarray(path.network)  # a step's way over the network comes first

    def on_network(begin: float) -> float:
        inside = np.minimum(ends, begin + length) - np.maximum(path.start, begin)
        return float(np.maximum(inside, 0).sum())

    others = np.linspace(0, result.baseline.T_ns - length, 50)
    assert on_network(closer.begin_ns) >= 0.9 * max(map(on_network, others.tolist()))


def test_the_chart_shows_what_takes_most_of_each_cell(result: Analysis) -> None:
    (chart,) = timeline_charts(result)
    maps = [trace for trace in chart.figure["data"] if trace["type"] == "heatmap"]
    for drawn, timeline in zip(maps, waits_in(result).timelines, strict=True):
        for row, cells in zip(drawn["z"], timeline.ns, strict=True):
            for shown, kinds in zip(row, cells, strict=True):
                if shown is None:
                    assert kinds.sum() == 0
                else:
                    assert kinds[shown] == kinds.max() > 0
    assert [len(layer.shown) for layer in chart.layers] == [len(chart.figure["data"])] * 2
    names = [trace.get("name") for trace in chart.figure["data"]]
    assert names[-len(KINDS) - 1 :] == [*(name for name, _ in KINDS), "critical path"]
    path = chart.figure["data"][1]
    cut = pieces(known(result.path), known(result.path_call_site))
    assert path["y"][1::2] == cut.rank.tolist()
    assert "of all ranks' time" in chart.reading


def test_many_ranks_share_rows(tmp_path: Path) -> None:
    result = _ring(tmp_path / "ring.goal", 600)
    whole, _ = waits_in(result).timelines
    assert whole.lines_per_row == 3
    assert whole.ns.shape[0] == 200
    (chart,) = timeline_charts(result)
    assert chart.figure["data"][0]["y"][-1] == 597
    assert "3 neighbouring ranks" in chart.note


def _cpus(path: Path, ranks: int) -> Analysis:
    """Ranks with three cpus, of which the last one waits for the others; rank 0 has one."""
    lines = ["rank 0 {\na: calc 5000 cpu 7\n}"]
    lines += [
        f"rank {rank} {{\na: calc 1000 cpu 0\nb: calc 3000 cpu 2\nc: calc 4000 cpu 5\n"
        f"d: calc {1000 + rank} cpu 5\nd requires b\nd requires a\ne: calc 2000 cpu 0\n"
        "e requires c\n}"
        for rank in range(1, ranks)
    ]
    path.write_text("\n".join([f"num_ranks {ranks}", *lines]) + "\n", encoding="utf-8")
    return latitude.analyze(latitude.load(path))


def test_each_cpu_of_a_goal_file_has_a_line(tmp_path: Path) -> None:
    result = _cpus(tmp_path / "cpus.goal", 2)
    times = waits_in(result).by_rank
    assert times.rank.tolist() == [0, 1, 1, 1]
    assert times.thread.tolist() == [7, 0, 2, 5]
    assert set(times.resource) == {"cpu"}
    assert times.computation_ns.tolist() == [5000, 3000, 3000, 5001]
    assert times.other_thread_ns.tolist() == [0, 3000, 0, 0]
    (chart,) = timeline_charts(result)
    names = ["0", "1 cpu 0", "1 cpu 2", "1 cpu 5"]
    assert chart.figure["data"][0]["y"] == names
    assert chart.figure["layout"]["yaxis"]["categoryarray"] == names
    assert [(s.rank, s.thread, s.end_ns) for s in result.critical_path][-1] in {
        (1, 5, 6000.0), (1, 0, 6000.0), (1, 5, 5001.0),
    }  # fmt: skip


def test_many_cpus_share_rows_and_each_row_has_a_label(tmp_path: Path) -> None:
    """Plotly fails on a heat map without a row for a category of its axis."""
    result = _cpus(tmp_path / "cpus.goal", 101)
    lines = waits_in(result).lines
    (chart,) = timeline_charts(result)
    assert len(lines) == 301
    drawn, path = chart.figure["data"][:2]
    assert drawn["y"] == chart.figure["layout"]["yaxis"]["categoryarray"] == lines.labels()[::2]
    assert set(path["y"]) <= set(drawn["y"])
    assert "of 2 neighbouring lines together" in chart.note


def test_a_run_that_changes_too_often_begins_with_a_part_of_it(tmp_path: Path) -> None:
    """A message there and one back, 300 times: by turns one rank computes and the other waits."""
    here, there = ["a0: calc 9000"], []
    for turn in range(300):
        here += [f"s{turn}: send 8b to 1 tag {turn}", f"r{turn}: recv 8b from 1 tag {turn}"]
        here += [f"a{turn + 1}: calc 9000", f"s{turn} requires a{turn}"]
        here += [f"r{turn} requires s{turn}", f"a{turn + 1} requires r{turn}"]
        there += [f"r{turn}: recv 8b from 0 tag {turn}", f"c{turn}: calc 5000"]
        there += [f"s{turn}: send 8b to 0 tag {turn}", f"c{turn} requires r{turn}"]
        there += [f"s{turn} requires c{turn}", f"r{turn} requires s{turn - 1}" if turn else ""]
    path = tmp_path / "often.goal"
    ranks = (f"rank {rank} {{\n" + "\n".join(own) + "\n}" for rank, own in enumerate((here, there)))
    path.write_text("\n".join(["num_ranks 2", *ranks]) + "\n", encoding="utf-8")
    result = latitude.analyze(latitude.load(path))
    whole, closer = waits_in(result).timelines
    assert closer.end_ns - closer.begin_ns <= whole.end_ns / 6  # 600 messages on the path
    (chart,) = timeline_charts(result)
    assert [layer.label for layer in chart.layers][1:] == ["Whole run"]
    maps = [trace for trace in chart.figure["data"] if trace["type"] == "heatmap"]
    assert [drawn["visible"] for drawn in maps] == [False, True]
    drawn = np.array(maps[0]["z"])
    assert (drawn[:, 1:] != drawn[:, :-1]).mean() < 0.1
    assert "so its cells show" in chart.note


def test_nothing_is_drawn_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "none.goal"
    path.write_text("num_ranks 1\nrank 0 {\n}\n", encoding="utf-8")
    assert timeline_charts(latitude.analyze(latitude.load(path))) == []
