"""Sliders of pages, moved in Chromium, against what the package says at the same point."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

import latitude
from latitude._types import Floats
from latitude.model.theta import TOLERANCES
from latitude.render.document import Document, File, Live, LiveAlternative, Section, Slider
from latitude.render.documents.analysis import analysis_document
from latitude.render.documents.comparison import comparison_document
from latitude.render.documents.map import map_document
from latitude.render.html.page import page as page_of
from latitude.results.map import MapOver, Mapped, Planes
from latitude.units.quantities import format_change, format_share, format_time
from support.browser import Opened, chromium, opened
from support.sections import known

SLOW = latitude.Network(L=3000.0, o=1000.0, G=0.018, S=1 << 18)
FAST = latitude.Network(L=5000.0, o=400.0, G=0.01, S=1 << 18)
VARY = ("L=1us:100us", "G=0ns:0.5ns", "compute=0.5:2")
STEPS = 1000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def program(examples: Path) -> latitude.Program:
    return latitude.load(examples / "lulesh-8-i20-s8.tar.xz")


@pytest.fixture(scope="module", params=["map", "alternatives", "analysis", "comparison"])
def made(
    request: pytest.FixtureRequest, program: latitude.Program, examples: Path
) -> tuple[MapOver, Document]:
    """The map of the sliders and their page, for each kind of page with sliders."""
    if request.param == "map":
        found = latitude.map(program, SLOW, vary=VARY, error=0.01)
        return found, map_document(found)
    if request.param == "alternatives":
        networks = {"slow": SLOW, "fast": FAST}
        found = latitude.map(program, networks, vary=VARY, error=0.01)
        return found, map_document(found)
    if request.param == "comparison":
        recording = latitude.read(examples / "lulesh-8-i20-s8.tar.xz")
        compared = latitude.compare(recording, ["allreduce=recursive-doubling,ring"])
        return known(compared.sliders), comparison_document(compared)
    analysed = latitude.analyze(program, SLOW)
    return known(analysed.sliders), analysis_document(analysed)


@pytest.fixture(scope="module")
def found(made: tuple[MapOver, Document]) -> MapOver:
    return made[0]


@pytest.fixture(scope="module")
def path(made: tuple[MapOver, Document], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page_of(made[1]), encoding="utf-8")
    assert path.stat().st_size < 1_800_000
    return path


@pytest.fixture
def shown(browser: Browser, path: Path) -> Iterator[Opened]:
    with opened(browser, path) as page:
        yield page
        assert page.problems == []


def cells(shown: Opened) -> list[list[str]]:
    """Cells of the table: value of each parameter, λ, ρ, and the possible rise."""
    rows = shown.page.locator(".live tbody tr").all()
    return [
        [row.locator("small").inner_text(), *row.locator("td").all_inner_texts()[2:]]
        for row in rows
    ]


def runtime(shown: Opened) -> str:
    return shown.page.locator(".live output").inner_text()


def choose(shown: Opened, alternative: Mapped) -> None:
    if alternative.label:
        button = shown.page.get_by_role("button", name=alternative.label, exact=True)
        button.click()
        assert button.get_attribute("aria-pressed") == "true"


@pytest.mark.essential
def test_the_page_opens_at_the_network_with_its_exact_values(shown: Opened, found: MapOver) -> None:
    for each in found.alternatives:
        choose(shown, each)
        shown.page.get_by_role("button", name="Back to the network").click()
        assert runtime(shown) == f"T = {format_time(each.T_ns)}"
        said = shown.page.locator(".now").inner_text()
        assert f"as at the network, within {format_share(each.error)}" in said
        for index, (row, axis) in enumerate(zip(cells(shown), found.axes, strict=True)):
            base, slope = float(each.base[index]), float(each.slope[index])
            assert row[0] == axis.text(base)
            assert float(row[1].replace(",", "")) == pytest.approx(slope, rel=1e-5)
            assert row[2] == format_share(slope * base / each.T_ns)


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.essential), 1, 2])
def test_sliders_give_what_the_package_says(shown: Opened, found: MapOver, seed: int) -> None:
    steps = np.random.default_rng(seed).integers(0, STEPS, size=len(found.axes), endpoint=True)
    point = []
    for index, (axis, step) in enumerate(zip(found.axes, steps.tolist(), strict=True)):
        slider = shown.page.get_by_role("slider", name=axis.meaning)
        slider.fill(str(step))
        assert slider.get_attribute("aria-valuetext") == cells(shown)[index][0]
        part = step / STEPS
        span = axis.high - axis.low
        value = axis.low * (axis.high / axis.low) ** part if axis.low else axis.low + part * span
        point.append(value)
        assert cells(shown)[index][0] == axis.text(value)
    at = np.array(point)
    for each in found.alternatives:
        choose(shown, each)
        check(shown, found, each, at)


def check(shown: Opened, found: MapOver, each: Mapped, at: Floats) -> None:
    """T, its change, its parts and the tolerances are those of an alternative at a point."""
    T = float(highest(each, at))
    assert runtime(shown) == f"T = {format_time(T)}"
    change = format_change(T / each.T_ns - 1)
    assert f"{change} against the network" in shown.page.locator(".now").inner_text()
    planes = with_network(each)
    shares = planes.slopes(at[None])[0] * at / T
    assert [row[2] for row in cells(shown)] == [format_share(part) for part in shares]
    largest = found.axes[int(shares.argmax())].meaning
    assert f"that sliders move is {largest}: " in shown.page.locator(".live .note").inner_text()
    for other in found.alternatives if len(found.alternatives) > 1 else []:
        its = float(highest(other, at))
        beside = "" if other is each else f" ({format_change(its / T - 1)})"
        there = shown.page.locator(".others").inner_text()
        assert f"{other.label} {format_time(its)}{beside}" in there
    parts = shown.page.locator(".shares").get_attribute("aria-label") or ""
    for index, (row, axis) in enumerate(zip(cells(shown), found.axes, strict=True)):
        assert f"{axis.meaning} {row[2]}" in parts
        for share, said in zip(TOLERANCES, row[3:], strict=True):
            reached = float(reach(each, at, index, (1 + share) * T)) - at[index]
            if said == "never":
                assert np.isinf(reached)
                continue
            number, _, unit = said.removeprefix("+").partition(" ")
            scale = {"s": 1e9, "ms": 1e6, "µs": 1e3}.get(unit, 1.0)
            assert float(number) * scale == pytest.approx(reached, rel=1e-3, abs=1e-9)


def with_network(each: Mapped) -> Planes:
    """The planes, and that at the network, which the page has, too."""
    planes = each.planes
    return Planes(
        T_ns=np.append(planes.T_ns, each.T_ns),
        point=np.vstack([planes.point, each.base]),
        slope=np.vstack([planes.slope, each.slope]),
    )


def highest(each: Mapped, at: Floats) -> Floats:
    return with_network(each).highest(at)


def reach(each: Mapped, at: Floats, axis: int, limit: float) -> float:
    return float(with_network(each).reach(at[None], axis, limit)[0])


@pytest.mark.essential
def test_sliders_move_by_keyboard(shown: Opened) -> None:
    slider = shown.page.get_by_role("slider").first
    slider.fill("500")
    before = runtime(shown)
    slider.focus()
    for _ in range(3):
        shown.page.keyboard.press("PageUp")
    assert runtime(shown) != before
    shown.page.get_by_role("button", name="Back to the network").click()
    assert "as at the network" in shown.page.locator(".now").inner_text()


def test_the_page_is_accessible_and_fits_a_phone(browser: Browser, path: Path) -> None:
    for width, scheme in ((1400, "light"), (400, "dark")):
        with opened(browser, path, width, scheme) as page:
            assert page.sideways() <= 0
            assert page.violations() == []
            assert page.problems == []


def test_on_paper_the_numbers_stay(shown: Opened) -> None:
    shown.page.emulate_media(media="print")
    assert shown.page.get_by_role("slider").count() == 0
    assert shown.page.locator(".live output").is_visible()
    assert shown.page.locator(".live tbody small").first.is_visible()


def test_five_hundred_planes_move_within_a_frame(browser: Browser, tmp_path: Path) -> None:
    """A move takes less processor time than 30 frames a second leave, with a wide margin."""
    random = np.random.default_rng(1)
    planes = random.gamma(2.0, 50.0, size=(500, 5))
    sliders = [Slider(f"parameter {i}", "", 0.5, 2.0) for i in range(4)]
    one = LiveAlternative("", planes.tolist(), [1.0] * 4, 1.0, 0.001)
    document = Document(
        name="many",
        headline="",
        kind="test",
        parts=[Section("Set the parameters", [Live(sliders, [one], TOLERANCES)])],
        files=[File("many.json", lambda: "{}")],
    )
    path = tmp_path / "report.html"
    path.write_text(page_of(document), encoding="utf-8")
    with opened(browser, path) as page:
        client = page.page.context.new_cdp_session(page.page)
        client.send("Performance.enable", {"timeDomain": "threadTicks"})

        def spent() -> float:
            metrics = client.send("Performance.getMetrics")["metrics"]
            return sum(each["value"] for each in metrics if each["name"] == "TaskDuration")

        before = spent()
        page.page.evaluate(_MOVE, MOVES)
        assert spent() - before < MOVES / 30


MOVES = 120
_MOVE = """(moves) => new Promise((done) => {
  const slider = document.querySelector(".live input");
  function move(left) {
    slider.value = String((left * 7) % 1000);
    slider.dispatchEvent(new Event("input"));
    if (left) requestAnimationFrame(() => move(left - 1));
    else done();
  }
  move(moves);
})"""
