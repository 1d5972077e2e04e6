"""CSV by pandas in pieces of bounded size, without cutting off or moving parts of lines."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from latitude._core import InputError
from latitude.files.reading import Lines, TooLongError, lines_of
from latitude.units.quantities import format_size

_MOST_BYTES = 64 << 20
"""Largest piece, bytes."""
_OPEN = re.compile(r'(?:^|[,;\t ])"[^"]*$')
"""A line in which a quoted cell begins but does not end; inside a cell, a quote is a normal
character."""
_UNENDED = "EOF inside string"
"""pandas' message about a quote that is still open at the end of the file."""


def csv_pieces(path: Path, rows: int, **options: Any) -> Iterator[pd.DataFrame]:
    """Data frames of at most `rows` lines and 64 MiB.

    Args:
        path: the file.
        rows: largest number of lines of a piece.
        options: options of `pandas.read_csv`; `header` and `names` tell whether the first line has
            names.

    Raises:
        InputError: the file is not a table in CSV, a line has more cells than the header, a quote
            does not end, or a line or piece is too long.
    """
    ahead = 0 if options.get("header", 0) is None else 1
    try:
        with (
            Lines(path, _MOST_BYTES) as lines,
            pd.read_csv(lines, comment="#", chunksize=rows, index_col=False, **options) as reader,
        ):
            while (piece := _next(reader)) is not None:
                yield piece
                ahead += len(piece)
                lines.mark()
    except TooLongError as error:
        raise _too_long(path, ahead) from error
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not text in UTF-8") from error
    except pd.errors.ParserWarning as error:
        raise InputError(
            f"{path}: the first line below the header has more cells than that has names; are "
            "there commas within numbers?"
        ) from error
    except (ValueError, OverflowError) as error:  # all other errors of pandas
        if _UNENDED in str(error):
            raise _too_long(path, ahead) from error
        said = str(error).partition("\n")[0]
        raise InputError(
            f"{path}: cannot be read as a table of one header line and rows: {said}"
        ) from error


def _next(reader: Iterator[pd.DataFrame]) -> pd.DataFrame | None:
    """The next piece; pandas only warns about lines with more cells than the header."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return next(reader, None)


def line_of(path: Path, index: int) -> int | None:
    """The number in the file of a line of the table, which lacks comments and empty lines.

    Args:
        path: the file.
        index: number of the table's lines above, including the header.
    """
    for number, line in enumerate(lines_of(path, errors="replace"), 1):
        if line.strip() and not line.startswith("#"):
            if index == 0:
                return number
            index -= 1
    return None


def _too_long(path: Path, index: int) -> InputError:
    """The error for a piece that is too long because of an open quote, or of long lines."""
    begin = line_of(path, index) or 1
    for number, line in enumerate(lines_of(path, errors="replace"), 1):
        if number >= begin and _OPEN.search(line.replace('""', "")):
            return InputError(f"{path}:{number}: the quote does not end; close it, or leave it out")
    return InputError(
        f"{path}:{begin}: from here on, lines are too long, or a quote does not end: at most "
        f"{format_size(_MOST_BYTES)} are read at once; leave out columns that are not needed"
    )
