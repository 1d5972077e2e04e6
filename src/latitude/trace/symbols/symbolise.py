"""Translates return addresses into source lines; opens each file once."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from elftools.elf.elffile import ELFFile

from latitude._core import InputError
from latitude.files.reading import parsing
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.trace.symbols.dwarf import Frames, frames
from latitude.trace.symbols.files import DEBUG_ROOTS, build_id, debug_file, open_elf
from latitude.trace.symbols.location import Frame, Location, Module
from latitude.trace.symbols.table import Symbols

Site = tuple[int, int]
"""Index of the module, and return address in the file's own numbering."""


@dataclass(frozen=True, slots=True)
class Problems:
    """Problems with executables or libraries, by path."""

    unusable: dict[str, str] = field(default_factory=dict)
    """Path → the problem with the file."""
    lineless: list[str] = field(default_factory=list)
    """Files without debug information."""

    def notices(self, of: Container[str]) -> list[Notice]:
        """Warnings about the files in `of`."""
        notices = []
        if unusable := [f"{path} {why}" for path, why in self.unusable.items() if path in of]:
            notices.append(
                kinds.CALL_SITES_WITHOUT_FILE(
                    f"call sites stay module + offset: {'; '.join(unusable)}"
                )
            )
        if lineless := [Path(path).name for path in self.lineless if path in of]:
            notices.append(
                kinds.CALL_SITES_WITHOUT_LINES(
                    f"no line numbers for call sites in {', '.join(lineless)}: no debug information"
                )
            )
        return notices


def symbolise(
    modules: Sequence[Module], sites: Sequence[Site], *, roots: Sequence[Path] = DEBUG_ROOTS
) -> tuple[list[Location], Problems]:
    """The location of each return address, in the order of `sites`, and the problems.

    Latitude uses debug information in the file or in a separate file (`files.debug_file`),
    otherwise symbols. If a file is missing or is not the file that ran, only module and offset
    remain.

    Args:
        modules: the files, with the build ids that the trace recorded.
        sites: module and return address of each call site.
        roots: directories in which debug information is installed separately.
    """
    offsets: dict[int, set[int]] = {}
    for which, offset in sites:
        offsets.setdefault(which, set()).add(offset)
    found: dict[Site, Location] = {}
    problems = Problems()
    for which, own in sorted(offsets.items()):
        module = modules[which]
        problem, locations = _read(module, own, roots)
        if problem:
            problems.unusable[module.path] = problem
        elif not any(location.has_line for location in locations):
            problems.lineless.append(module.path)
        found.update(((which, location.offset), location) for location in locations)
    return [found[site] for site in sites], problems


def _read(module: Module, offsets: set[int], roots: Sequence[Path]) -> tuple[str, list[Location]]:
    """The problem with the file, or empty text, and the locations of its call sites."""
    if (function := module.python_function) is not None:
        return "", [
            Location(module.path, line, (Frame(function, module.path, line or None),))
            for line in sorted(offsets)
        ]
    unknown = [Location(module.path, offset) for offset in sorted(offsets)]
    path = Path(module.path)
    try:
        with open_elf(path) as elf, parsing(module.path, "damaged"):
            if module.build_id and build_id(elf) != module.build_id.lower():
                return "is not the file that ran (its build id differs)", unknown
            with debug_file(elf, path, roots) as debug:
                return "", _locations(module, offsets, elf, debug)
    except FileNotFoundError:
        return "is gone", unknown
    except OSError as error:
        return f"cannot be read ({error.strerror or error})", unknown
    except InputError as error:
        return f"cannot be read ({str(error).removeprefix(f'{module.path}: ')})", unknown


def _locations(module: Module, offsets: set[int], elf: ELFFile, debug: ELFFile) -> list[Location]:
    addresses = [offset - 1 for offset in sorted(offsets)]  # inside the call, not after it
    known = _frames(debug, addresses)
    symbols = Symbols(*{id(file): file for file in (elf, debug)}.values())
    return [
        _location(module, address + 1, known.get(address, ()), symbols) for address in addresses
    ]


def _frames(debug: ELFFile, addresses: list[int]) -> dict[int, Frames]:
    if not debug.has_dwarf_info(strict=True):
        return {}
    try:
        return frames(debug.get_dwarf_info(), addresses)
    except Exception:  # noqa: BLE001 - unforeseen debug information must not stop the analysis
        return {}


def _location(module: Module, offset: int, known: Frames, symbols: Symbols) -> Location:
    symbol = symbols.at(offset - 1)
    if symbol is None:
        return Location(module.path, offset, known)
    if not known:
        frame = Frame(symbol.name, None, None)
        return Location(module.path, offset, (frame,), into_function=symbol.into + 1)
    # Compilers leave out the qualified names of functions that are local to a file.
    outermost = known[-1].function
    if outermost is None or symbol.name.endswith(f"::{outermost}"):
        known = (*known[:-1], replace(known[-1], function=symbol.name))
    return Location(module.path, offset, known)
