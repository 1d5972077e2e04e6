"""The answer stands whatever happens to the sections beside it."""

import json
from itertools import cycle
from pathlib import Path

import pytest

import latitude
from latitude import InputError
from latitude.render.document import Section
from latitude.render.documents.analysis import analysis_document
from latitude.results.kept import read_kept
from latitude.results.left_out import SECTIONS
from support.schemas import document

ANALYZE = "latitude.analysis.analyze"
COMPUTED_BY = {
    "waits": "waits_of",
    "slack": "messages_of",
    "near_paths": "near_paths",
    "call_sites": "by_call_site",
    "iterations": "iterations_of",
    "link_loads": "link_loads",
}
"""What each section is computed by."""
NAMES = {name: section for section, name in SECTIONS.items()}
ANSWER = ("baseline", "theta", "interval", "tolerance", "curve", "breakpoints", "critical")


def answer_of(found: latitude.Analysis) -> dict[str, object]:
    result = json.loads(found.to_json())
    return {key: result[key] for key in (*ANSWER, "efficiency", "critical_path", "by_call")}


@pytest.fixture(scope="module")
def program(lulesh: Path) -> latitude.Program:
    return latitude.load(lulesh)


@pytest.fixture(scope="module")
def whole(program: latitude.Program) -> latitude.Analysis:
    return latitude.analyze(program)


def test_every_section_is_found(whole: latitude.Analysis) -> None:
    assert whole.left_out == []
    assert set(COMPUTED_BY) == set(SECTIONS)


@pytest.mark.parametrize(
    ("section", "error"),
    list(zip(SECTIONS, cycle((RuntimeError("a\nb"), MemoryError(), InputError("c"))))),
    ids=str,
)
def test_a_section_that_fails_is_left_out(
    section: str,
    error: Exception,
    program: latitude.Program,
    whole: latitude.Analysis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(f"{ANALYZE}.{COMPUTED_BY[section]}", fails)
    found = latitude.analyze(program)
    left_out = {NAMES[each.what]: each.why for each in found.left_out}
    assert set(left_out) == {section, *(["link_loads"] if section == "slack" else [])}
    assert "\n" not in left_out[section]
    assert "section-left-out" in {notice.code for notice in found.warnings}
    assert answer_of(found) == answer_of(whole)
    document(found.to_json())
    page = analysis_document(found)
    listed = [part for part in page.parts if isinstance(part, Section) and part.title == "Left out"]
    assert len(listed) == 1
    for file in page.files:
        assert file.text()


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_that_is_not_wanted_is_no_warning(
    section: str, program: latitude.Program, whole: latitude.Analysis
) -> None:
    found = latitude.analyze(program, without=[section])
    assert section in {NAMES[each.what] for each in found.left_out}
    assert found.warnings == whole.warnings
    assert answer_of(found) == answer_of(whole)


def test_an_unknown_section_is_refused(program: latitude.Program) -> None:
    with pytest.raises(InputError, match=r"wait.*waits"):
        latitude.analyze(program, without=["wait"])


def test_a_result_without_waits_is_read_back(program: latitude.Program, tmp_path: Path) -> None:
    path = tmp_path / "analysis.json"
    path.write_text(latitude.analyze(program, without=["waits"]).to_json())
    kept = read_kept(path)
    with pytest.raises(InputError, match="has no waits"):
        _ = kept.times
