"""Text → HTML."""

import html
import re

_SUBSCRIPT = re.compile(r"([λρ])_(\w+)")


def escape(text: str) -> str:
    """Text that may stand in the page; λ_L and ρ_L get real subscripts."""
    return _SUBSCRIPT.sub(r"\1<sub>\2</sub>", html.escape(text))


def attribute(text: str) -> str:
    """Text that may stand in an attribute."""
    return html.escape(text)
