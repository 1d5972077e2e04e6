"""What proves T, as a linear program and a basis that HiGHS accepts."""

from fractions import Fraction
from pathlib import Path

import highspy
import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude.analysis.lp.export import check_suffix, check_whole, row_name, write_program
from latitude.analysis.lp.highs import silent_highs
from latitude.analysis.lp.model import link_names
from latitude.analysis.lp.program import LinearProgram
from latitude.analysis.lp.rows import Ints, Rows
from latitude.analysis.verify.exact import Runtime
from latitude.files.writing import replace_with
from latitude.results.verification import Certificate

SUFFIX = ".sol"
_RAW = 0
"""The style of a solution that HiGHS reads again."""


def solution_beside(path: Path) -> Path:
    """Where the solution of the program in `path` lies. InputError: its name tells no format."""
    check_suffix(path)
    return path.with_suffix(SUFFIX)


def write_certificate(
    rows: Rows, runtime: Runtime, network: _core.Network, latency: float, path: Path, *, force: bool
) -> Certificate:
    """Writes min t over all inequalities, and its solution: start times, and the path as duals.

    Args:
        rows: the inequalities.
        runtime: T(L).
        network: what they cost.
        latency: L of the network.
        path: .mps or .lp; the solution goes beside it.
        force: overwrite what is there.
    """
    chosen, _ = runtime.certificate(Fraction(latency))
    program, columns = _program(rows, network)
    highs = silent_highs()

    def write_and_read(target: Path) -> None:
        write_program(program, target)
        highs.readModel(str(target))

    replace_with(path, write_and_read, force=force)
    highs.setBasis(_basis(highs, program, chosen[columns]))
    highs.setOptionValue("presolve", "off")
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise InputError(f"{path}: HiGHS found no solution of it; is its format read by this one?")
    solution = solution_beside(path)
    last_row = highs.getLp().row_names_[-1]

    def write_solution(target: Path) -> None:
        highs.writeSolution(str(target), _RAW)
        check_whole(target, last_row)

    replace_with(solution, write_solution, force=force)
    info = highs.getInfo()
    return Certificate(
        program=str(path),
        solution=str(solution),
        T_ns=float(info.objective_function_value),
        iterations=int(info.simplex_iteration_count),
    )


def _program(rows: Rows, network: _core.Network) -> tuple[LinearProgram, Ints]:
    """The inequalities as they are, nothing substituted; and the variable of every join."""
    counts = rows.counts
    joins = np.unique(rows.head)
    joins = joins[joins != rows.finish]
    index = np.full(rows.variables, -1)
    index[joins] = np.arange(joins.size)
    index[rows.finish] = joins.size
    nothing = np.zeros_like(counts.hops)
    program = LinearProgram(
        joins=joins.size,
        vertex=joins,
        vertices=rows.entries // 3,
        head=index[rows.head],
        tail=index[rows.tail],
        ns=counts.but_latencies(network),
        hops=np.stack([counts.hops, nothing], axis=1).astype(np.float64),
        link=np.stack([counts.link, nothing], axis=1),
        classes=network.classes,
    )
    return program, np.append(joins, rows.finish)


def _basis(highs: highspy.Highs, program: LinearProgram, tight: Ints) -> highspy.HighsBasis:
    """Every start time is of one inequality: of the certificate's, which are tight.

    The file's columns and rows may have another order, but have their names.
    """
    status, lp = highspy.HighsBasisStatus, highs.getLp()
    latencies = set(link_names(program))
    rows = {row_name(row) for row in tight.tolist()}
    basis = highspy.HighsBasis()
    basis.col_status = [
        status.kLower if name in latencies else status.kBasic for name in lp.col_names_
    ]
    basis.row_status = [status.kLower if name in rows else status.kBasic for name in lp.row_names_]
    return basis
