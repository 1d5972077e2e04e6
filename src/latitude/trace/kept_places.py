"""Places in the source that a trace keeps in places.json, next to its ranks' files.

Latitude looks the places up on the machine of the run, so that reading the trace needs neither the
program nor its debug information (docs/internals/trace-format.md).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from latitude import _core
from latitude.files.reading import parsing, read_bytes
from latitude.files.writing import write_new
from latitude.notices.notice import Notice
from latitude.trace import symbols
from latitude.trace.recorded_run import PLACES
from latitude.trace.symbols import Frame, Location, Module

MOST_BYTES = 64 << 20
"""Largest places.json, bytes."""
_SCHEMA: Final = "latitude.places/1"
_ANY_BUILD = ""
_Natural = Annotated[int, Meta(ge=0, le=2**63 - 1)]
_Known = dict[tuple[Module, int], Location]
"""Places by module and return address."""


class _Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The source place of one return address."""

    module: _Natural
    """Index into the modules."""
    offset: _Natural
    frames: tuple[Frame, ...]
    into_function: _Natural | None


class _Places(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of places.json."""

    schema: Literal["latitude.places/1"]
    modules: tuple[Module, ...]
    places: tuple[_Place, ...]


class _OfOneModule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a script's places.json, for a single program or library, of any build."""

    module: str
    """The path of the module, as in the trace."""
    return_addresses: dict[str, tuple[Frame, ...]]
    """Frames, innermost first, by offset in the module: 0x26ee."""

    def known(self) -> _Known:
        """The places by module and address. ValueError: an offset is not hexadecimal."""
        module = Module(self.module, _ANY_BUILD)
        offsets = {int(text, 16): frames for text, frames in self.return_addresses.items()}
        return {
            (module, offset): Location(self.module, offset, frames, None)
            for offset, frames in offsets.items()
        }


def keep_places(files: Sequence[Path]) -> list[Notice]:
    """Looks up the call sites of a trace and writes places.json next to its ranks' files.

    Entries of an earlier places.json stay if the search finds nothing better. Returns warnings
    about call sites without a line. InputError: a file is damaged, or places.json is not writable.
    """
    path = files[0].with_name(PLACES)
    known = _decoded(read_bytes(path, MOST_BYTES), str(path)) if path.exists() else {}
    trace = _core.read_sites([str(file) for file in files])
    modules = tuple(map(Module, trace.module_path, trace.module_build_id))
    sites = sorted(set(zip(trace.site_module.tolist(), trace.site_offset.tolist(), strict=True)))
    own = [site for site in sites if modules[site[0]].python_function is None]
    found, problems = symbols.symbolise(modules, own)
    places = []
    lineless = set()
    for (at, offset), location in zip(own, found, strict=True):
        earlier = known.get((modules[at], offset))
        better = location if earlier is None or location.has_line else earlier
        if better.frames:
            places.append(_Place(at, offset, better.frames, better.into_function))
        if not better.has_line:
            lineless.add(better.module)
    content = msgspec.json.encode(_Places(_SCHEMA, modules, tuple(places))).decode()
    write_new(path, f"{content}\n", force=True)
    return problems.notices(lineless)


def give_places_in(folder: Path, trace: _core.Trace) -> None:
    """Gives the call sites of a trace their places from the places.json in its folder, if any.

    InputError: the file is damaged.
    """
    path = folder / PLACES
    if path.exists() and trace.site_module.size:
        give_places(trace, read_bytes(path, MOST_BYTES), str(path))


def give_places(trace: _core.Trace, content: bytes, place: str) -> None:
    """Gives the call sites of a trace their places from a places.json.

    Args:
        trace: trace by Latitude.
        content: content of the file.
        place: name of the file, with which an InputError for a damaged file begins.
    """
    known = _decoded(content, place)
    modules = tuple(map(Module, trace.module_path, trace.module_build_id))
    sites = zip(trace.site_module.tolist(), trace.site_offset.tolist(), strict=True)
    any_build = [Module(module.path, _ANY_BUILD) for module in modules]
    found = (
        known.get((modules[at], offset)) or known.get((any_build[at], offset))
        for at, offset in sites
    )
    trace.set_frames([() if location is None else location.as_given() for location in found])


def _decoded(content: bytes, place: str) -> _Known:
    with parsing(place, "damaged; remove it, or let `latitude trace --pack` make it again"):
        if "return_addresses" in msgspec.json.decode(content, type=dict[str, msgspec.Raw]):
            return msgspec.json.decode(content, type=_OfOneModule).known()
        kept = msgspec.json.decode(content, type=_Places)
        return {
            (kept.modules[each.module], each.offset): Location(
                kept.modules[each.module].path, each.offset, each.frames, each.into_function
            )
            for each in kept.places
        }
