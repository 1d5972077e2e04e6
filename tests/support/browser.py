"""A page opened in a real browser, with its console, its drawings and its requests."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from .hanging import HANG_S
from .needed import need

_CHROMIUM = "/usr/bin/chromium-headless-shell"
_HEIGHT = 900
_DRAWN = """() => [...document.querySelectorAll(".chart")].map((chart) => ({
  id: chart.id,
  marks: chart.querySelectorAll(".main-svg .plot *, .main-svg .infolayer text").length,
  width: chart.getBoundingClientRect().width,
}))"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that has no windows. (Root cannot sandbox the browser; the pages are ours.)"""
    need("Chromium", there=Path(_CHROMIUM).exists(), script="need-browser.sh")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page in a window."""

    page: Page
    problems: list[str] = field(default_factory=list)
    """Console output, uncaught errors, and requested addresses other than the page's own."""

    def charts(self) -> list[dict[str, Any]]:
        """Id, number of marks and width of each chart."""
        return self.page.evaluate(_DRAWN)

    def violations(self) -> list[str]:
        """Violations of the rules of accessible pages, found by axe-core."""
        self.page.evaluate(_axe())
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{each['id']}: {node['html'][:200]}"
            for each in found["violations"]
            for node in each["nodes"]
        ]

    def elements(self) -> int:
        """Number of elements of the page and its charts."""
        return self.page.evaluate("document.querySelectorAll('*').length")

    def sideways(self) -> int:
        """Pixels by which the page is wider than its window."""
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")


@contextmanager
def opened(
    browser: Browser, path: Path, width: int = 1400, scheme: Any = "light"
) -> Iterator[Opened]:
    """The file in a window of this width, when all its charts are drawn."""
    context = browser.new_context(
        viewport={"width": width, "height": _HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(1000 * HANG_S)
    page = context.new_page()
    shown = Opened(page)
    address = path.resolve().as_uri()
    page.on("console", lambda message: shown.problems.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: shown.problems.append(f"error: {error}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url == address or request.url.startswith(("blob:", "data:"))
            else shown.problems.append(f"request: {request.url}")
        ),
    )
    page.goto(address)
    page.wait_for_load_state("load")
    yield shown
    context.close()


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
