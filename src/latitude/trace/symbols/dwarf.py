"""Translates addresses of one file into frames, by its DWARF debug information."""

from bisect import bisect_right
from collections.abc import Iterable

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo

from latitude.trace.symbols.functions import Ranges, functions, inlined, name_of
from latitude.trace.symbols.lines import Line, LineTable
from latitude.trace.symbols.location import Frame

Frames = tuple[Frame, ...]


def frames(dwarf: DWARFInfo, addresses: Iterable[int]) -> dict[int, Frames]:
    """Source frames, innermost first, of each address that has any."""
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
    """The frames of `chain`, a function and the functions inlined into it, outermost first."""
    path, number = line if line is not None else (None, None)
    result = []
    for die in reversed(chain):
        result.append(Frame(name_of(die), path, number))
        # The place of inlining is the place of its caller's frame.
        path, number = _called_from(table, die)
    return tuple(result) or (Frame(None, path, number),)


def _called_from(table: LineTable, die: DIE) -> tuple[str | None, int | None]:
    file, line = die.attributes.get("DW_AT_call_file"), die.attributes.get("DW_AT_call_line")
    path = table.file(file.value) if file is not None else None
    return path, (line.value if line is not None else None)


def units(
    dwarf: DWARFInfo, ranges: Ranges, addresses: Iterable[int]
) -> list[tuple[CompileUnit, list[int]]]:
    """The units that contain the addresses, each with its addresses; reads only these units.

    The search uses `.debug_aranges`, and the units' ranges for addresses that it lacks (Clang
    writes none).
    """
    chosen: dict[int, tuple[CompileUnit, list[int]]] = {}
    missing = []
    table = dwarf.get_aranges()
    for address in addresses:
        index = bisect_right(table.keys, address) - 1 if table is not None else -1
        entry = table.entries[index] if table is not None and index >= 0 else None
        if entry is not None and address < entry.begin_addr + entry.length:
            unit = dwarf.get_CU_at(entry.info_offset)
            chosen.setdefault(unit.cu_offset, (unit, []))[1].append(address)
        else:
            missing.append(address)
    if missing:
        for unit in dwarf.iter_CUs():
            covered = ranges.of(unit.get_top_DIE())
            inside = [a for a in missing if any(begin <= a < end for begin, end in covered)]
            if inside:
                chosen.setdefault(unit.cu_offset, (unit, []))[1].extend(inside)
    return list(chosen.values())
