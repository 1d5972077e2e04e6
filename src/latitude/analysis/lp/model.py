"""A program as the matrix that solvers take, and their answers; columns are l, t, then joins."""

from dataclasses import dataclass

import numpy as np
import scipy

from latitude.analysis.lp.program import LinearProgram
from latitude.analysis.lp.rows import Floats
from latitude.model.rules import BETWEEN, short_name

_LARGEST_NUMBER = 1_000.0


@dataclass(frozen=True, slots=True)
class Matrix:
    """matrix · x ≥ lower, x ≥ 0, in units of `scale` ns."""

    matrix: scipy.sparse.csr_array
    lower: Floats
    links: int
    """Latency variables; they are columns 0 to links − 1, and t is column `links`."""
    scale: float

    @property
    def t(self) -> int:
        """Column of t."""
        return self.links

    @property
    def columns(self) -> int:
        """Number of variables."""
        return int(self.matrix.shape[1])


def unit_for(runtime_ns: float) -> float:
    """The unit of time (ns) in which T is 100 to 1,000.

    A solver's smallest tolerances are absolute: in ns they would be lost in the rounding of T.
    """
    return float(10.0 ** np.ceil(np.log10(max(runtime_ns, 1.0) / _LARGEST_NUMBER)))


def model_of(program: LinearProgram, scale: float = 1.0) -> Matrix:
    """The matrix of `program` in a unit of `scale` ns."""
    links, rows = len(program.classes), np.arange(program.rows)
    head = np.where(program.head == program.joins, links, program.head + links + 1)
    waits, pays = program.tail >= 0, program.hops != 0
    row = np.concatenate([rows, rows[waits], rows[pays[:, 0]], rows[pays[:, 1]]])
    column = np.concatenate(
        [
            head,
            program.tail[waits] + links + 1,
            program.link[:, 0][pays[:, 0]],
            program.link[:, 1][pays[:, 1]],
        ]
    )
    paid = np.concatenate([program.hops[:, 0][pays[:, 0]], program.hops[:, 1][pays[:, 1]]])
    value = np.concatenate([np.ones(rows.size), -np.ones(int(waits.sum())), -paid])
    shape = (program.rows, links + 1 + program.joins)
    matrix = scipy.sparse.csr_array((value, (row, column)), shape=shape)  # sums double entries
    return Matrix(matrix, program.ns / scale, links, scale)


def link_names(program: LinearProgram) -> list[str]:
    """Names of the latency variables, as in LLAMP's models if LLAMP has such names.

    A single class is `l`. With several classes, the one between nodes is `l`, the one inside a node
    `l_intra`, and any other `l_` plus its name.
    """
    names = [name for name, _, _ in program.classes]
    if len(names) == 1:
        return ["l"]
    return ["l" if name == BETWEEN else f"l_{short_name(name)}" for name in names]


def column_names(program: LinearProgram) -> list[str]:
    """Names of all columns: `l`…, `t`, and every join by its vertex.

    s12 is the start of vertex 12. m12 is the completion of its receive, or the match of its
    rendezvous. p12 is the time at which receive 12 is posted. e12 is the time at which its message
    enters the rank, or the end of synchronous send 12.
    """
    kind, vertex = np.divmod(program.vertex, program.vertices)
    joins = [f"{'smpe'[k]}{v}" for k, v in zip(kind.tolist(), vertex.tolist(), strict=True)]
    return [*link_names(program), "t", *joins]


@dataclass(frozen=True, slots=True)
class Solution:
    """An optimal basis. Arrays have one entry per latency variable."""

    t_ns: float
    latency_ns: Floats
    """Values of the latencies; infinite if the program is unbounded."""
    reduced_cost: Floats
    """(classes,) reduced costs of the latencies: λ of each class, after minimising t."""
    low_ns: Floats
    high_ns: Floats
    """The range of each latency in which this basis stays optimal; nan unless requested."""
    iterations: int
    seconds: float
    """Time inside the solver, s."""


def unbounded(links: int, iterations: int, seconds: float) -> Solution:
    """The solution for latencies without a largest value."""
    unknown = np.full(links, np.nan)
    return Solution(np.nan, np.full(links, np.inf), unknown, unknown, unknown, iterations, seconds)
