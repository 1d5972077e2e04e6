"""Every JSON result has a schema that is installed, strict and listed."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from support.paths import ROOT
from support.schema_files import file_name, results, text_of
from support.schemas import SCHEMAS, schema_of

NAMES = sorted(
    f"latitude.{path.name.removesuffix('.json').replace('-', '/')}" for path in SCHEMAS.iterdir()
)

OWN = {
    "latitude.campaign.plan/1",
    "latitude.campaign.run/2",
    "latitude.forecast.samples/1",
    "latitude.places/1",
    "latitude.validation-plan/1",
}
"""Schemas of files that commands keep for themselves."""


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object that is described in it, at any depth."""
    if isinstance(schema, dict):
        if "properties" in schema and "type" in schema:
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_strict(name: str) -> None:
    schema = schema_of(name)
    assert schema["description"]
    for each in objects(schema):
        assert each["additionalProperties"] is False
        assert set(each["required"]) == set(each["properties"])


def test_every_schema_is_listed() -> None:
    text = (ROOT / "docs" / "reference" / "json.md").read_text("utf-8")
    rows = re.findall(r"^\| `(latitude\.[\w.]+/\d)` \| \[[\w.-]+\]\((\S+)\)", text, re.MULTILINE)
    assert sorted(name for name, _ in rows) == NAMES
    for _, link in rows:
        assert (ROOT / "docs" / "reference" / link).is_file()


def test_every_result_in_the_code_has_one() -> None:
    named = {
        name
        for path in (ROOT / "src").rglob("*.py")
        for name in re.findall(r'"(latitude\.[a-z.-]+/\d)"', path.read_text("utf-8"))
    }
    assert named == {*NAMES, *OWN}


def test_the_committed_schemas_are_those_that_the_results_make() -> None:
    for kind in results():
        assert (SCHEMAS / file_name(kind)).read_text("utf-8") == text_of(kind), kind.SCHEMA
