"""Every kind of page, opened in Chromium: at three widths, on a dark screen, on paper."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

import latitude
from latitude.cli.main import main
from latitude.lab.campaign.suites.analyse import analyse
from latitude.lab.documents.campaign import campaign_document
from latitude.render.document import Document
from latitude.render.documents.analysis import analysis_document
from latitude.render.html.page import page as page_of
from latitude.sections.by_call_site.result import CallPath
from support.browser import Opened, chromium, opened
from support.callsites.share import site
from support.html import Html
from support.rewritten import rewritten
from support.synthetic_campaign import MADE, Maker, Model, design, loads, sweep

TRACE, GOAL = "lulesh-8-i20-s8.tar.xz", "two-ranks.goal"
MANY, THOUSANDS, SITES = 256, 4096, 20_000
MOST_ELEMENTS = 12_000
"""Of a page: with so many, browsers open it within two seconds where nothing else runs."""
SHEET = 1024
"""Height of A4 without its margins, in pixels."""
TREE = "fat-tree:k=4,tiers=3"
RANDOM = "exponential(mean=1us)"
BURST, BURST_MS = 10, 1100
"""Chromium drops a page's downloads without a word after ten of them within a second."""
COLUMNS = "--x mean_us --x sd_us --y runtime_s"
NAME = "<!--<script>alert(1) <b>'x' \"y\" & 🦥 " + "long " * 40
HOSTILE = {"@": f"{NAME}.goal", "~": NAME}
"""A file and a folder of that name, as commands below have them."""
COMMANDS = {
    "analysis": ("report", f"analyze {TRACE} -o analysis"),
    "sweep": ("report", f"analyze {TRACE} --sweep G -o sweep"),
    "mapped": ("report", f"analyze {TRACE} --topology {TREE} -o mapped"),
    "streamed": ("report", "analyze ~ --stream -o streamed"),
    "no-path": ("report", f"analyze ~ --no-path --topology {TREE} -o no-path"),
    "map": ("report", f"map {TRACE} --vary L=1us:100us --vary G=0.01ns:1ns --error 1% -o map"),
    "comparison": ("report", f"analyze {TRACE} --compare allreduce=ring,linear -o comparison"),
    "many": ("report", "analyze many.goal -o many"),
    "thousands": ("report", "analyze thousands.goal -o thousands"),
    "hostile": ("report", "analyze @ -o hostile"),
    "forecast": ("forecast", f"forecast {GOAL} --latency {RANDOM} --samples 200 -o forecast"),
    "fit": ("report", "fit calm.csv --budget 20ms -o fit"),
    "tail": ("tail", "stats tail calm.csv busy.csv -o tail"),
    "differ": ("comparison", "stats compare calm.csv busy.csv -o differ"),
    "correlation": ("correlation", f"stats correlate runs.csv {COLUMNS} -o correlation"),
    "background": ("report", "background correlate history.parquet -o background"),
}  # fmt: skip
"""Name of the page's file, and the command that writes it."""
KINDS = (*(kind for kind in COMMANDS if kind != "thousands"), "stacks", "campaign")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Callable[[str], Path]:
    """The page of each kind, made when it is first wanted."""
    base = tmp_path_factory.mktemp("pages")
    _write_inputs(base, examples)

    def made(kind: str) -> Path:
        if kind in MADE_HERE:
            path = base / f"{kind}.html"
            path.write_text(page_of(MADE_HERE[kind](base)), encoding="utf-8")
            return path
        file, line = COMMANDS[kind]
        path = base / kind / f"{file}.html"
        if not path.exists():
            with pytest.MonkeyPatch.context() as patched:
                patched.chdir(base)
                words = [HOSTILE.get(word, word) for word in line.split()]
                assert main(words) == 0
        return path

    return made


def _write_inputs(base: Path, examples: Path) -> None:
    shutil.copy(examples / TRACE, base)
    rewritten(base / TRACE, base / NAME)
    shutil.copy(examples / GOAL, base)
    shutil.copy(examples / GOAL, base / f"{NAME}.goal")
    for name, ranks in (("many", MANY), ("thousands", THOUSANDS)):
        ring = [
            f"rank {rank} {{\n"
            f"a: calc {1000 + rank}\nb: send 64b to {(rank + 1) % ranks}\n"
            f"c: recv 64b from {(rank - 1) % ranks}\nb requires a\nc requires a\n}}"
            for rank in range(ranks)
        ]
        (base / f"{name}.goal").write_text("\n".join([f"num_ranks {ranks}", *ring]) + "\n")
    shares = (np.arange(400) + 0.5) / 400
    for name, factor in (("calm", 1), ("busy", 3)):
        values = 2_000 - factor * 1_000 * np.log1p(-shares)
        rows = [f"{value:.0f}" for value in values]
        (base / f"{name}.csv").write_text("\n".join(["latency_ns", *rows]) + "\n")
    drawn = np.random.default_rng(1).normal(size=(60, 3))
    rows = [f"{10 + a:.4f},{3 + b / 3:.4f},{5 + a + c / 2:.4f}" for a, b, c in drawn.tolist()]
    (base / "runs.csv").write_text("\n".join(["mean_us,sd_us,runtime_s", *rows]) + "\n")
    history = ["background", "synthetic", "-o", str(base / "history.parquet")]
    assert main([*history, "--campaigns", "12", "--iterations", "50"]) == 0


def _campaign() -> Document:
    levels = [*design(), *sweep([250e3, 1e6]), *loads([0.2, 0.8])]
    return campaign_document(
        analyse(Maker(4, per_load_ns=5e8).runs([Model("lu", b=900)], levels), MADE)
    )


def _stacks(base: Path) -> Document:
    """A document with call paths whose names contain HTML."""
    found = latitude.analyze(latitude.load(base / TRACE))
    ways = [
        CallPath(frames=("MPI_Allreduce", f"f{i // 3}", NAME, "main"), count=1, lambda_L=1.0 + i)
        for i in range(9)
    ]
    return analysis_document(replace(found, by_call_site=[replace(site(), paths=ways)]))


def _sites(base: Path) -> Document:
    """A document with very many lines that call MPI, each on its own path."""
    found = latitude.analyze(latitude.load(base / TRACE))
    places = [
        replace(
            site(),
            where=f"file{number % 300}.c:{number}",
            paths=[
                CallPath(frames=(f"f{number}", f"g{number % 90}", "main"), count=1, lambda_L=1.0)
            ],
        )
        for number in range(SITES)
    ]
    return analysis_document(replace(found, by_call_site=places))


MADE_HERE: dict[str, Callable[[Path], Document]] = {
    "stacks": _stacks,
    "sites": _sites,
    "campaign": lambda _: _campaign(),
}
"""Documents of pages that no command of this test writes."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


_PARAMETERS = [
    pytest.param(kind, marks=[pytest.mark.essential] if kind == "analysis" else [])
    for kind in KINDS
]


@pytest.fixture(scope="module", params=_PARAMETERS)
def wide(
    request: pytest.FixtureRequest, browser: Browser, pages: Callable[[str], Path]
) -> Iterator[tuple[Path, Opened]]:
    """A page, and it in a wide window, which the tests of one kind use one after the other.

    To open a page takes a browser 1.6 s of processor time.
    """
    path = pages(request.param)
    with opened(browser, path) as shown:
        yield path, shown


def _is_whole(path: Path, shown: Opened, width: int) -> None:
    """All of its charts are drawn, within the window, and nothing was said."""
    drawn = shown.charts()
    expected = list(Html(path.read_text(encoding="utf-8")).figures)
    assert [chart["id"] for chart in drawn] == expected
    assert all(chart["marks"] for chart in drawn), drawn
    assert all(0 < chart["width"] <= width for chart in drawn), drawn
    assert shown.sideways() <= 0
    if width == 1400:
        assert shown.violations() == []
    assert shown.problems == []


def test_a_page_is_drawn_whole_and_silently_on_any_screen(
    browser: Browser, wide: tuple[Path, Opened]
) -> None:
    path, shown = wide
    _is_whole(path, shown, 1400)
    for width, scheme in ((800, "light"), (400, "light"), (1400, "dark")):
        with opened(browser, path, width, scheme) as other:
            _is_whole(path, other, width)


def test_buttons_look_at_parts_and_contents_lead_to_them(wide: tuple[Path, Opened]) -> None:
    _, shown = wide
    page = shown.page
    for group in page.locator(".views").all():
        buttons = group.locator("button").all()
        assert len(buttons) > 1
        for chosen in buttons:
            chosen.click()
            pressed = [button.get_attribute("aria-pressed") for button in buttons]
            assert pressed.count("true") == 1
            assert chosen.get_attribute("aria-pressed") == "true"
    for link in page.locator(".contents a, h2 a, .noted a").all():
        target = (link.get_attribute("href") or "").removeprefix("#")
        assert page.locator(f'[id="{target}"]').count() == 1
    assert shown.problems == []


def test_a_view_changes_the_axes(browser: Browser, pages: Callable[[str], Path]) -> None:
    with opened(browser, pages("analysis")) as shown:
        asked = "document.getElementById('runtime').layout.xaxis.range"
        before = shown.page.evaluate(asked)
        shown.page.locator('.views[data-for="runtime"] button').nth(1).click()
        assert shown.page.evaluate(asked)[1] > before[1]


@pytest.mark.parametrize("wide", ["thousands"], indirect=True)
def test_thousands_of_ranks_fit_a_page(wide: tuple[Path, Opened]) -> None:
    path, shown = wide
    assert path.stat().st_size < 5_000_000
    drawn = shown.charts()
    assert len(drawn) > 10
    assert all(chart["marks"] for chart in drawn), drawn
    assert shown.page.locator("button[data-packed]").count() > 0
    assert shown.elements() <= MOST_ELEMENTS
    assert shown.problems == []


def test_thousands_of_call_sites_fit_a_page(browser: Browser, pages: Callable[[str], Path]) -> None:
    path = pages("sites")
    assert path.stat().st_size < 4_000_000
    with opened(browser, path) as shown:
        assert all(chart["marks"] for chart in shown.charts())
        assert shown.elements() <= MOST_ELEMENTS
        assert shown.problems == []


@pytest.mark.parametrize(
    "wide", ["analysis", "streamed", "thousands", "hostile", "tail", "campaign"], indirect=True
)
def test_downloads_are_the_files_byte_for_byte(wide: tuple[Path, Opened]) -> None:
    path, shown = wide
    buttons = shown.page.locator("button[data-source]").all()
    assert buttons
    for number, button in enumerate(buttons):
        if number and number % BURST == 0:
            shown.page.wait_for_timeout(BURST_MS)
        with shown.page.expect_download() as waiting:
            button.click()
        got = waiting.value.path().read_bytes()
        name = button.inner_text()
        written = path.parent / name
        if written.is_file():
            assert got == written.read_bytes()
        elif name.endswith(".json"):
            assert json.loads(got)["schema"].startswith("latitude.")
        else:
            assert got.count(b"\n") > 1
        assert not set('<>"/') & set(waiting.value.suggested_filename)
    assert shown.problems == []


@pytest.mark.parametrize("kind", ["analysis", "campaign", "sites"])
def test_paper_has_all_columns(browser: Browser, pages: Callable[[str], Path], kind: str) -> None:
    with opened(browser, pages(kind), 794 - 98) as shown:  # A4 without its margins
        shown.page.emulate_media(media="print", color_scheme="dark")
        shown.page.evaluate("dispatchEvent(new Event('beforeprint'))")  # charts are drawn anew
        assert shown.sideways() <= 0
        outside = shown.page.evaluate(
            "[...document.querySelectorAll('td, th')].filter((cell) => cell.getClientRects().length"
            " && cell.getBoundingClientRect().right > innerWidth + 1).map((cell) => cell.innerText)"
        )
        assert outside == []
        # Such a part begins on a new sheet, in vain: it has to be cut all the same.
        uncut = shown.page.evaluate(
            "sheet => [...document.querySelectorAll('body *')].filter((part) => "
            "getComputedStyle(part).breakInside === 'avoid' && part.offsetHeight > sheet)"
            ".map((part) => part.outerHTML.slice(0, 200))",
            SHEET,
        )
        assert uncut == []
        paper = shown.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"


@pytest.mark.parametrize("kind", ["hostile", "streamed"])
def test_a_hostile_name_is_a_title_and_nothing_else(
    browser: Browser, pages: Callable[[str], Path], kind: str
) -> None:
    with opened(browser, pages(kind), 400) as shown:
        assert shown.page.locator("h1").inner_text().split() == NAME.split()
        assert shown.page.title().startswith("<!--<script>alert(1) <b>")
        assert shown.sideways() <= 0
