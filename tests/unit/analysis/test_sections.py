"""The answer stands whatever happens to the sections beside it."""

import json
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name

import pytest

import latitude
import latitude.sections
from latitude import InputError
from latitude.analysis.section import SectionCost
from latitude.model.topology import Topology
from latitude.render.document import Section
from latitude.render.documents.analysis import analysis_document
from latitude.results.reading import read_analysis
from latitude.sections import SECTIONS
from support.command import Run
from support.schemas import document
from support.tiers import first_of

FOLDER = Path(str(latitude.sections.__file__)).parent
PARTS = {"result.py", "compute.py", "show.py"}
ERRORS = (RuntimeError("a\nb"), MemoryError(), InputError("c"))
NAMES = {name: section for section, name in SECTIONS.items()}
ANSWER = (
    "baseline",
    "theta",
    "interval",
    "tolerance",
    "curve",
    "breakpoints",
    "critical",
    "what_if",
)


def answer_of(found: latitude.Analysis) -> dict[str, object]:
    result = json.loads(found.to_json())
    return {key: result[key] for key in ANSWER}


@pytest.fixture(scope="module")
def program(lulesh: Path) -> latitude.Program:
    return latitude.load(lulesh)


@pytest.fixture(scope="module")
def whole(program: latitude.Program) -> latitude.Analysis:
    return latitude.analyze(program)


def test_every_section_is_found(whole: latitude.Analysis) -> None:
    assert whole.left_out == []
    for name in SECTIONS:
        assert {path.name for path in (FOLDER / name).glob("*.py")} >= PARTS


@pytest.mark.parametrize("section", first_of(SECTIONS, len(ERRORS)))
def test_a_section_that_fails_is_left_out(
    section: str,
    program: latitude.Program,
    whole: latitude.Analysis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    error = ERRORS[[*SECTIONS].index(section) % len(ERRORS)]

    def fails(*_: object, **__: object) -> None:
        raise error

    compute = f"latitude.sections.{section}.compute.COMPUTED"
    monkeypatch.setattr(compute, replace(resolve_name(compute), of_graph=fails))
    found = latitude.analyze(program)
    left_out = {NAMES[each.what]: each.why for each in found.left_out}
    assert set(left_out) == {section}
    assert "\n" not in left_out[section]
    assert "section-left-out" in {notice.code for notice in found.warnings}
    assert answer_of(found) == answer_of(whole)
    document(found.to_json())
    page = analysis_document(found)
    listed = [part for part in page.parts if isinstance(part, Section) and part.title == "Left out"]
    assert len(listed) == 1
    for file in page.files:
        assert file.text()


@pytest.mark.parametrize("section", first_of(SECTIONS, 4))
def test_a_section_that_is_not_wanted_is_no_warning(
    section: str, program: latitude.Program, whole: latitude.Analysis
) -> None:
    found = latitude.analyze(program, without=[section])
    assert [NAMES[each.what] for each in found.left_out] == [section]
    assert not getattr(found, section)
    assert found.warnings == whole.warnings
    assert answer_of(found) == answer_of(whole)


def test_an_unknown_section_is_refused(program: latitude.Program) -> None:
    with pytest.raises(InputError, match=r"wait.*waits"):
        latitude.analyze(program, without=["wait"])


def test_only_the_sections_that_are_wanted_are_found(program: latitude.Program) -> None:
    found = latitude.analyze(program, sections=["waits", "by_call"], without=["by_call"])
    assert found.waits is not None
    assert {NAMES[each.what] for each in found.left_out} == SECTIONS.keys() - {"waits"}
    assert len(analysis_document(found).files) == 5


def test_a_section_over_its_bound_is_left_out_before_it_begins(
    program: latitude.Program, whole: latitude.Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    for name in SECTIONS:
        compute = f"latitude.sections.{name}.compute.COMPUTED"
        costly = replace(
            resolve_name(compute), of_graph=begun.append, cost=SectionCost(sweeps=1e12)
        )
        monkeypatch.setattr(compute, costly)
    found = latitude.analyze(program)
    assert not begun
    assert [each.what for each in found.left_out] == [*SECTIONS.values()]
    assert all("steps, more than 100,000,000,000" in each.why for each in found.left_out)
    assert [each.code for each in found.warnings].count("section-left-out") == len(SECTIONS)
    assert answer_of(found) == answer_of(whole)
    assert analysis_document(found).parts


def test_a_section_that_the_machine_has_no_memory_for_is_left_out_before_it_begins(
    program: latitude.Program, whole: latitude.Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("latitude.analysis.section.free_memory", lambda: 1)
    found = latitude.analyze(program, sections=["slack", "by_rank"])
    why = {NAMES[each.what]: each.why for each in found.left_out}
    assert "more than the free memory" in why["slack"]
    assert "by_rank" not in why
    assert answer_of(found) == answer_of(whole)


def test_what_a_section_costs_grows_with_the_program(program: latitude.Program) -> None:
    topology = Topology.parse("fat-tree:k=48,tiers=3")
    found = latitude.analyze(
        program, latitude.Network.parse({}, topology=topology), sections=["link_loads", "pairs"]
    )
    assert found.link_loads is not None
    larger = Topology.parse("fat-tree:k=300,tiers=3")
    found = latitude.analyze(
        program, latitude.Network.parse({}, topology=larger), sections=["link_loads", "pairs"]
    )
    assert found.link_loads is None
    (notice,) = (each for each in found.warnings if each.code == "section-left-out")
    assert "steps, more than 50,000,000" in notice.message


def test_sections_are_chosen_on_the_command_line(lulesh: Path, latitude: Run) -> None:
    def found(*options: str) -> set[str]:
        done = latitude("analyze", lulesh, *options, "--json", "-")
        assert done.returncode == 0, done.stderr
        return {NAMES[each["what"]] for each in json.loads(done.stdout)["left_out"]}

    assert found("--without", "waits,slack,pairs") == {"waits", "slack", "pairs"}
    assert found("--sections", "waits,slack", "--without", "slack") == SECTIONS.keys() - {"waits"}
    refused = latitude("analyze", lulesh, "--sections", "wait")
    assert refused.returncode == 2
    assert "unknown section 'wait'" in refused.stderr


def test_a_result_without_waits_is_read_back(program: latitude.Program, tmp_path: Path) -> None:
    path = tmp_path / "analysis.json"
    path.write_text(latitude.analyze(program, without=["waits"]).to_json())
    kept = read_analysis(path)
    with pytest.raises(InputError, match="has no waits"):
        kept.stated_waits()
