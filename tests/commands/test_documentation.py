"""The site and the manual pages: built without a warning, with every command and public name."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import latitude
from latitude.cli.commands import SUMMARIES
from support.hanging import HANG_S
from support.needed import needed
from support.paths import ROOT


def _built(root: Path, into: Path, *what: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, root / "tools" / "documentation.py", into, *what],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        check=False,
        text=True,
        timeout=HANG_S,
    )


@pytest.fixture(scope="module")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("documentation")
    done = _built(ROOT, into)
    assert done.returncode == 0, done.stdout + done.stderr
    return into


@pytest.mark.thorough
def test_the_site_has_every_page_and_name(documentation: Path) -> None:
    html = documentation / "html"
    pages = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "docs").rglob("*.md")]
    pages = [page.parent if page.name == "README" else page for page in pages]
    assert all((html / page / "index.html").is_file() for page in pages)
    interface = (html / "reference" / "python" / "index.html").read_text(encoding="utf-8")
    names = [name for name in dir(latitude) if not name.startswith("_")]
    assert all(f">{name}</span>" in interface for name in names)
    options = (html / "docs" / "commands" / "analyze" / "index.html").read_text(encoding="utf-8")
    assert "--collective NAME=ALGORITHM" in options


def test_tables_of_options_are_what_is_declared() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "reference.py", "--check"], check=False)
    assert done.returncode == 0


@pytest.mark.thorough
def test_manual_pages_are_sound(tmp_path: Path) -> None:
    made = _built(ROOT, tmp_path, "man")
    assert made.returncode == 0, made.stdout + made.stderr
    pages = tmp_path / "man"
    assert all((pages / f"latitude-{name}.1").is_file() for name in SUMMARIES)
    groff = needed("groff", "need-groff.sh")
    for page in (pages / "latitude.1", *sorted(pages.glob("latitude-*.1"))):
        words: list[str | Path] = [groff, "-man", "-ww", "-Kutf8", "-Tutf8", page]
        done = subprocess.run(words, capture_output=True, check=False, timeout=HANG_S)
        assert (done.returncode, done.stderr) == (0, b""), page
        assert b"N\x08NA\x08AM\x08ME\x08E" in done.stdout


@pytest.mark.thorough
def test_a_link_that_leads_nowhere_is_an_error(tmp_path: Path) -> None:
    for name in ("docs", "tools", "benchmarks", "examples", "src", "core"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    wrong = text.replace(
        "docs/reference/networks.md#your-network-once", "docs/reference/networks.md#somewhere"
    )
    assert wrong != text
    (tmp_path / "README.md").write_text(wrong, encoding="utf-8")
    done = _built(tmp_path, tmp_path / "out")
    assert done.returncode != 0
    assert "somewhere" in done.stdout + done.stderr
