"""Prints lines on standard error, without characters that a terminal would obey.

Names of files, options, and texts from traces and other programs may contain control characters. A
terminal would obey them in text that is printed without this module or `render.terminal`.
"""

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # msgspec takes time to import, and most lines are not warnings
    from latitude.notices.notice import Notice


def say(line: str) -> None:
    """Prints a line on standard error; ignores errors, so that the work continues."""
    with suppress(OSError):
        print(visible(line), file=sys.stderr)  # noqa: T201 - where all lines come through


def warn(notices: "Iterable[Notice]") -> None:
    """Prints warnings for results that do not show warnings themselves."""
    for notice in notices:
        say(f"warning: {notice.message}; {notice.hint}")


def say_one_line(text: str) -> None:
    """Prints a text on standard error, its line breaks as spaces."""
    say(" ".join(text.split()))


def visible(text: str) -> str:
    """Text in which a symbol replaces each character that a terminal would obey; ESC becomes ␛."""
    return text if text.isprintable() else "".join(map(_symbol, text))


def _symbol(character: str) -> str:
    code = ord(character)
    if character == "\n" or 0x20 <= code < 0x7F or code > 0x9F:  # noqa: PLR2004 - printable
        return f"\\u{code:04x}" if character in _REORDERING else character
    if code < 0x20:  # noqa: PLR2004 - C0 controls
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"\\x{code:02x}"  # noqa: PLR2004 - DEL, and C1 controls


_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
"""Marks that change the direction of text, and so the look of a name; Unicode's line ends."""
