"""DWARF line tables: the source line of an address (DWARF 5, §6.2)."""

import os
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.dwarfinfo import DWARFInfo

Line = tuple[str, int]
"""Full path and line number."""
_DWARF_5 = 5


class LineTable:
    """The line table of one compilation unit."""

    def __init__(self, dwarf: DWARFInfo, unit: CompileUnit) -> None:
        self._program = dwarf.line_program_for_CU(unit)
        self._folder = _text(unit.get_top_DIE().attributes.get("DW_AT_comp_dir"))

    def lines(self, addresses: Iterable[int]) -> dict[int, Line]:
        """The source line of each address, if known."""
        if self._program is None:
            return {}
        wanted = sorted(addresses)
        found: dict[int, Line] = {}
        sequence: list[Any] = []
        for entry in self._program.get_entries():
            if entry.state is None:
                continue
            sequence.append(entry.state)
            if entry.state.end_sequence:
                self._search(sequence, wanted, found)
                sequence = []
        return found

    def _search(self, rows: list[Any], wanted: list[int], found: dict[int, Line]) -> None:
        """Searches addresses in rows of rising address; the last row is only an end."""
        begin, end = rows[0].address, rows[-1].address
        if begin == 0:  # code that the linker has removed has address 0
            return
        first = bisect_right(wanted, begin - 1)
        last = bisect_right(wanted, end - 1)
        if first == last:
            return
        starts = [row.address for row in rows[:-1]]
        for address in wanted[first:last]:
            index = bisect_right(starts, address) - 1
            while index > 0 and rows[index].line == 0:  # belongs to no line in particular
                index -= 1
            if rows[index].line and (path := self.file(rows[index].file)):
                found[address] = (path, rows[index].line)

    def file(self, index: int) -> str | None:
        """The path of the file with that number; None if it does not exist."""
        if self._program is None:
            return None
        header = self._program.header
        numbered_from_0 = header["version"] >= _DWARF_5
        position = index if numbered_from_0 else index - 1
        if not 0 <= position < len(header["file_entry"]):
            return None
        entry = header["file_entry"][position]
        folders = header["include_directory"]
        which = entry.dir_index if numbered_from_0 else entry.dir_index - 1
        folder = os.fsdecode(folders[which]) if 0 <= which < len(folders) else ""
        path = os.path.join(self._folder, folder, os.fsdecode(entry.name))  # noqa: PTH118 - of another machine
        return os.path.normpath(path)


def _text(attribute: Any) -> str:
    return "" if attribute is None else os.fsdecode(attribute.value)
