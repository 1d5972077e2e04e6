"""DWARF entries of functions: finds the function at an address, and its inlined calls."""

import os
from collections.abc import Iterable, Iterator
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.ranges import BaseAddressEntry

from latitude.trace.symbols.names import readable

_SCOPES = {"DW_TAG_namespace", "DW_TAG_module"}
_BLOCKS = {
    "DW_TAG_inlined_subroutine",
    "DW_TAG_lexical_block",
    "DW_TAG_try_block",
    "DW_TAG_catch_block",
}
_FUNCTION = "DW_TAG_subprogram"
_INLINED = "DW_TAG_inlined_subroutine"
_MAX_LINKS = 8
"""Largest number of links from an inlined call to the entry with its name; 2 or 3 are usual."""


class Ranges:
    """Address ranges of entries."""

    def __init__(self, dwarf: DWARFInfo) -> None:
        self._lists = dwarf.range_lists()

    def of(self, die: DIE) -> list[tuple[int, int]]:
        """First and end address of each range."""
        attributes = die.attributes
        if "DW_AT_ranges" in attributes and isinstance(die.cu, CompileUnit):
            return list(self._listed(die.cu, attributes["DW_AT_ranges"].value))
        low, high = attributes.get("DW_AT_low_pc"), attributes.get("DW_AT_high_pc")
        if low is None or high is None:
            return []
        is_address = high.form.startswith("DW_FORM_addr")
        return [(low.value, high.value if is_address else low.value + high.value)]

    def _listed(self, unit: CompileUnit, offset: int) -> Iterator[tuple[int, int]]:
        if self._lists is None:
            return
        low = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
        base = low.value if low is not None else 0
        for entry in self._lists.get_range_list_at_offset(offset, unit):
            if isinstance(entry, BaseAddressEntry):
                base = entry.base_address
            else:
                shift = 0 if entry.is_absolute else base
                yield entry.begin_offset + shift, entry.end_offset + shift

    def hold(self, die: DIE, address: int) -> bool:
        """Whether `address` is in the entry."""
        return any(begin <= address < end for begin, end in self.of(die))


def functions(unit: CompileUnit, ranges: Ranges, addresses: Iterable[int]) -> dict[int, DIE]:
    """For each address, the function whose own code contains it."""
    missing = set(addresses)
    found: dict[int, DIE] = {}
    # Procedures inside others (Fortran's `contains`, lambdas) need a search of all entries, which
    # only takes place if an address is still missing.
    for nested in (False, True):
        for die in _functions_under(unit.get_top_DIE(), nested=nested):
            for begin, end in ranges.of(die):
                inside = [a for a in missing if begin <= a < end]
                found.update(dict.fromkeys(inside, die))
                missing.difference_update(inside)
            if not missing:
                return found
    return found


def _children(parent: DIE) -> Iterator[DIE]:
    """The entries below an entry.

    ELFError: an entry points back, as in a damaged file, so that the search would never end.
    """
    last = parent.offset
    for die in parent.iter_children():
        if die.offset <= last:
            raise ELFError(f"entry {die.offset:#x} stands before {last:#x}")
        last = die.offset
        yield die


def _functions_under(parent: DIE, *, nested: bool) -> Iterator[DIE]:
    for die in _children(parent):
        if die.tag == _FUNCTION:
            yield die
        if die.tag in _SCOPES or (nested and die.has_children):
            yield from _functions_under(die, nested=nested)


def inlined(function: DIE, ranges: Ranges, address: int) -> list[DIE]:
    """Inlined calls at an address inside a function, outermost first."""
    chain: list[DIE] = []
    scope: DIE | None = function
    while scope is not None:
        scope = next(
            (d for d in _children(scope) if d.tag in _BLOCKS and ranges.hold(d, address)), None
        )
        if scope is not None and scope.tag == _INLINED:
            chain.append(scope)
    return chain


def name_of(die: DIE) -> str | None:
    """The function's name, qualified if the compiler gave a linkage name."""
    plain: str | None = None
    for _ in range(_MAX_LINKS):
        attributes = die.attributes
        for key in ("DW_AT_linkage_name", "DW_AT_MIPS_linkage_name"):
            if key in attributes:
                return readable(_text(attributes[key]))
        if plain is None and "DW_AT_name" in attributes:
            plain = _text(attributes["DW_AT_name"])
        link = next(
            (k for k in ("DW_AT_abstract_origin", "DW_AT_specification") if k in attributes), None
        )
        if link is None:
            return plain
        die = die.get_DIE_from_attribute(link)
    return plain


def _text(attribute: Any) -> str:
    return os.fsdecode(attribute.value)
