"""The reader of all TOML files.

Errors name the file, and line and key if known. The reader accepts regular files of at most 1 MiB,
with 64-bit integers and values nested at most 32 deep.
"""

import difflib
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from latitude._core import InputError
from latitude.files.reading import parsing, read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")

_HEADER = re.compile(r"\s*\[(\[?)\s*([\w.-]+)\s*\]?\]\s*(?:#.*)?")
_KEY = re.compile(r"\s*(?:\"([^\"]+)\"|'([^']+)'|([\w-]+))\s*(?:\.[\w.\s-]*)?=")


class TomlTable:
    """One table of a file."""

    def __init__(
        self, path: Path, title: str, values: Mapping[str, Any], line: int, lines: dict[str, int]
    ) -> None:
        self.values = values
        self._path = path
        self._title = title
        self._line = line
        self._lines = lines

    def error(self, key: str | None, message: str) -> InputError:
        """An error about a key, or about the whole table."""
        where = self._title if key is None else f"{self._title} {key}".strip()
        line = self._lines.get(key or "", self._line)
        return InputError(f"{self._path}:{line}: {where}: {message}")

    def known(self, names: tuple[str, ...]) -> None:
        """Raises InputError, with the nearest of `names`, if another key exists."""
        for key in self.values:
            if key not in names:
                raise self.error(key, f"no such key; {nearest(key, names)}")

    def checked(self, key: str, parse: Callable[[str], T]) -> T:
        """The key's text, parsed; an error of the parser gets the key's place."""
        text = self.text(key)
        try:
            return parse(text)
        except InputError as error:
            raise self.error(key, str(error)) from error

    def text(self, key: str, default: str | None = None) -> str:
        """The string at a key, or `default` if absent; never empty."""
        value = self._value(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"must be a text that is not empty, e.g. {key} = {_EXAMPLE!r}")
        return value

    def integer(self, key: str, default: int, least: int) -> int:
        """The integer at a key, at least `least`; `default` if absent."""
        value = self._value(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.error(key, f"must be a whole number from {least} on, e.g. {key} = {default}")
        return value

    def flag(self, key: str) -> bool:
        """The boolean at a key; false if absent."""
        value = self._value(key, default=False)
        if not isinstance(value, bool):
            raise self.error(key, "must be true or false")
        return value

    def texts(self, key: str) -> list[str]:
        """The list of strings at a key; empty if absent."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.error(key, f'must be a list of texts, e.g. {key} = ["…", "…"]')
        return list(value)

    def words(self, key: str, folder: Path) -> tuple[str, ...]:
        """A launch line, given as a text or a list.

        Its first word is a program in `folder` or on PATH.
        """
        if isinstance(self.values.get(key), list):
            words = self.texts(key)
        else:
            try:
                words = shlex.split(self.text(key))
            except ValueError as error:
                raise self.error(key, f"cannot be parted into words: {error}") from error
        if not words or not words[0]:
            raise self.error(key, f'is empty; write e.g. {key} = "mpirun -n 8 ./halo 20"')
        if shutil.which(str(folder / words[0]) if "/" in words[0] else words[0]) is None:
            raise self.error(key, f"'{words[0]}' is not found, from {folder} or on PATH")
        return tuple(words)

    def each(self, key: str, parse: Callable[[str], T]) -> list[T]:
        """The text or the list of texts at a key, each parsed."""
        value = self.values.get(key)
        texts = [value] if isinstance(value, str) else self.texts(key)
        try:
            return [parse(text) for text in texts]
        except InputError as error:
            raise self.error(key, str(error)) from error

    def made(self, make: Callable[[], T]) -> T:
        """The object that `make` builds from the table; an InputError gets the table's place."""
        try:
            return make()
        except InputError as error:
            raise self.error(None, str(error)) from error

    def choice(self, key: str, default: str, names: tuple[str, ...]) -> str:
        """The string at a key, one of `names`; `default` if absent."""
        value = self.text(key, default)
        if value not in names:
            raise self.error(key, f"'{value}' is none of {', '.join(names)}")
        return value

    def inside(self, name: str) -> "TomlTable":
        """The table `[this.name]`; empty if absent."""
        title = f"[{self._title.strip('[]')}.{name}]" if self._title else f"[{name}]"
        value = self.values.get(name, {})
        if not isinstance(value, dict):
            raise self.error(name, f"must be a table: {title}")
        return TomlTable(self._path, title, value, self._lines.get(name, self._line), {})

    def pairs(self, key: str) -> dict[str, str]:
        """The table of strings at a key; empty if absent. Numbers become text."""
        value = self.values.get(key, {})
        if not isinstance(value, dict) or not all(
            isinstance(each, str | int | float) and not isinstance(each, bool)
            for each in value.values()
        ):
            raise self.error(key, f'must be a table of texts, e.g. {key} = {{ NAME = "value" }}')
        return {name: str(each) for name, each in value.items()}

    def _value(self, key: str, default: Any) -> Any:
        value = self.values.get(key, default)
        if value is None:
            raise self.error(None, f"{key} is missing")
        return value


_EXAMPLE = "text"
_MOST_BYTES = 1 << 20
_DEEPEST = 32
_MOST_PARTS = 64
_PART = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')[ \t]*\.[ \t]*"
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_PART}){{{_MOST_PARTS}}}")
"""A pattern for keys that are too long: reading a key takes time quadratic in its parts."""
_NAMED = 80
"""Largest number of characters of a key in an error message."""


class TomlFile:
    """A whole TOML file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = read_text(path, _MOST_BYTES)
        if _LONG_KEY.search(self.text):
            raise InputError(f"{path}: a key of over {_MOST_PARTS} parts")
        with parsing(str(path), "not a TOML file"):
            self._values = tomllib.loads(self.text)
        _check(path, self._values)
        self._places = _places(self.text)

    def has(self, name: str) -> bool:
        """Whether the top level has this key."""
        return name in self._values

    def top(self, but: tuple[str, ...] = ()) -> TomlTable:
        """The top level as a table, without the tables `but`."""
        values = {name: value for name, value in self._values.items() if name not in but}
        return TomlTable(self.path, "", values, 1, self._places["", 0][1])

    def known(self, names: tuple[str, ...]) -> None:
        """Raises InputError, with the nearest of `names`, if the top level has another key."""
        for name, value in self._values.items():
            if name not in names:
                table = isinstance(value, dict | list)
                line = self._places.get((name, 0), (self._places["", 0][1].get(name, 1), {}))[0]
                what = f"[{name}]: no such table" if table else f"{name}: no such key"
                raise InputError(f"{self.path}:{line}: {what}; {nearest(name, names)}")

    def one(self, name: str) -> TomlTable:
        """The table `[name]`; empty if absent."""
        value = self._values.get(name, {})
        if not isinstance(value, dict):
            raise InputError(f"{self.path}: '{name}' must be a table: [{name}]")
        return self._section(name, 0, f"[{name}]", value)

    def several(self, name: str) -> list[TomlTable]:
        """The tables `[[name]]`, at least one."""
        values = self._values.get(name, [])
        if not isinstance(values, list) or not all(isinstance(each, dict) for each in values):
            raise InputError(f"{self.path}: '{name}' must be tables: [[{name}]]")
        if not values:
            raise InputError(f"{self.path}: no [[{name}]]; give one or more")
        return [
            self._section(name, index, f"[[{name}]]", each) for index, each in enumerate(values)
        ]

    def _section(self, name: str, index: int, title: str, values: Mapping[str, Any]) -> TomlTable:
        line, lines = self._places.get((name, index), (1, {}))
        return TomlTable(self.path, title, values, line, lines)


def _check(path: Path, values: Mapping[str, Any]) -> None:
    """Raises InputError if a number is too large, or the nesting too deep, for Latitude."""
    left: list[tuple[str, Any, int]] = [(name, value, 1) for name, value in values.items()]
    while left:
        name, value, depth = left.pop()
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            raise InputError(f"{path}: {name}: an integer has 64 bits, and this one more")
        if depth > _DEEPEST:
            raise InputError(f"{path}: {name}: nested more than {_DEEPEST} deep")
        if isinstance(value, dict):
            left += [(f"{name}.{key}"[:_NAMED], each, depth + 1) for key, each in value.items()]
        elif isinstance(value, list):
            left += [(name, each, depth + 1) for each in value]


def nearest(name: str, names: tuple[str, ...]) -> str:
    """The known name that was probably meant, and all known names, for an error message."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    known = f"known are {', '.join(names)}"
    return f"did you mean {close[0]}? ({known})" if close else known


def _places(text: str) -> dict[tuple[str, int], tuple[int, dict[str, int]]]:
    """Lines by table: (name, index among tables of this name) → its line, and its keys' lines."""
    places: dict[tuple[str, int], tuple[int, dict[str, int]]] = {("", 0): (1, {})}
    seen: dict[str, int] = {}
    inside, prefix = places["", 0][1], ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line):
            name, _, rest = header[2].partition(".")
            if not rest:
                seen[name] = seen.get(name, -1) + 1
            at = (name, seen.get(name, 0))
            inside = places.setdefault(at, (number, {}))[1]
            prefix = rest
            if rest:
                inside.setdefault(rest, number)
        elif not prefix and (key := _KEY.match(line)):
            inside.setdefault(key[1] or key[2] or key[3], number)
    return places
