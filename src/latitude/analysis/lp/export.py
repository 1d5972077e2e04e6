"""The program as an MPS or LP file, in ns: for LLAMP's analyzer, HiGHS, Gurobi and others."""

import os
from functools import partial
from pathlib import Path

import highspy
import numpy as np

from latitude._core import InputError
from latitude.analysis.lp.highs import lp_of, silent_highs
from latitude.analysis.lp.model import Matrix, column_names, model_of
from latitude.analysis.lp.program import LinearProgram
from latitude.files.writing import replace_with

_LAST_LINES = {".mps": "ENDATA", ".lp": "end"}
SUFFIXES = tuple(_LAST_LINES)
_TAIL = 1 << 10


def check_suffix(path: Path) -> None:
    """Raises InputError if the suffix of `path` is not that of a known format."""
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path}: unknown format '{path.suffix}'; name it .mps or .lp")


def export(program: LinearProgram, path: Path, *, force: bool) -> None:
    """Writes min t with every l at least its class's L; the suffix of `path` picks the format."""
    check_suffix(path)
    replace_with(path, partial(write_program, program), force=force)


def write_program(program: LinearProgram, path: Path) -> None:
    """Writes the same program to `path`, without a temporary file.

    InputError: HiGHS fails, e.g. on a full disk.
    """
    highs = silent_highs()
    highs.passModel(_named(program, model_of(program)))
    highs.writeModel(str(path))
    check_whole(path, _LAST_LINES[path.suffix])


def check_whole(path: Path, word: str) -> None:
    """Raises InputError unless the last line begins with `word`: HiGHS ignores a full disk."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _TAIL, 0))
        *_, last, rest = [b"", b"", *file.read().split(b"\n")]
    if rest or last.split()[:1] != [word.encode()]:
        raise InputError(f"{path}: HiGHS could not write all of it; is the disk full?")


def row_name(row: int) -> str:
    """The name of a row in the file."""
    return f"c{row}"


def _named(program: LinearProgram, model: Matrix) -> highspy.HighsLp:
    lp = lp_of(model)
    lp.model_name_ = "latitude"
    lp.col_names_ = column_names(program)
    lp.row_names_ = list(map(row_name, range(program.rows)))
    low = np.zeros(model.columns)
    low[: model.links] = program.latency
    lp.col_lower_ = low
    return lp
