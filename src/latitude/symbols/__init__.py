"""From return addresses to source lines: ELF and DWARF."""

from latitude.symbols.location import Frame, Location, Module
from latitude.symbols.symbolise import symbolise

__all__ = ["Frame", "Location", "Module", "symbolise"]
