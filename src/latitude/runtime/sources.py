"""The C sources that travel with the package."""

from importlib.resources import files
from pathlib import Path

from latitude._core import InputError

_SOURCES = ("*.c", "*.S")
_HEADERS = ("*.h", "*.def")


def directory(name: str) -> Path:
    """Where the library's sources are: in the installed package, or in the source tree."""
    installed = Path(str(files("latitude"))) / "data" / "runtime" / name
    tree = Path(__file__).resolve().parents[3] / "runtime" / name
    for path in (installed, tree):
        if path.is_dir():
            return path
    raise InputError(f"the sources of '{name}' are not installed; reinstall latitude")


def compiled(name: str) -> list[Path]:
    """What the compiler is given."""
    return _matching(directory(name), _SOURCES)


def all_files(name: str) -> list[Path]:
    """Everything the library is made of, in a fixed order."""
    return _matching(directory(name), _SOURCES + _HEADERS)


def _matching(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    found = (path for pattern in patterns for path in root.rglob(pattern))
    return sorted(path for path in found if "tests" not in path.relative_to(root).parts)
