"""ELF files and where their debug information lies."""

import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection

DEBUG_ROOTS = (Path("/usr/lib/debug"),)
"""Where distributions install debug information apart from the programs."""
_CHUNK = 1 << 20


def open_elf(path: Path) -> ELFFile:
    """Opens an ELF file. OSError when there is none, ELFError when it is something else."""
    stream = path.open("rb")
    try:
        return ELFFile(stream, ELFFile.make_relative_loader(os.fspath(path)))
    except BaseException:
        stream.close()
        raise


def build_id(elf: ELFFile) -> str:
    """The linker's identification of the file, hexadecimal; empty when it has none."""
    section = elf.get_section_by_name(".note.gnu.build-id")
    notes = section.iter_notes() if isinstance(section, NoteSection) else ()
    return next((str(note["n_desc"]) for note in notes if note["n_type"] == "NT_GNU_BUILD_ID"), "")


def debug_file(elf: ELFFile, path: Path, roots: Sequence[Path] = DEBUG_ROOTS) -> ELFFile:
    """The file with the debug information of `elf`: itself, or the one gdb would take.

    By build id (`ROOT/.build-id/ab/cdef.debug`), then by `.gnu_debuglink`: beside the program, in
    `.debug` beside it, and in `ROOT/its/directory`. `elf` itself when there is none.
    """
    if elf.has_dwarf_info(strict=True):
        return elf
    for candidate in _candidates(elf, path, roots):
        if not candidate.is_file():
            continue
        found = open_elf(candidate)
        if _belongs(found, candidate, elf):
            return found
        found.close()
    return elf


def _candidates(elf: ELFFile, path: Path, roots: Sequence[Path]) -> Iterator[Path]:
    if identity := build_id(elf):
        for root in roots:
            yield root / ".build-id" / identity[:2] / f"{identity[2:]}.debug"
    if link := elf.get_dwarf_link():
        name = os.fsdecode(link.filename)
        folder = path.resolve().parent
        yield folder / name
        yield folder / ".debug" / name
        for root in roots:
            yield root / folder.relative_to("/") / name


def _belongs(found: ELFFile, path: Path, elf: ELFFile) -> bool:
    if not found.has_dwarf_info(strict=True):
        return False
    if build_id(elf):
        return build_id(found) == build_id(elf)
    link = elf.get_dwarf_link()
    return link is not None and _crc32(path) == link.checksum


def _crc32(path: Path) -> int:
    value = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            value = zlib.crc32(chunk, value)
    return value
