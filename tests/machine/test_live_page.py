"""Sliders of a map's page, moved in Chromium, against what the package says at the same point."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

import latitude
from latitude.model.theta import TOLERANCES
from latitude.render.documents.map import map_document
from latitude.render.html.page import page as page_of
from latitude.results.map import ProgramMap
from latitude.units.quantities import format_change, format_share, format_time
from support.browser import Opened, chromium, opened

NETWORK = latitude.Network(L=3000.0, o=1000.0, G=0.018, S=1 << 18)
VARY = ("L=1us:100us", "G=0ns:0.5ns", "compute=0.5:2")
STEPS = 1000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def found(examples: Path) -> ProgramMap:
    program = latitude.load(examples / "lulesh-8-i20-s8.tar.xz")
    return latitude.program_map(program, NETWORK, vary=VARY, error=0.01)


@pytest.fixture(scope="module")
def shown(
    browser: Browser, found: ProgramMap, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    path = tmp_path_factory.mktemp("map") / "report.html"
    path.write_text(page_of(map_document(found)), encoding="utf-8")
    assert path.stat().st_size < 1_800_000
    with opened(browser, path) as page:
        yield page
        assert page.problems == []


def cells(shown: Opened) -> list[list[str]]:
    """Of each parameter: its value, λ, share of T, and how much it may rise."""
    rows = shown.page.locator(".live tbody tr").all()
    return [
        [row.locator("small").inner_text(), *row.locator("td").all_inner_texts()[2:]]
        for row in rows
    ]


def runtime(shown: Opened) -> str:
    return shown.page.locator(".live output").inner_text()


@pytest.mark.essential
def test_the_page_opens_at_the_network_with_its_exact_values(
    shown: Opened, found: ProgramMap
) -> None:
    shown.page.get_by_role("button", name="Back to the network").click()
    assert runtime(shown) == f"T = {format_time(found.network.T_ns)}"
    for row, axis in zip(cells(shown), found.axes, strict=True):
        assert row[0] == axis.text(axis.base)
        assert float(row[1].replace(",", "")) == pytest.approx(axis.slope, rel=1e-5)
        assert row[2] == format_share(axis.slope * axis.base / found.network.T_ns)


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.essential), *range(1, 5)])
def test_sliders_give_what_the_package_says(shown: Opened, found: ProgramMap, seed: int) -> None:
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
    T = float(found.runtime(at))
    assert runtime(shown) == f"T = {format_time(T)}"
    change = format_change(T / found.network.T_ns - 1)
    assert f"{change} against the network" in shown.page.locator(".now").inner_text()
    plane = int((found.planes.at_zero + found.planes.slope @ at).argmax())
    shares = found.planes.slope[plane] * at / T
    assert [row[2] for row in cells(shown)] == [format_share(each) for each in shares]
    largest = found.axes[int(shares.argmax())].meaning
    assert f"that sliders move is {largest}: " in shown.page.locator(".live .note").inner_text()
    for index, row in enumerate(cells(shown)):
        for share, said in zip(TOLERANCES, row[3:], strict=True):
            reached = float(found.planes.reach(at[None], index, (1 + share) * T)[0]) - at[index]
            number, _, unit = said.removeprefix("+").partition(" ")
            scale = {"ms": 1e6, "µs": 1e3}.get(unit, 1.0)
            assert float(number) * scale == pytest.approx(reached, rel=1e-3)


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


def test_the_page_is_accessible_and_fits_a_phone(
    browser: Browser, found: ProgramMap, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(page_of(map_document(found)), encoding="utf-8")
    for width, scheme in ((1400, "light"), (400, "dark")):
        with opened(browser, path, width, scheme) as page:
            assert page.sideways() <= 0
            assert page.violations() == []
            assert page.problems == []
