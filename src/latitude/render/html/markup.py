"""Text → HTML."""

import html
import re

_SUBSCRIPT = re.compile(r"([λρ])_(\w+)|\b(l|d|L|G)_(wire|switch|intra)\b")


def escape(text: str) -> str:
    """Text that may stand in the page; λ_L, ρ_L and l_wire get real subscripts."""
    return _SUBSCRIPT.sub(_lowered, html.escape(text))


def _lowered(match: re.Match[str]) -> str:
    foot = (match[2] or match[4]).replace("_", " ")
    return f"{match[1] or match[3]}<sub>{foot}</sub>"


def attribute(text: str) -> str:
    """Text that may stand in an attribute."""
    return html.escape(text)
