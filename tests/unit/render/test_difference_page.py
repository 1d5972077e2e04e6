"""Content of the page for two runs."""

import re
from pathlib import Path

import pytest

import latitude
from latitude import Difference, Network
from latitude.render.document import Section, charts
from latitude.render.documents.difference import difference_document, headline
from latitude.render.html.page import page as page_of
from support.html import Html, is_whole


@pytest.fixture(scope="module")
def slower(lulesh: Path) -> Difference:
    program = latitude.load(lulesh)
    network = Network()
    again = latitude.load(lulesh, reduce_ns_per_byte=100)
    return latitude.diff(program, again, network)


def test_the_headline_says_how_much(slower: Difference) -> None:
    assert slower.change_ns > 0
    text = headline(slower)
    assert text.startswith("B runs ")
    assert " longer than A: " in text


def test_bars_are_the_changes(slower: Difference) -> None:
    found = {chart.id: chart for chart in charts(difference_document(slower).parts)}
    assert set(found) == {"places", "ranks"}
    ranks = slower.by_rank
    computed = ranks.computation_b_ns - ranks.computation_a_ns
    (bar,) = (b for b in found["ranks"].figure["data"] if b["name"].startswith("computation"))
    assert [y / bar["y"][0] for y in bar["y"]] == pytest.approx(computed / computed[0], rel=1e-5)


def test_a_share_of_latency_that_falls_has_a_minus_sign(slower: Difference) -> None:
    assert slower.b.rho_L < slower.a.rho_L
    tables = Html(page_of(difference_document(slower))).tables
    (row,) = (row for table in tables for row in table.rows if row and row[0].endswith("ρ"))
    assert re.fullmatch(r"−[\d.]+ points", row[-1])


def test_nothing_changed(lulesh: Path) -> None:
    program = latitude.load(lulesh)
    found = latitude.diff(program, program)
    document = difference_document(found)
    assert "no call takes longer or shorter" in document.headline
    assert charts(document.parts)[0].id == "ranks"
    titles = [part.title for part in document.parts if isinstance(part, Section)]
    assert titles == ["Where ranks' time goes"]


def test_the_page_is_whole(slower: Difference) -> None:
    page = page_of(difference_document(slower))
    assert is_whole(page)
    assert {"places", "ranks"} <= set(Html(page).figures)
