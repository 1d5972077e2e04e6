"""The list of defects."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFECTS = Path(__file__).parent / "defects"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One defect: a text in a file that becomes another one."""

    name: str
    room: str
    what: str
    """The defect in words."""
    file: str
    """Relative to the root, as all files here."""
    old: str
    """Occurs exactly once."""
    new: str
    programs: tuple[str, ...] = ()
    """GoogleTest programs that should notice, as `latitude_test` names them."""
    pytest: tuple[str, ...] = ()
    """Arguments of pytest, one run each: a file, and perhaps `-k` with a word."""

    def applied(self, text: str) -> str:
        """The file's text with the defect. ValueError when `old` is not there exactly once."""
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.file}: the text of '{self.name}' is there {count} times")
        return text.replace(self.old, self.new)


def listed(directory: Path = DEFECTS) -> list[Mutant]:
    """All defects, in the order of the files and within them."""
    return [
        _mutant(entry)
        for path in sorted(directory.glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    ]


def _mutant(entry: dict[str, Any]) -> Mutant:
    tests: dict[str, Any] = {key: tuple(entry.pop(key, ())) for key in ("programs", "pytest")}
    return Mutant(**{key: value.strip("\n") for key, value in entry.items()}, **tests)
