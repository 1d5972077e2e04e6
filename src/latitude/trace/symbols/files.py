"""Opens ELF files, and finds their debug information.

A trace names the files, so they may be anything. Latitude reads them with limits, and errors of
pyelftools become InputErrors.
"""

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection

from latitude._core import InputError
from latitude.files.reading import open_regular, parsing
from latitude.units.quantities import format_size

DEBUG_ROOTS = (Path("/usr/lib/debug"),)
"""Directory in which distributions install debug information separately."""
_CHUNK = 1 << 20
_DAMAGED = "damaged, or half written"
_MOST_SECTIONS = 1 << 20
MOST_UNPACKED = 256 << 20
"""Largest number of unpacked bytes of all compressed sections of a file together."""


def open_elf(path: Path) -> ELFFile:
    """Opens an ELF file. OSError if the file does not exist, InputError if it is something else."""
    stream = open_regular(path)
    try:
        with parsing(str(path), _DAMAGED):
            _check_magic(path, stream.read(4))
            elf = ELFFile(stream, ELFFile.make_relative_loader(os.fspath(path)))
            _check(elf, os.fstat(stream.fileno()).st_size)
            return elf
    except BaseException:
        stream.close()
        raise


def _check_magic(path: Path, magic: bytes) -> None:
    if magic != b"\x7fELF":
        raise InputError(f"{path}: not an ELF file")


def _check(elf: ELFFile, size: int) -> None:
    """Raises ValueError if sections are too many, too large, or outside the file."""
    if elf.num_sections() > _MOST_SECTIONS:
        raise ValueError(f"more than {_MOST_SECTIONS:,} sections")
    unpacked = 0
    for section in elf.iter_sections():
        if section["sh_type"] == "SHT_NOBITS":
            continue
        if section["sh_offset"] + section["sh_size"] > size:
            raise ValueError(f"section {section.name} reaches past the end of the file")
        if section.compressed:
            header = elf.structs.Elf_Chdr.sizeof()
            stream = elf.stream
            stream.seek(section["sh_offset"] + header)
            unpacked += _unpacked_size(stream.read(section["sh_size"] - header))
        elif section.name.startswith(".zdebug"):  # GNU's form before ELF had a flag
            unpacked += _unpacked_size(section.data()[12:])
    if unpacked > MOST_UNPACKED:
        raise ValueError(f"debug information of more than {format_size(MOST_UNPACKED)}")


def _unpacked_size(packed: bytes) -> int:
    """Unpacked size in bytes, whatever the header states; stops slightly above the limit."""
    state = zlib.decompressobj()
    size = 0
    with suppress(zlib.error):  # damage costs the lines, not functions' names
        while packed and not state.eof and size <= MOST_UNPACKED:
            size += len(state.decompress(packed, _CHUNK))
            packed = state.unconsumed_tail
    return size


def build_id(elf: ELFFile) -> str:
    """The linker's identification of the file, hexadecimal; empty if the file has none."""
    section = elf.get_section_by_name(".note.gnu.build-id")
    notes = section.iter_notes() if isinstance(section, NoteSection) else ()
    return next((str(note["n_desc"]) for note in notes if note["n_type"] == "NT_GNU_BUILD_ID"), "")


def debug_file(elf: ELFFile, path: Path, roots: Sequence[Path] = DEBUG_ROOTS) -> ELFFile:
    """The file with the debug information of `elf`: itself, or the file that gdb would use.

    The search is by build id (`ROOT/.build-id/ab/cdef.debug`), then by `.gnu_debuglink`: next to
    the program, in the folder `.debug` next to the program, and in `ROOT/its/directory`. Without
    such a file the result is `elf`.
    """
    if elf.has_dwarf_info(strict=True):
        return elf
    for candidate in _candidates(elf, path, roots):
        if not candidate.is_file():
            continue
        try:
            found = open_elf(candidate)
        except (InputError, OSError):
            continue
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
    with open_regular(path) as file:
        while chunk := file.read(_CHUNK):
            value = zlib.crc32(chunk, value)
    return value
