"""From return addresses to source lines: ELF and DWARF."""

from latitude.trace.symbols.location import Frame, Location, Module
from latitude.trace.symbols.symbolise import symbolise

__all__ = ["Frame", "Location", "Module", "symbolise"]
