"""Which compilation unit an address belongs to."""

from bisect import bisect_right
from collections.abc import Iterable

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.dwarfinfo import DWARFInfo

from latitude.trace.symbols.functions import Ranges


def units(
    dwarf: DWARFInfo, ranges: Ranges, addresses: Iterable[int]
) -> list[tuple[CompileUnit, list[int]]]:
    """The units that hold the addresses, each with its own; only what is asked for is read.

    By `.debug_aranges`; addresses it does not have (Clang writes none) by the units' ranges.
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
