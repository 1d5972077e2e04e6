from typing import Annotated

import numpy as np
import pytest

from latitude._types import Floats
from latitude.render.document import code, strong
from latitude.render.tables import table
from latitude.results.declared import Columns, FloatColumn, Part
from latitude.units import columns
from latitude.units.columns import CODE, COUNT, TIME, column, number


class Inner(Part, frozen=True, kw_only=True):
    p: Annotated[float, column("p", number(".2g"))]


class Row(Part, frozen=True, kw_only=True):
    name: Annotated[str, column("call", CODE)]
    calls: Annotated[int, column("calls", COUNT)]
    T_ns: Annotated[float | None, column("time", TIME)]
    test: Inner | None
    silent: int = 0

    @property
    def doubled(self) -> Annotated[int, column("twice", COUNT)]:
        return 2 * self.calls


class Many(Columns, frozen=True, kw_only=True):
    T_ns: Annotated[FloatColumn, column("time", TIME)]
    other: Floats


ROWS = [
    Row(name="MPI_Send", calls=1200, T_ns=1500.0, test=Inner(p=0.0123)),
    Row(name="MPI_Recv", calls=3, T_ns=None, test=None),
]


def test_a_table_has_the_declared_columns_in_order() -> None:
    made = table(ROWS)
    assert made.head == ("call", "calls", "time", "twice")
    assert made.rows == [
        [code("MPI_Send"), "1,200", "1.5 µs", "2,400"],
        [code("MPI_Recv"), "3", "–", "6"],
    ]
    assert made.brief == len(ROWS)


def test_a_table_shows_what_it_is_told_to() -> None:
    made = table(
        ROWS,
        "test.p",
        ("how often", "calls"),
        ("both", lambda row: strong(f"{row.name} {row.calls}")),
        brief=1,
        none="",
    )
    assert made.head == ("p", "how often", "both")
    assert made.rows[0] == ["0.012", "1,200", strong("MPI_Send 1200")]
    assert made.rows[1][0] == ""
    assert made.brief == 1


def test_a_table_is_made_of_arrays() -> None:
    made = table(Many(T_ns=np.array([1.0, np.nan]), other=np.zeros(2)))
    assert (made.head, made.rows) == (("time",), [["1 ns"], ["–"]])


def test_a_table_without_rows_is_not_shown() -> None:
    assert not table([]).head


def test_a_field_that_declares_no_column_is_an_error() -> None:
    with pytest.raises(KeyError, match="silent"):
        columns.at(Row, "silent")
