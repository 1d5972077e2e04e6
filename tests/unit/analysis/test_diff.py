"""Two runs held against each other: what was changed is found where it was, and nothing else."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import latitude
from latitude import Analysis, Difference, InputError, Network
from latitude.analysis.diff import difference_of
from latitude.sections.by_call_site.result import CallSiteShare
from support.callsites.share import site
from support.paths import TRACE_NAMES, TRACES
from support.sections import waits_in
from support.two_calls import two_calls

NETWORK = Network.parse({"L": "1us", "o": "500ns", "G": "0.1ns", "S": "64KiB"})


def changes(found: Any) -> list[float]:
    """Every number of a difference of which there is one in A and one in B, as B − A."""
    if isinstance(found, dict):
        own = [
            (found[key.replace("a", "b", 1) if key == "a_ns" else key.replace("_a", "_b", 1)] or 0)
            - (value or 0)
            for key, value in found.items()
            if key in ("a_ns", "lambda_a") or key.endswith("_a_ns")
        ]
        return own + [x for value in found.values() for x in changes(value)]
    if isinstance(found, list):
        return [x for value in found for x in changes(value)]
    return []


def check_nothing(found: Difference) -> None:
    data = found.to_dict()
    every = changes(data)
    assert every
    assert set(every) == {0}
    same = ("ranks", "L_ns", "T_ns", "lambda_L", "rho_L")
    assert [data["a"][key] for key in same] == [data["b"][key] for key in same]
    assert found.largest == []
    assert all(row.only_in is None and row.where_a is None for row in found.by_place)
    assert all(row.slower == row.median_change_ns == 0 for row in found.by_place)


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("name", TRACE_NAMES)
def test_a_run_against_itself_is_nothing(name: str, tmp_path: Path) -> None:
    program = latitude.load(TRACES / name)
    analysis = latitude.analyze(program, NETWORK, each_call=True)
    found = difference_of(analysis, analysis)
    check_nothing(found)
    each = waits_in(analysis).each
    assert each is not None
    calls = Counter(each.places[place] for place in each.place.tolist())
    assert each.rank.size
    for row in found.by_place:
        assert row.calls == calls[row.call, row.where]
    path = tmp_path / "analysis.json"
    path.write_text(analysis.to_json(), encoding="utf-8")
    again = latitude.diff(path, path)
    check_nothing(again)
    assert [row.path_a_ns for row in again.by_place] == [row.path_a_ns for row in found.by_place]


def test_what_changed_is_found_where_it_was(tmp_path: Path) -> None:
    a = latitude.load(two_calls(tmp_path / "a", 100, 50))
    b = latitude.load(two_calls(tmp_path / "b", 130, 50))
    found = latitude.diff(a, b, NETWORK)
    assert found.change_ns == pytest.approx(30e3)
    rows = {row.call: row for row in found.by_place}
    send = rows["MPI_Send"]
    assert send.computation_b_ns - send.computation_a_ns == 30e3 / 2  # per rank
    assert (send.calls, send.slower) == (2, 1)
    assert rows["MPI_Recv"].wait_b_ns - rows["MPI_Recv"].wait_a_ns == pytest.approx(30e3 / 2)
    assert rows["MPI_Barrier"].change_ns == pytest.approx(0, abs=1e-6)
    assert sum(row.path_change_ns for row in found.by_place) == pytest.approx(30e3)
    assert {(x.rank, x.call, x.number) for x in found.largest} == {
        (0, "MPI_Send", 1),
        (1, "MPI_Recv", 1),
    }
    late = next(part for part in found.by_part if part.what == "late_sender")
    assert late.b_ns - late.a_ns == pytest.approx(30e3 / 2)
    changed = found.by_rank.computation_b_ns - found.by_rank.computation_a_ns
    assert changed.tolist() == [30e3, 0]
    assert latitude.diff(b, a, NETWORK).change_ns == -found.change_ns


def test_other_numbers_of_calls_are_not_paired(tmp_path: Path) -> None:
    a = latitude.load(two_calls(tmp_path / "a", 100, 50))
    b = latitude.load(two_calls(tmp_path / "b", 100, 50, barriers=2))
    rows = {row.call: row for row in latitude.diff(a, b, NETWORK).by_place}
    assert (rows["MPI_Barrier"].calls, rows["MPI_Send"].calls) == (0, 2)
    assert rows["MPI_Barrier"].overhead_b_ns == 2 * rows["MPI_Barrier"].overhead_a_ns


def test_other_programs_have_other_places(lulesh: Path, tmp_path: Path) -> None:
    a = latitude.load(lulesh)
    b = latitude.load(two_calls(tmp_path / "b", 100, 50))
    found = latitude.diff(a, b, NETWORK)
    assert {notice.code for notice in found.warnings} >= {"different-ranks"}
    assert len(found.by_rank) == 0
    only = {row.call: row.only_in for row in found.by_place}
    assert only["MPI_Send"] == "b"
    assert only["MPI_Isend"] == "a"
    assert only["MPI_Barrier"] is None


def called(where: str, function: str, ns: float) -> CallSiteShare:
    line = int(where.partition(":")[2])
    return replace(site(), where=where, function=function, line=line, lambda_L=1, before_ns=ns)


def with_sites(of: Analysis, *sites: CallSiteShare) -> Analysis:
    return replace(of, by_call_site=list(sites))


def test_lines_that_moved_are_the_same_places(lulesh: Path) -> None:
    of = latitude.analyze(latitude.load(lulesh))
    a = with_sites(
        of,
        called("x.c:10", "f", 5),
        called("x.c:9", "f", 3),
        called("x.c:20", "g", 7),
        called("x.c:30", "h", 1),
    )
    b = with_sites(
        of,
        called("x.c:11", "f", 3),
        called("x.c:12", "f", 6),
        called("x.c:20", "g", 7),
        called("x.c:40", "k", 2),
    )
    rows = {row.where: row for row in difference_of(a, b).by_place if row.where}
    assert rows["x.c:12"].where_a == "x.c:10"
    assert rows["x.c:11"].where_a == "x.c:9"
    assert rows["x.c:12"].path_change_ns == 1
    assert rows["x.c:20"].path_change_ns == 0
    assert rows["x.c:40"].only_in == "b"
    assert rows["x.c:30"].only_in == "a"


def test_networks_that_differ_are_told(tmp_path: Path) -> None:
    program = latitude.load(two_calls(tmp_path / "a", 100, 50))
    path = tmp_path / "analysis.json"
    path.write_text(latitude.analyze(program).to_json(), encoding="utf-8")
    found = latitude.diff(path, program, NETWORK)
    (notice,) = (n for n in found.warnings if n.code == "different-networks")
    assert "L" in notice.message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not a result of latitude analyze"),
        ("[]", "not a result of latitude analyze"),
        ('{"schema": "latitude.comparison/1"}', "not a result of latitude analyze"),
        ('{"schema": "latitude.analysis/1"}', "write it again"),
        ('{"schema": "latitude.analysis/1", "waits": {"times": 3}}', "write it again"),
    ],
)
def test_other_json_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "analysis.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says) as refused:
        latitude.diff(path, path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data["trace"].update(ranks=10**12), "by_rank"),
        (lambda data: data["by_rank"].pop(), "by_rank"),
        (lambda data: data["waits"]["times"][0].update(rank=7), "no rank"),
        (lambda data: data["waits"]["times"][0].update(what="sleep"), "no known kind"),
        (lambda data: data["waits"]["times"][0].update(ns=-1), "write it again"),
        (lambda data: data["baseline"].update(T_ns=1e300), "write it again"),
        (lambda data: data.pop("waits"), "write it again"),
    ],
)
def test_damaged_results_are_refused(tmp_path: Path, change: Any, says: str) -> None:
    program = latitude.load(two_calls(tmp_path / "a", 100, 50))
    data = latitude.analyze(program).to_dict()
    change(data)
    path = tmp_path / "analysis.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match=says):
        latitude.diff(path, program)


def test_json_numbers_are_finite(tmp_path: Path) -> None:
    program = latitude.load(two_calls(tmp_path / "a", 100, 50))
    data = json.loads(latitude.diff(program, program).to_json())
    assert data["schema"] == "latitude.difference/1"
