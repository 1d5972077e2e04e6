"""Addresses of one file → frames, by its DWARF debug information."""

from collections.abc import Iterable

from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo

from latitude.trace.symbols.functions import Ranges, functions, inlined, name_of
from latitude.trace.symbols.lines import Line, LineTable
from latitude.trace.symbols.location import Frame
from latitude.trace.symbols.units import units

Frames = tuple[Frame, ...]


def frames(dwarf: DWARFInfo, addresses: Iterable[int]) -> dict[int, Frames]:
    """Source places of each address that has any, innermost first."""
    ranges = Ranges(dwarf)
    found: dict[int, Frames] = {}
    for unit, own in units(dwarf, ranges, addresses):
        table = LineTable(dwarf, unit)
        lines = table.lines(own)
        holders = functions(unit, ranges, own)
        for address in own:
            holder = holders.get(address)
            chain = [] if holder is None else [holder, *inlined(holder, ranges, address)]
            if chain or address in lines:
                found[address] = _frames(table, chain, lines.get(address))
    return found


def _frames(table: LineTable, chain: list[DIE], line: Line | None) -> Frames:
    """`chain`: a function and what was inlined into it, outermost first."""
    path, number = line if line is not None else (None, None)
    result = []
    for die in reversed(chain):
        result.append(Frame(name_of(die), path, number))
        # Where it was inlined is where its caller's frame stands.
        path, number = _called_from(table, die)
    return tuple(result) or (Frame(None, path, number),)


def _called_from(table: LineTable, die: DIE) -> tuple[str | None, int | None]:
    file, line = die.attributes.get("DW_AT_call_file"), die.attributes.get("DW_AT_call_line")
    path = table.file(file.value) if file is not None else None
    return path, (line.value if line is not None else None)
