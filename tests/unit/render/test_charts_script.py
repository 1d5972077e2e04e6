"""The script that pages draw with: made by tools/charts.sh, committed, and fit for a page."""

import hashlib
import json

from support.html import CHARTS
from support.paths import ROOT

HTML = ROOT / "src" / "latitude" / "render" / "html"
ASKED = json.loads((ROOT / "tools" / "charts" / "package.json").read_text(encoding="utf-8"))


def test_it_is_what_the_tool_made() -> None:
    lines = (HTML / "charts.sha256").read_text(encoding="ascii").splitlines()
    assert [line.split()[1] for line in lines] == ["charts.js", "charts-licences.txt"]
    for line in lines:
        digest, name = line.split()
        assert hashlib.sha256((HTML / name).read_bytes()).hexdigest() == digest


def test_it_names_its_version_and_carries_the_licences() -> None:
    version = ASKED["dependencies"]["plotly.js"]
    assert CHARTS.startswith(f"/* plotly.js {version} (a part of it), Copyright Plotly, Inc., MIT")
    texts = (HTML / "charts-licences.txt").read_text(encoding="utf-8")
    assert f"\nplotly.js {version} (MIT)\n" in texts
    assert "d3" in texts
    assert "GPL" not in texts


def test_it_may_stand_in_a_page() -> None:
    assert "</script" not in CHARTS.lower()
    assert "<!--" not in CHARTS
    assert len(CHARTS.encode()) < 1_100_000
