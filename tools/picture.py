#!/usr/bin/env python3
"""Takes README's picture: what newcomers should see first of a page of `latitude analyze`.

PYTHONPATH=tests tools/picture.py PAGE PICTURE, e.g. of latitude-demo/report.html
docs/images/report.png. Needs the browser of the tests.
"""

import sys
from pathlib import Path

from support.browser import chromium

WIDTH = 1120
SHOWN = ("runtime", "timeline")
"""Charts; other sections are left out."""
CHOOSE = """(shown) => {
  const parts = "main > :is(section, h2, p, .pairs, .wide, aside)";
  const unwanted = `${parts}, .contents, .noted, .note, .modebar, footer`;
  for (const each of document.querySelectorAll(unwanted)) {
    if (!shown.some((id) => each.querySelector(`#${id}`))) each.style.display = "none";
  }
  document.querySelector("main").style.paddingBottom = "28px";
}"""


def main() -> None:
    """Opens the page, leaves out what the picture does not show, and takes it."""
    page_of, picture = map(Path, sys.argv[1:])
    with chromium() as browser:
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        page.goto(page_of.resolve().as_uri())
        page.wait_for_load_state("load")
        page.evaluate(CHOOSE, list(SHOWN))
        page.screenshot(path=picture, full_page=True)


if __name__ == "__main__":
    main()
