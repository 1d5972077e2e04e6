"""The page: self-contained, complete, and no larger than it must be."""

import json
import math
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

import latitude
from latitude import Analysis, Network, Notice, Placement
from latitude.model.rules import Rule
from latitude.render.documents.analysis import analysis_document
from latitude.render.html.page import page as page_of
from latitude.sections.critical_path.path_chart import path_charts
from latitude.sections.critical_path.path_pieces import cells, pieces
from support.html import CHARTS, Html
from support.sections import known


@pytest.fixture(scope="module")
def result(lulesh: Path) -> Analysis:
    return latitude.analyze(latitude.load(lulesh))


@pytest.fixture(scope="module")
def page(result: Analysis) -> str:
    return render(result)


def render(result: Analysis) -> str:
    return page_of(analysis_document(result))


def test_no_network(page: str) -> None:
    parsed = Html(page)
    tags = {element.tag for element in parsed.elements}
    assert tags.isdisjoint({"link", "iframe", "img", "object", "embed", "base"})
    assert not any("src" in element.attributes for element in parsed.elements)
    assert parsed.links == []
    ours = page.replace(CHARTS, "")
    assert not re.search(r"(?:https?:)?//[a-z0-9-]+\.[a-z]", ours)
    assert "default-src 'none'" in page
    assert "showSendToCloud: false" in page
    assert 'plotlyServerURL: ""' in page


def test_every_chart_is_there_with_words_and_units(page: str) -> None:
    parsed = Html(page)
    figures, shown = parsed.figures, parsed.with_class("chart")
    assert [a["id"] for a in shown] == list(figures)
    names = {
        "runtime",
        "sensitivity",
        "split",
        "path",
        "ranks",
        "delays",
        "pairs",
        "slack",
        "sizes",
    }
    assert names <= set(figures)
    for attributes in shown:
        assert (attributes["aria-label"] or "").endswith(".")
    for name, figure in figures.items():
        go.Figure(data=figure["data"], layout=figure["layout"])  # plotly validates
        titles = [
            axis["title"]["text"]
            for key, axis in figure["layout"].items()
            if re.match(r"[xy]axis", key) and axis["title"]["text"]
        ]
        assert titles
        for title in titles:
            assert re.search(
                r"\((ns|µs|ms|s|latencies|count|bytes|%|% of T)\)|rank|% of time", title
            ), name


def test_data_can_be_taken_out_again(page: str, result: Analysis) -> None:
    parsed = Html(page)
    assert json.loads(parsed.scripts["data-analysis-json"]) == result.to_dict()
    assert json.loads(parsed.scripts["data-curve-csv"]).startswith("L_ns,delta_L_ns,")
    assert json.loads(parsed.scripts["data-breakpoints-csv"]).startswith("L_ns,T_ns,")


@pytest.mark.parametrize("name", ["lulesh-8-i20-s8.tar.xz", "lulesh-8-s16-i120.tar.xz"])
def test_sentences_are_apart(examples: Path, name: str) -> None:
    analysis = latitude.analyze(latitude.load(examples / name))
    shown = re.sub(r"<(script|style|dl)\b.*?</\1>", "", render(analysis), flags=re.DOTALL)
    assert re.findall(r".{20}[a-z]{2}\.[A-Z][a-z].{9}", shown) == []


def test_words_and_warnings(page: str, result: Analysis) -> None:
    assert "This program tolerates" in page
    for notice in result.warnings:
        assert notice.hint.split("<")[0].split("'")[0] in page
    assert result.provenance.input_sha256 in page
    assert len(page) < 1_500_000


def test_names_cannot_break_the_page(two_ranks: Path, tmp_path: Path) -> None:
    name = tmp_path / '<script>alert(1)<!-- & "x".goal'
    name.write_bytes(two_ranks.read_bytes())
    page = render(latitude.analyze(latitude.load(name)))
    assert "<script>alert" not in page
    assert Html(page).scripts["figures"]


@pytest.mark.parametrize(
    "text",
    [
        "num_ranks 1\nrank 0 {\na: calc 100\n}\n",
        "num_ranks 1\nrank 0 {\na: calc 0\n}\n",
        "num_ranks 2\nrank 0 {\na: send 0b to 1\n}\nrank 1 {\na: recv 0b from 0\n}\n",
    ],
)
def test_the_smallest_programs_have_a_page(tmp_path: Path, text: str) -> None:
    path = tmp_path / "small.goal"
    path.write_text(text)
    page = render(latitude.analyze(latitude.load(path)))
    assert Html(page).scripts["figures"]
    assert "nan" not in Html(page).scripts["figures"].lower()


def test_a_path_cut_in_blocks_has_the_same_pieces(
    result: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pieces(known(result.path), known(result.path_call_site))
    for size in (1, 7, len(known(result.path)) - 1):
        monkeypatch.setattr("latitude.results.critical_path.BLOCK", size)
        cut = pieces(known(result.path), known(result.path_call_site))
        for each in fields(cut):
            name = each.name
            np.testing.assert_array_equal(getattr(cut, name), getattr(whole, name), err_msg=name)


def test_long_paths_are_summed_up_exactly(
    result: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = pieces(known(result.path), known(result.path_call_site))
    length = cut.end - cut.start
    assert length.sum() == pytest.approx(result.baseline.T_ns)
    assert cut.start[1:] == pytest.approx(cut.end[:-1])
    grid = cells(cut, 50, result.trace.ranks, [(cut.kind, 3)])
    (by_kind,) = grid.by_group
    assert grid.by_rank.sum(axis=1) == pytest.approx(1.0)
    assert by_kind.sum(axis=1) == pytest.approx(1.0)
    width = grid.edges[1] - grid.edges[0]
    for kind in range(3):
        total = float(length[cut.kind == kind].sum())
        assert by_kind[:, kind].sum() * width == pytest.approx(total)
    monkeypatch.setattr("latitude.sections.critical_path.path_chart.MOST_DRAWN", 10)
    overview, detail = path_charts(result)
    assert "too many to draw" in overview.note
    assert detail.id == "path-detail"
    for chart in (overview, detail):
        go.Figure(data=chart.figure["data"], layout=chart.figure["layout"])


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_cells_summed_up_in_parts_have_the_same_shares(result: Analysis, at_once: int) -> None:
    cut = pieces(known(result.path), known(result.path_call_site))
    whole, parts = (
        cells(cut, 13, result.trace.ranks, [(cut.kind, 3)], size) for size in (len(cut), at_once)
    )
    assert len(cut) > 100
    np.testing.assert_allclose(parts.by_rank, whole.by_rank, atol=1e-12)
    np.testing.assert_allclose(parts.by_group[0], whole.by_group[0], atol=1e-12)


def test_an_unbounded_tolerance_is_said(tmp_path: Path) -> None:
    path = tmp_path / "calc.goal"
    path.write_text("num_ranks 1\nrank 0 {\na: calc 100\n}\n")
    result = latitude.analyze(latitude.load(path))
    assert math.isinf(result.tolerance[0].delta)
    page = render(result)
    assert "sends no messages: network latency cannot slow it down" in page
    assert "unlimited" in page


ONE_BYTE = """num_ranks 2
rank 0 {
a: calc 1000
b: send 1b to 1 tag 1
b requires a
}
rank 1 {
c: recv 1b from 0 tag 1
}
"""
TO_ITSELF = """num_ranks 1
rank 0 {
a: send 1000b to 0 tag 1
b: recv 1000b from 0 tag 1
b requires a
}
"""
INSIDE = Rule("same node", "0.4us", "0.05ns")


@pytest.mark.parametrize(
    ("text", "ranks_per_node", "sweep", "answer"),
    [
        (ONE_BYTE, 2, "L=3us:9us", "All 2 ranks share one node: network latency between nodes"),
        (ONE_BYTE, 2, "G=0:1ns", "All 2 ranks share one node: time per byte between nodes"),
        (ONE_BYTE, 1, "G=0:1ns", "No message between nodes holds more than one byte: time per"),
        (
            ONE_BYTE,
            1,
            "L:intra=0:9us",
            "This program sends no message inside a node: latency",
        ),
        (
            ONE_BYTE,
            2,
            "G:intra=0:1ns",
            "No message inside a node holds more than one byte: time per",
        ),
        (ONE_BYTE, 0, "G=0:1ns", "No message between ranks holds more than one byte: time per"),
        (TO_ITSELF, 0, "L=3us:9us", "This program sends no message between ranks: network latency"),
    ],
)
def test_why_nothing_slows_it_down_is_true(
    tmp_path: Path, text: str, ranks_per_node: int, sweep: str, answer: str
) -> None:
    path = tmp_path / "program.goal"
    path.write_text(text)
    network = Network.parse({})
    if ranks_per_node:
        placement = Placement.parse("block", ranks_per_node=ranks_per_node)
        network = Network.parse({}, rules=[INSIDE], placement=placement)
    result = latitude.analyze(latitude.load(path), network, sweep=sweep)
    assert math.isinf(result.tolerance[0].delta)
    headline = analysis_document(result).headline
    assert headline.startswith(answer)
    assert headline.endswith(" cannot slow it down.")


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("incomplete", "What was kept of this trace sends no messages: it says nothing of"),
        ("unsupported-skipped", "What is left of this program without the calls that were"),
    ],
)
def test_a_part_without_messages_is_no_program_without(
    tmp_path: Path, code: str, answer: str
) -> None:
    path = tmp_path / "calc.goal"
    path.write_text("num_ranks 1\nrank 0 {\na: calc 100\n}\n")
    program = latitude.load(path)
    program.warnings.append(Notice(code, "some of it was left out", "look"))
    assert analysis_document(latitude.analyze(program)).headline.startswith(answer)


def test_a_notebook_shows_the_answer_and_its_table(result: Analysis) -> None:
    shown = result._repr_html_()
    assert analysis_document(result).headline in shown
    assert shown.count("<tr>") == 1 + len(result.tolerance)
    assert "<script" not in shown
    assert len(repr(result)) < 200
    assert result.name in repr(result)
