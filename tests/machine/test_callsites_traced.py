"""From a real run to the line that carries λ_L: `latitude trace`, then `latitude analyze`."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

from support.callsites import SOURCES, line
from support.command import Run
from support.html import Html, is_whole
from support.mpi.tracing import Tracing

ROUNDS = 25
"""Of one_place.c: each is two messages."""
LONG = ("--L", "5ms")
"""So long that no rank is ever late for a message because the machine was busy."""


def analysed(latitude: Run, tracing: Tracing, ranks: int, source: str) -> dict[str, dict[str, Any]]:
    """Traces a program of tests/data/callsites: rows of `by_call_site` by place."""
    done = tracing.left(ranks, tracing.mpi.program(str(SOURCES / source)))
    assert done.returncode == 0, done.stderr
    result = tracing.directory / "result"
    done = latitude("analyze", tracing.run, *LONG, "-o", result)
    assert done.returncode == 0, done.stderr
    data = json.loads((result / "analysis.json").read_text(encoding="utf-8"))
    rows = data["by_call_site"]
    assert sum(row["lambda_L"] for row in rows) == data["baseline"]["lambda_L"]
    with (result / "call_sites.csv").open(encoding="utf-8", newline="") as file:
        assert [row["where"] for row in csv.DictReader(file)] == [row["where"] for row in rows]
    assert rows[0]["where"] in done.stdout
    assert rows[0]["where"] in (result / "report.html").read_text(encoding="utf-8")
    return {row["where"]: row for row in rows}


def test_the_line_with_all_latency_is_named(latitude: Run, tracing: Tracing) -> None:
    rows = analysed(latitude, tracing, 2, "one_place.c")
    first, *others = rows.values()
    assert first["where"] == f"one_place.c:{line('one_place.c', 'A')}"
    assert first["function"] == "take"
    assert first["lambda_L"] == first["count"] == 2 * ROUNDS
    assert first["calls"] == {"MPI_Recv": 2 * ROUNDS}
    assert first["sent_from"]["where"] == f"one_place.c:{line('one_place.c', 'sender')}"
    assert Path(first["file"]) == SOURCES / "one_place.c"
    assert all(row["lambda_L"] == 0 for row in others)
    hidden = rows[f"one_place.c:{line('one_place.c', 'B')}"]
    assert hidden["calls"] == {"MPI_Irecv": 2}
    assert hidden["least_slack_ns"] > 1e7  # computation of 50 ms and more hides it


def test_a_forecast_names_the_line_too(latitude: Run, tracing: Tracing) -> None:
    done = tracing.left(2, tracing.mpi.program(str(SOURCES / "one_place.c")))
    assert done.returncode == 0, done.stderr
    drawn = ("--latency", "lognormal(mean=5us,sd=5us)", "--samples", "40", "--json", "-")
    done = latitude("forecast", tracing.run, *LONG, *drawn)
    assert done.returncode == 0, done.stderr
    (site,) = json.loads(done.stdout)["criticality"]["call_sites"]
    assert site["where"] == f"one_place.c:{line('one_place.c', 'A')}"
    assert site["share"] == 1
    assert site["latencies"] == 2 * ROUNDS


def test_fortran_lines_are_the_program_s_own(latitude: Run, tracing: Tracing) -> None:
    rows = analysed(latitude, tracing, 3, "chain.f90")
    receive = rows[f"chain.f90:{line('chain.f90', 'receive')}"]
    assert receive["function"] == "pass_on"
    assert receive["calls"] == {"MPI_Recv": 2}
    assert f"chain.f90:{line('chain.f90', 'send')}" in rows


def test_a_source_file_s_name_is_text_on_the_page(latitude: Run, open_mpi: Tracing) -> None:
    source = open_mpi.directory / "<!--<script>x.c"
    shutil.copy(SOURCES / "one_place.c", source)
    where = f"{source.name}:{line('one_place.c', 'A')}"
    done = open_mpi.left(2, open_mpi.mpi.program(str(source)))
    assert done.returncode == 0, done.stderr
    done = latitude("analyze", open_mpi.run, *LONG, "-o", "result", cwd=open_mpi.directory)
    assert done.returncode == 0, done.stderr
    assert where in done.stdout
    text = (open_mpi.directory / "result" / "report.html").read_text(encoding="utf-8")
    assert is_whole(text)
    page = Html(text)
    assert any(
        cell.startswith(where) for table in page.tables for row in table.rows for cell in row
    )
    assert json.loads(page.scripts["data-analysis-json"])["by_call_site"][0]["where"] == where
    assert where in json.loads(page.scripts["data-call_sites-csv"])
    assert page.figures
