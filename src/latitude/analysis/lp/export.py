"""The program as an MPS or LP file, in ns: for LLAMP's analyzer, HiGHS, Gurobi and others."""

from pathlib import Path
from tempfile import TemporaryDirectory

import highspy
import numpy as np

from latitude._core import InputError
from latitude.analysis.lp.highs import lp_of, silent_highs
from latitude.analysis.lp.model import Matrix, column_names, model_of
from latitude.analysis.lp.program import LinearProgram
from latitude.files.writing import replace_with

SUFFIXES = (".mps", ".lp")


def check_suffix(path: Path) -> None:
    """InputError when `path` names no format."""
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path}: unknown format '{path.suffix}'; name it .mps or .lp")


def export(program: LinearProgram, path: Path, *, force: bool) -> None:
    """Writes min t with every l at least its class's L; the suffix of `path` picks the format."""
    check_suffix(path)
    in_ns = model_of(program)
    highs = silent_highs()
    highs.passModel(_named(program, in_ns))
    # HiGHS takes the format from the name, which the temporary file of replace_with lacks.
    with TemporaryDirectory() as directory:
        written = Path(directory) / f"model{path.suffix}"
        status = highs.writeModel(str(written))
        if status == highspy.HighsStatus.kError:
            raise InputError(f"{path}: HiGHS could not write it; is {directory} full?")
        replace_with(path, written.replace, force=force)


def row_name(row: int) -> str:
    """What a row is called in the file."""
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
