"""CSV for spreadsheets, which take some text for formulas."""

import csv
import io

import pytest

from latitude.files.text import csv_text


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\n=1"])
def test_text_that_looks_like_a_formula_is_told_to_be_text(cell: str) -> None:
    header, row = csv.reader(io.StringIO(csv_text([cell], [[cell]]), newline=""))
    assert header == row == [f"'{cell}"]


def test_numbers_and_other_text_stay_as_they_are() -> None:
    assert csv_text(["a", "b"], [["\r=1", "c\rd"]]) == "a,b\n\\r=1,c\\rd\n"
    rows = [[-1.5, -3, None, "-1.5e-3", "+2", "a=b", "", "MPI_Send", True]]
    assert csv_text(["a"] * 9, rows).splitlines()[1] == "-1.5,-3,,-1.5e-3,+2,a=b,,MPI_Send,True"
