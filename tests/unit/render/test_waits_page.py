"""Waits on the page, on the terminal and in the files."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import Analysis, Network
from latitude.render.document import Section, Table, cell, charts
from latitude.render.documents.analysis import analysis_document
from latitude.results.lines import RankLines
from latitude.sections.waits.result import ACTIVITIES, CAUSES
from latitude.sections.waits.show import (
    rank_bars,
    rank_times_sentence,
    waits_by_call,
    waits_parts,
)
from support.sections import known, waits_in


@pytest.fixture(scope="module")
def result(lulesh: Path) -> Analysis:
    return latitude.analyze(latitude.load(lulesh))


def test_bars_add_up_to_each_ranks_end(result: Analysis) -> None:
    chart = next(c for c in charts(waits_parts(waits_in(result))) if c.id == "ranks")
    bars = np.array([bar["y"] for bar in chart.figure["data"]])
    ends = known(result.by_rank).end_ns
    assert bars.sum(axis=0) / bars.sum(axis=0)[0] == pytest.approx(ends / ends[0], rel=1e-6)
    assert {bar["name"] for bar in chart.figure["data"]} <= {
        *ACTIVITIES.values(),
        *CAUSES.values(),
    }


@pytest.mark.parametrize(("parts", "most"), [(1, 512), (4, 512), (14, 146)])
def test_thousands_of_ranks_have_as_many_bars_as_a_browser_draws_at_once(
    parts: int, most: int
) -> None:
    ranks = 4096
    ns = np.arange(1.0, ranks + 1)
    drawn = [(f"part {i}", "#000", ns, False) for i in range(parts)]
    chart = rank_bars(drawn, parts * ns, RankLines.one_each(ranks), "", "")
    bars = [bar["y"] for bar in chart.figure["data"]]
    assert {len(each) for each in bars} == {len(bars[0])}
    assert most // 2 < len(bars[0]) <= most
    assert f"{-(-ranks // len(bars[0]))} neighbouring ranks" in chart.note


def test_the_longest_waits_come_first(result: Analysis) -> None:
    """The longest waits, also for a streamed trace."""
    [section] = waits_by_call(waits_in(result))
    [table] = (part for part in section.parts if isinstance(part, Table))
    shares = [cell(row[3]).share or 0.0 for row in table.rows]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0
    assert sum(shares) == pytest.approx(1.0)
    assert {row[1] for row in table.rows} <= set(CAUSES.values())


def test_the_matrix_adds_up_to_all_waits(result: Analysis) -> None:
    chart = next(c for c in charts(waits_parts(waits_in(result))) if c.id == "delays")
    axes = [chart.figure["layout"][f"{side}axis"]["title"]["text"] for side in "xy"]
    assert axes == ["waiting rank", "delaying rank"]
    cells = [x for row in chart.figure["data"][0]["z"] for x in row if x is not None]
    waited = waits_in(result).waited_ns
    unit = {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1.0}
    name = re.search(r"\((.*)\)", chart.figure["data"][0]["colorbar"]["title"]["text"])
    assert name is not None
    assert sum(cells) * unit[name[1]] == pytest.approx(waited, rel=1e-4)


def test_shares_of_delays_add_up(result: Analysis) -> None:
    (section,) = (
        part
        for part in waits_parts(waits_in(result))
        if isinstance(part, Section) and part.title == "Who makes whom wait"
    )
    table = section.parts[0]
    assert isinstance(table, Table)
    assert sum(cell(row[2]).share or 0.0 for row in table.rows) == pytest.approx(1, abs=0.02)
    assert "of all waits are for" in section.reading


def test_files_have_every_row(result: Analysis) -> None:
    files = {file.name: file.text for file in analysis_document(result).files}
    times = list(csv.DictReader(io.StringIO(files["waits.csv"]())))
    assert list(times[0]) == [
        "rank",
        "thread",
        "call",
        "where",
        "posted_call",
        "posted_where",
        "what",
        "ns",
    ]
    assert sum(float(row["ns"]) for row in times) == pytest.approx(
        known(result.by_rank).end_ns.sum()
    )
    delays = list(csv.DictReader(io.StringIO(files["delays.csv"]())))
    total = sum(float(row["direct_ns"]) + float(row["indirect_ns"]) for row in delays)
    assert total == pytest.approx(waits_in(result).waited_ns)


def test_a_program_without_waits(tmp_path: Path) -> None:
    path = tmp_path / "alone.goal"
    path.write_text("num_ranks 2\nrank 0 {\nl0: calc 5\n}\nrank 1 {\nl0: calc 7\n}\n")
    result = latitude.analyze(latitude.load(path), Network())
    assert waits_in(result).waited_ns == 0
    assert "No rank ever waits" in rank_times_sentence(waits_in(result))
    assert [chart.id for chart in charts(waits_parts(waits_in(result)))] == ["ranks"]
    assert waits_in(result).times.columns()["call"] == [None, None]
