"""Reads files of others: only regular files, up to a stated size, with errors of one line.

Every reader opens its file through this module, which rejects a pipe, a device or a directory
without waiting. `parsing` guards libraries that meet damaged content: any exception becomes one
InputError.
"""

import io
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from latitude._core import InputError
from latitude.files.text import is_text
from latitude.units.quantities import format_size

DAMAGED = "the file is truncated or damaged; copy it again"


def open_regular(path: Path) -> BinaryIO:
    """Opens a file to read its bytes; never waits for a writer.

    Raises:
        InputError: the path is a pipe, a device, a socket or a directory, or no file can have this
            name.
        OSError: as for `open`.
    """
    try:
        check_regular(path)  # opening some devices has an effect
    except InputError:
        raise
    except ValueError as error:  # a zero byte in the name, or an invalid character
        raise InputError(f"{str(path)!r}: not a valid file name: {error}") from error
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _irregular(path)
    return os.fdopen(handle, "rb")


def check_regular(path: Path) -> None:
    """Checks a file that is opened elsewhere; errors as for `open_regular`."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise _irregular(path)


def _irregular(path: Path) -> InputError:
    what = "is a directory" if path.is_dir() else "is a pipe or a device"
    return InputError(f"{path}: {what}, not a regular file; save what it holds to one")


def check_name(path: Path) -> None:
    """Checks a name that the core opens. InputError: the name is not UTF-8, or has a zero byte."""
    if "\0" in str(path) or not is_text(str(path)):
        raise InputError(f"{str(path)!r}: the name is not UTF-8; rename it")


def read_bytes(path: Path, most: int) -> bytes:
    """The content of the file.

    Args:
        path: the file.
        most: largest size, bytes; a longer file is an error.

    Raises:
        InputError: the file is too long, cannot be read, or is not a regular file.
    """
    try:
        with open_regular(path) as file:
            content = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    if len(content) > most:
        raise InputError(
            f"{path}: longer than {format_size(most)}, the most that such a file may hold"
        )
    return content


def read_text(path: Path, most: int, *, errors: str = "strict") -> str:
    """The file as text in UTF-8, without a byte-order mark; `errors` as for `bytes.decode`."""
    content = read_bytes(path, most)
    try:
        return content.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: not text in UTF-8: {error.reason}") from error


_LONGEST_LINE = 1 << 20


class TooLongError(InputError):
    """The text has more bytes than a parser may get at once."""


class Lines(io.BufferedReader):
    """A text for a parser that reads whole lines. A line longer than 1 MiB is an InputError.

    TooLongError, an InputError: the parser reads more than `most` bytes before the next `mark`.
    Other errors as for `open_regular`.
    """

    def __init__(self, path: Path, most: int) -> None:
        self._source = _ShortLines(path, most)
        super().__init__(self._source, _PIECE)

    def mark(self) -> None:
        """Called when the parser has returned the result of all that it read."""
        self._source.given = 0


_PIECE = 1 << 18


class _ShortLines(io.RawIOBase):
    """The bytes of a file whose lines are short."""

    def __init__(self, path: Path, most: int) -> None:
        self._path = path
        self._most = most
        self._file = open_regular(path)
        self._ended = 0
        """Number of lines so far."""
        self._begun = 0
        """Bytes since the end of the last line."""
        self.given = 0
        """Bytes since the last mark."""

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        piece = self._file.read(len(into))
        into[: len(piece)] = piece
        first = piece.find(b"\n")
        if self._begun + (len(piece) if first < 0 else first) > _LONGEST_LINE:
            raise InputError(f"{self._path}:{self._ended + 1}: a line longer than 1 MiB")
        self._ended += piece.count(b"\n")
        self._begun = self._begun + len(piece) if first < 0 else len(piece) - 1 - piece.rfind(b"\n")
        self.given += len(piece)
        if self.given > self._most:
            raise TooLongError(f"{self._path}: more than {format_size(self._most)} at once")
        return len(piece)

    def close(self) -> None:
        self._file.close()
        super().close()


def lines_of(path: Path, *, errors: str = "strict", most: int | None = None) -> Iterator[str]:
    """The lines of a UTF-8 text without line ends: each at most 1 MiB, `most` bytes in total.

    InputError as for `read_text`.
    """
    try:
        with open_regular(path) as file:
            number = read = 0
            while line := file.readline(_LONGEST_LINE + 1):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise InputError(f"{path}:{number}: a line longer than 1 MiB")
                read += len(line)
                if most is not None and read > most:
                    raise InputError(f"{path}: longer than {format_size(most)}; split it")
                yield line.decode("utf-8-sig" if number == 1 else "utf-8", errors).rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}:{number}: not text in UTF-8: {error.reason}") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


@contextmanager
def parsing(place: str, fix: str = DAMAGED) -> Iterator[None]:
    """Turns any exception of a library into one InputError: `place: fix (message)`.

    Errors of the disk and InputErrors pass through. Only calls of the library belong inside the
    context, because an error of Latitude must not be reported as the file's.
    """
    try:
        yield
    except InputError:
        raise
    except MemoryError as error:
        raise InputError(f"{place}: reading it takes more memory than there is") from error
    except RecursionError as error:
        raise InputError(f"{place}: {fix} (nested too deeply)") from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        detail = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(f"{place}: {fix} ({detail})") from error


def json_value(text: str | bytes, place: str) -> Any:
    """The value of a JSON text. InputError, with the line: the text is invalid.

    Deep nesting and integers of thousands of digits, which the parser rejects, are also errors.
    """
    try:
        with parsing(place, "not JSON"):
            return json.loads(text)
    except InputError as error:
        if isinstance(cause := error.__cause__, json.JSONDecodeError):
            raise InputError(f"{place}:{cause.lineno}: not JSON: {cause.msg}") from cause
        raise
