"""The trace formats of the core, and users' options for reading traces."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

from latitude import _core
from latitude._core import InputError
from latitude.files.text import is_text
from latitude.trace.foreign import among, recognised

Chosen = dict[str, str]
"""Choices with option names as keys, in the form of the core."""

Heads = Callable[[str], bytes]
"""Function from a file's name to its first bytes, decompressed."""

_ON = "yes"


@cache
def formats() -> Sequence[_core.Format]:
    """All formats, in the order in which Latitude tries the formats."""
    if (module := _extension("_otf2")) is not None:
        _core.use_otf2_package(str(module))
    return tuple(_core.trace_formats())


def _extension(package: str) -> Path | None:
    """The extension module with a package's name, found without an import."""
    spec = find_spec(package)
    folders = [] if spec is None else spec.submodule_search_locations or []
    named = (Path(folder) / f"{package}{end}" for folder in folders for end in EXTENSION_SUFFIXES)
    return next((path for path in named if path.is_file()), None)


@cache
def reading_options() -> Mapping[str, _core.FormatOption]:
    """Options of the formats, with their names as keys."""
    return {option.name: option for form in formats() for option in form.options}


def chosen(given: Mapping[str, str | bool]) -> Chosen:
    """The choices in the form of the core.

    Args:
        given: option name → choice, or whether a switch is on.

    Raises:
        TypeError: no format has this option, or the value has a wrong type.
        InputError: an option lacks this choice.
    """
    options = reading_options()
    result: Chosen = {}
    for name, value in given.items():
        if name not in options:
            known = ", ".join(options)
            raise TypeError(f"unexpected keyword argument '{name}'; the formats know {known}")
        choices = options[name].choices
        if isinstance(value, str) != bool(choices):
            kind = "one of " + ", ".join(choices) if choices else "True or False"
            raise TypeError(f"{name} takes {kind}")
        if isinstance(value, str):
            result[name] = value
        elif value:
            result[name] = _ON
    _core.check_chosen(result)
    return result


def found(place: str, files: Sequence[str], heads: Heads) -> tuple[_core.Format, list[str]] | None:
    """The format of the trace in a folder or archive, and its files in reading order.

    Args:
        place: name of the folder or archive, for error messages.
        files: names of the files in the place.
        heads: function from one of these names to its first bytes, decompressed.

    Raises:
        InputError: there is only a part of a trace.
    """
    own = [name for name in files if is_text(name) and recognised(name, b"") is None]
    return _core.find_trace(place, own, heads)


def nothing_found(place: str, files: Sequence[str]) -> InputError:
    """The error for a place without a trace."""
    if what := among([place, *files]):
        return InputError(f"{place}: {what}")
    what = "no per-rank files in it" if files else "nothing in it"
    ranks = ", or ".join(form.example for form in formats() if not form.one_file)
    whole = ", or ".join(form.example for form in formats() if form.one_file)
    return InputError(
        f"{place}: {what}; expected one file per rank, the rank last in its name, e.g. {ranks}, "
        f"or a trace in one file, e.g. {whole}"
    )
