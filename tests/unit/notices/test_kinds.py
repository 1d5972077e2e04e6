"""Every notice's code stands in one list, which is all that is used, and the docs' table."""

import re
from pathlib import Path

import pytest

from latitude import load
from latitude.notices import kinds
from latitude.notices.kinds import KINDS, Kind
from latitude.notices.notice import Notice
from support.paths import ROOT

NAMES = {name: kind for name, kind in vars(kinds).items() if isinstance(kind, Kind)}


def test_codes_are_names() -> None:
    assert len(KINDS) == len(NAMES)
    for name, kind in NAMES.items():
        assert kind.code == name.lower().replace("_", "-")
        assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", kind.code)
        assert kind.hint.strip() == kind.hint != ""


def test_the_docs_list_them() -> None:
    page = (ROOT / "docs" / "reference" / "warnings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (.+) \|$", page, re.MULTILINE)
    fields = re.compile(r"\{\w+[^}]*\}")
    assert rows == sorted((kind.code, fields.sub("…", kind.hint)) for kind in KINDS.values())


def test_the_cores_codes_are_among_them_and_none_is_left_over() -> None:
    sources = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "core").rglob("*.cpp")
        if not path.name.endswith("_test.cpp")
    )
    package = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "src" / "latitude").rglob("*.py")
    )
    before = (
        r"warnings\.push_back\(\s*\{",
        r"\badd\((?:counts|resolved)\.\w+, ",
        r"\bWarning \w+\([^)]*\) \{\s*return \{",
        r"\breturn Warning\{",
    )
    made = set(re.findall(rf"(?:{'|'.join(before)})\"([a-z0-9-]+)\"", sources))
    assert made <= set(KINDS), "a warning of the core is in no list"
    used = {kind.code for name, kind in NAMES.items() if f"kinds.{name}" in package}
    assert made | used == set(KINDS), "a kind that nothing makes"
    assert len(made) >= 8


def test_a_notice_fills_in_its_hint() -> None:
    found = kinds.REPEATED_LEVELS("m", levels=1200)
    assert found == Notice(
        "repeated-levels", "m", "correlate the means of the levels as well (n = 1,200)"
    )
    with pytest.raises(KeyError):
        kinds.REPEATED_LEVELS("m")


def test_warnings_of_the_core_become_notices(tmp_path: Path) -> None:
    path = tmp_path / "sizes.goal"
    path.write_text(
        "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: recv 9b from 0 tag 0\n}\n"
    )
    (notice,) = load(path).warnings
    assert (notice.code, notice.hint) == ("goal-receive-size", kinds.GOAL_RECEIVE_SIZE.hint)
