"""From return addresses to source lines: ELF and DWARF."""

from typing import TYPE_CHECKING

import lazy_loader

from latitude.trace.symbols.location import Frame, Location, Module

if TYPE_CHECKING:
    from latitude.trace.symbols.symbolise import symbolise
else:
    # pyelftools takes 50 ms to import; most results hold no call sites.
    __getattr__, __dir__, _ = lazy_loader.attach(
        __name__, submod_attrs={"symbolise": ["symbolise"]}
    )

__all__ = ["Frame", "Location", "Module", "symbolise"]
