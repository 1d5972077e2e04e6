"""places.json beside a trace: by `latitude trace`, and by a script for one program."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

import latitude
from latitude import InputError
from latitude.trace.examples import DEMO, example


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with tarfile.open(example(DEMO)) as archive:
        archive.extractall(tmp_path, filter="data")
    (found,) = tmp_path.iterdir()
    return found


def lines(folder: Path) -> list[str]:
    program = latitude.load(folder)
    return [
        each.where for each in latitude.analyze(program, sections=["by_call_site"]).by_call_site
    ]


def plain(kept: dict[str, Any]) -> dict[str, Any]:
    """The places as a script would write them, without builds."""
    (module,) = kept["modules"]
    by_offset = {hex(each["offset"]): each["frames"] for each in kept["places"]}
    return {"module": module["path"], "return_addresses": by_offset}


def test_places_of_one_program_by_return_address_are_the_same(folder: Path) -> None:
    path = folder / "places.json"
    expected = lines(folder)
    assert any("lulesh.cc:186" in each for each in expected)
    path.write_text(json.dumps(plain(json.loads(path.read_text()))))
    assert lines(folder) == expected
    path.unlink()
    assert not any("lulesh.cc" in each for each in lines(folder))


def test_names_of_functions_do_not_tell_the_form(folder: Path) -> None:
    path = folder / "places.json"
    expected = sorted(lines(folder))
    shorter = plain(json.loads(path.read_text()))
    for frames in shorter["return_addresses"].values():
        frames[0]["function"] = "schema"
    path.write_text(json.dumps(shorter))
    assert sorted(lines(folder)) == expected


@pytest.mark.parametrize(
    "content",
    [
        '{"return_addresses": {}}',
        '{"module": "a", "return_addresses": {"main": []}}',
        '{"module": "a", "return_addresses": {"0x1": [{"line": 0}]}}',
        '{"module": "a", "return_addresses": {}, "more": 1}',
        '{"module": "a", "return_addresses"',
    ],
)
def test_damaged_places_are_named(folder: Path, content: str) -> None:
    (folder / "places.json").write_text(content)
    with pytest.raises(InputError, match=r"places\.json: damaged; remove it, or let"):
        latitude.load(folder)
