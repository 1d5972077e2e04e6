"""Translates return addresses into source lines, from ELF and DWARF."""

import lazy_loader

# pyelftools takes 50 ms to import, and most traces hold no call sites: see __init__.pyi.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
