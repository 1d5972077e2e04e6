"""Function symbols (.symtab, .dynsym), which tell the function at an address."""

from typing import NamedTuple

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from numpy.typing import NDArray

from latitude.trace.symbols.names import readable

_FUNCTIONS = (2, 10)
"""STT_FUNC and STT_GNU_IFUNC in the ELF specification."""
_LAYOUT = {
    64: [("name", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"),
         ("size", "u8")],
    32: [("name", "u4"), ("value", "u4"), ("size", "u4"), ("info", "u1"), ("other", "u1"),
         ("section", "u2")],
}  # fmt: skip
"""Layouts of Elf64_Sym and Elf32_Sym."""


class Symbol(NamedTuple):
    """A function, and the distance of an address from its start."""

    name: str
    into: int


class Symbols:
    """The functions of some files, by address."""

    def __init__(self, *files: ELFFile) -> None:
        """Reads the symbol tables; `files` are a program and its separate debug file."""
        tables = [
            section
            for file in files
            for section in file.iter_sections()
            if isinstance(section, SymbolTableSection) and section["sh_type"] != "SHT_NOBITS"
        ]
        parts = [_functions(table, which) for which, table in enumerate(tables)]
        self._names = [table.stringtable for table in tables]
        rows = np.concatenate(parts) if parts else np.zeros(0, _row())
        self._rows = rows[np.lexsort((rows["size"], rows["value"]))]

    def at(self, address: int) -> Symbol | None:
        """The function that contains `address`; None if no symbol does."""
        index = int(np.searchsorted(self._rows["value"], np.uint64(address), side="right")) - 1
        if index < 0:
            return None
        row = self._rows[index]
        into = address - int(row["value"])
        if into >= row["size"]:
            return None
        name: str = self._names[row["table"]].get_string(int(row["name"]))
        return Symbol(readable(name), into)


def _row() -> np.dtype[np.void]:
    return np.dtype([("value", "u8"), ("size", "u8"), ("name", "u4"), ("table", "u4")])


def _functions(table: SymbolTableSection, which: int) -> NDArray[np.void]:
    elf = table.elffile
    layout = np.dtype(_LAYOUT[elf.elfclass]).newbyteorder("<" if elf.little_endian else ">")
    every = np.frombuffer(table.data(), layout)
    ends = np.array([s["sh_addr"] + s["sh_size"] for s in elf.iter_sections()], dtype=np.uint64)
    defined = (every["section"] != 0) & (every["section"] < ends.size)
    chosen = every[np.isin(every["info"] & 15, _FUNCTIONS) & defined]
    rows = np.zeros(chosen.size, _row())
    for field in ("value", "size", "name"):
        rows[field] = chosen[field]
    # Hand-written assembly may lack a size: the function then ends at the end of its section.
    unsized = rows["size"] == 0
    rows["size"][unsized] = (ends[chosen["section"]] - rows["value"])[unsized]
    rows["table"] = which
    return rows
