"""JSON Schemas of the declared results, the files under `results/schemas/`, which a test compares.

cd tests && ../.venv/bin/python -m support.schema_files ../src/latitude/results/schemas
"""

import ast
import dataclasses
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_args, get_type_hints

import msgspec

import latitude.lab.results
import latitude.results
from latitude._types import UNBOUNDED
from latitude.results.declared import HIDDEN, Columns, Hidden, Part, Result

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE = "#/$defs/{name}"
_FRAMEWORK = ("latitude.results.declared", "latitude.results.reported")
"""Modules of classes that results extend and that hold no facts."""


def results() -> list[type[Result]]:
    """Every declared result, by the name of its schema."""
    for room in (latitude.results, latitude.lab.results):
        for module in iter_modules(room.__path__, f"{room.__name__}."):
            import_module(module.name)
    ours = (kind for kind in _below(Result) if kind.__module__.startswith("latitude."))
    return sorted((kind for kind in ours if "SCHEMA" in vars(kind)), key=lambda kind: kind.SCHEMA)


def _below(kind: type[Result]) -> Iterator[type[Result]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def schema_of(kind: type[Result]) -> dict[str, Any]:
    """The JSON Schema of one result."""
    _, components = msgspec.json.schema_components(
        [kind], schema_hook=_array, ref_template=_REFERENCE
    )
    definitions = {
        each.__name__: _mended(each, components[each.__name__])
        for each in dict.fromkeys(_pieces(kind))
    }
    top = definitions.pop(kind.__name__)
    top["properties"] = {"schema": {"const": kind.SCHEMA}, **top["properties"]}
    top["required"] = ["schema", *top["required"]]
    head = {"$schema": _DIALECT, "$id": kind.SCHEMA}
    return {**head, **top, **({"$defs": definitions} if definitions else {})}


def write(directory: Path) -> None:
    """Writes one file per result, e.g. `analysis-1.json` of `latitude.analysis/1`."""
    for kind in results():
        (directory / file_name(kind)).write_text(text_of(kind), encoding="utf-8")


def file_name(kind: type[Result]) -> str:
    """`latitude.stats.tail/1` → `stats.tail-1.json`."""
    return kind.SCHEMA.removeprefix("latitude.").replace("/", "-") + ".json"


def text_of(kind: type[Result]) -> str:
    """The schema as it is committed."""
    return json.dumps(schema_of(kind), indent=2, ensure_ascii=False) + "\n"


def _array(_: type) -> dict[str, Any]:
    """Arrays say themselves what they hold (`FloatColumn` and its like) where they are shown."""
    return {"type": "array"}


def _pieces(kind: Any) -> Iterator[type]:
    """Every part and dataclass that a type is made of, itself included."""
    if isinstance(kind, type) and (issubclass(kind, Part) or dataclasses.is_dataclass(kind)):
        yield kind
        for hint in get_type_hints(kind, include_extras=True).values():
            if not _hidden(hint):
                yield from _pieces(hint)
    else:
        for each in get_args(kind):
            yield from _pieces(each)


def _hidden(hint: Any) -> bool:
    return Hidden in get_args(hint)


def _mended(kind: type, found: dict[str, Any]) -> dict[str, Any]:
    """A component with what msgspec cannot know: hidden and unbounded fields, columns, words."""
    words, names = _field_docs(kind), _names(kind)
    properties = {}
    for key, each in found.pop("properties").items():
        if each.pop(HIDDEN, False):
            continue
        shown = _unbounded(each)
        shown.pop("default", None)
        if names[key] in words:
            shown = {"description": words[names[key]], **shown}
        properties[key] = _item(shown) if issubclass(kind, Columns) else shown
    made = _object(found, properties)
    return {"type": "array", "items": made} if issubclass(kind, Columns) else made


def _item(array: dict[str, Any]) -> dict[str, Any]:
    """The schema of a column's value in each row."""
    told = ("description", "title", "unit")
    return {**{key: array[key] for key in told if key in array}, **array["items"]}


def _object(found: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    """An object of exactly these properties."""
    words = " ".join(found.get("description", "").split())
    kept = {"description": words} if words else {}
    return {
        **kept,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _names(kind: type) -> dict[str, str]:
    """The field behind each JSON key."""
    if issubclass(kind, Part):
        return dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
    return {name: name for name in get_type_hints(kind)}


def _unbounded(found: Any) -> Any:
    """Allows null for numbers that may be infinite."""
    if isinstance(found, dict):
        if found.pop(UNBOUNDED, False):
            return {**found, "type": ["number", "null"]}
        return {key: _unbounded(each) for key, each in found.items()}
    return [_unbounded(each) for each in found] if isinstance(found, list) else found


def _field_docs(kind: type) -> dict[str, str]:
    """The docstring under each field, of the class and of those it extends."""
    words: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        ours = issubclass(each, Part) or dataclasses.is_dataclass(each)
        if not ours or each.__module__ in _FRAMEWORK:
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(each))).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, doc in zip(body.body, body.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(doc, ast.Expr)
                and isinstance(doc.value, ast.Constant)
            ):
                words[field.target.id] = " ".join(str(doc.value.value).split())
    return words


if __name__ == "__main__":
    write(Path(sys.argv[1]))
