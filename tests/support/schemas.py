"""JSON results against the schemas that are installed with the package."""

import json
from importlib.resources import files
from typing import Any

import jsonschema

SCHEMAS = files("latitude.results") / "schemas"


def schema_of(name: str) -> dict[str, Any]:
    """`latitude.measure.load/1` → results/schemas/measure.load-1.json."""
    file = f"{name.removeprefix('latitude.').replace('/', '-')}.json"
    schema = json.loads((SCHEMAS / file).read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == name == schema["properties"]["schema"]["const"]
    return schema


def document(text: str) -> Any:
    """The object in `text`, which must follow the schema it names, in that one's order."""
    content = json.loads(text)
    schema = schema_of(content["schema"])
    _validate(content, schema)
    assert list(content) == list(schema["properties"])
    for model in _models(content):
        parts = schema_of("latitude.analysis/1")["$defs"]
        _validate(model, {"$ref": "#/$defs/Assumptions", "$defs": parts})
    return content


def _validate(content: Any, schema: dict[str, Any]) -> None:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(schema, format_checker=checker).validate(content)


def _models(content: dict[str, Any]) -> list[Any]:
    """Parts that schemas call `As in latitude.analysis/1`."""
    parts = [content, *content.get("programs", [])]
    return [part["model"] for part in parts if "model" in part]
