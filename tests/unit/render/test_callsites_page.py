"""Call sites on the page and in the summary."""

import json
import re
from pathlib import Path

import plotly.graph_objects as go
import pytest

import latitude
from latitude import Analysis
from latitude.render.documents.analysis import analysis_document
from latitude.render.html.page import page as page_of
from latitude.render.terminal import print_document
from latitude.sections.critical_path.path_chart import path_charts
from latitude.sections.critical_path.path_pieces import CALC, NETWORK, pieces
from support.callsites import SOURCES, build, line
from support.callsites.sited import analysed
from support.html import CHARTS, Html
from support.sections import known


@pytest.fixture(scope="module")
def result(lulesh: Path, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    solver = build(tmp_path_factory.mktemp("solver"), "solver.c", "-O2", "-g")
    return analysed(lulesh, solver, [1.0, 2.0, 3.0])


@pytest.fixture(scope="module")
def plain(lulesh: Path) -> Analysis:
    return latitude.analyze(latitude.load(lulesh))


def render(result: Analysis) -> str:
    return page_of(analysis_document(result))


def test_the_table_ranks_lines_by_latency(result: Analysis) -> None:
    page = render(result)
    _, *rows = Html(page).table("sites")
    shares = result.by_call_site
    assert [row[0].split("\n")[0] for row in rows] == [share.where for share in shares]
    assert [row[2] for row in rows] == [f"{share.lambda_L:.0f}" for share in shares]
    top = shares[0]
    sent = f"\nsent from {top.sent_from.where}" if top.sent_from else ""
    (inlined,) = [row[0] for row in rows if row[0].startswith("comm.h:")]
    assert f"in send\ninlined into exchange, line {line('comm.h', '1 in exchange')}" in inlined
    assert f"inlined into main, line {line('solver.c', '1 in main')}" in inlined
    assert rows[0][0].endswith(sent)
    assert f'title="{SOURCES}/comm.h"' in page
    assert f"receives {100 * top.lambda_L / known(result.baseline.lambda_L):.3g}%" in page
    assert "call_sites.csv</button>" in page
    assert "latitude trace" not in page.replace(CHARTS, "")


def test_the_path_is_coloured_by_activity_and_by_call_site(
    result: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    (exact,) = path_charts(result)
    monkeypatch.setattr("latitude.sections.critical_path.path_chart.MOST_DRAWN", 10)
    overview, detail = path_charts(result)
    for chart in (exact, overview, detail):
        data = chart.figure["data"]
        go.Figure(data=data, layout=chart.figure["layout"])
        assert [layer.label for layer in chart.layers] == ["By activity", "By call site"]
        assert [trace.get("visible", True) for trace in data] == list(chart.layers[0].shown)
        shown = [
            {t["name"] for t, on in zip(data, layer.shown, strict=True) if on and "name" in t}
            for layer in chart.layers
        ]
        assert shown[0] == {"computation", "overhead o", "latency and bandwidth"}
        assert "computation" in shown[1]
        assert {name.split()[0] for name in shown[1] - {"computation"}} <= {
            share.where for share in result.by_call_site
        }
    assert {share.where for share in result.by_call_site} <= {
        trace["name"].split()[0] for trace in exact.figure["data"]
    }


def test_both_colourings_draw_the_same_pieces(result: Analysis) -> None:
    cut = pieces(known(result.path), known(result.path_call_site))
    assert set(cut.site[cut.kind == NETWORK].tolist()) <= {0, 1, 2}
    assert set(cut.site[cut.kind == CALC].tolist()) <= {-1, 0, 1, 2}
    (chart,) = path_charts(result)
    drawn = [
        sum(
            len(trace["x"]) // 3
            for trace, on in zip(chart.figure["data"], layer.shown, strict=True)
            if on
        )
        for layer in chart.layers
    ]
    assert drawn == [len(cut), len(cut)]


def test_the_switch_is_there_and_the_data_too(result: Analysis) -> None:
    page = render(result)
    assert '<div class="views" data-of="layers" data-for="path">' in page
    figures = json.loads(re.findall(r'id="figures">(.*?)</script>', page, re.DOTALL)[0])
    assert [layer["label"] for layer in figures["path"]["layers"]] == [
        "By activity",
        "By call site",
    ]
    assert len(page) - len(CHARTS) < 1_000_000


def test_the_summary_names_the_first_lines(
    result: Analysis, capsys: pytest.CaptureFixture[str]
) -> None:
    print_document(analysis_document(result), None)
    text = capsys.readouterr().out
    rows = text.split("By call site, on the critical path")[1].splitlines()[2:5]
    for row, share in zip(rows, result.by_call_site, strict=True):
        assert row.split()[0] == share.where
        assert f"in {share.function}" in row
        assert row.split()[4] == f"{share.lambda_L:.0f}"


def test_without_call_sites_page_and_summary_are_as_before(
    plain: Analysis, capsys: pytest.CaptureFixture[str]
) -> None:
    page = render(plain).replace(CHARTS, "")
    assert "By call site" not in page
    assert "call_sites.csv" not in page
    assert "latitude trace" in page
    (chart,) = path_charts(plain)
    assert len(chart.layers) == 1
    assert '"layers" data-for="path"' not in page
    print_document(analysis_document(plain), None)
    assert "call site" not in capsys.readouterr().out
