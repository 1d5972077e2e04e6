"""Paraver traces: closed forms, files beside the file, and Dimemas' figures for a real program."""

import csv
import gzip
import tarfile
from pathlib import Path

import pytest

import latitude
from latitude import InputError
from support.epoch import epoch
from support.sections import known

_NAMES = "EVENT_TYPE\n9 50000001 MPI p2p\nVALUES\n1 MPI_Ssend\n2 MPI_Recv\n0 Outside MPI\n"


def _call(task: int, enter: int, leave: int, kind: int, value: int) -> list[str]:
    return [
        f"2:1:1:{task}:1:{enter}:{50000000 + kind}:{value}",
        f"2:1:1:{task}:1:{leave}:{50000000 + kind}:0",
    ]


def _records() -> str:
    """Task 1 computes 10 µs and sends 1,000 B; task 2 computes 4 µs, receives, computes 5 µs."""
    lines = [
        "#Paraver (01/02/2026 at 10:11):30000_ns:1(2):1:2(1:1,1:1),1",
        "c:1:1:2:1:2",
        *_call(1, 0, 1000, 3, 31),
        *_call(2, 0, 2000, 3, 31),
        "3:1:1:1:1:11000:11000:1:1:2:1:6000:13000:1000:5",
        *_call(1, 11000, 12000, 1, 1),
        *_call(2, 6000, 13000, 1, 2),
        *_call(1, 12000, 13000, 3, 32),
        *_call(2, 18000, 19000, 3, 32),
    ]
    return "\n".join(lines) + "\n"


def _baseline(program: latitude.Program) -> tuple[float, float]:
    """T and λ at L = 3 µs, o = 0.5 µs, G = 0.1 ns per byte."""
    network = latitude.Network(L=3000, o=500, G=0.1, S=100_000)
    found = latitude.analyze(program, network).baseline
    return found.T_ns, known(found.lambda_L)


def test_a_message_between_computations(tmp_path: Path) -> None:
    path = tmp_path / "run.prv"
    path.write_text(_records())
    # 10 µs, o, L, 999 bytes on the wire, o, 5 µs
    between = latitude.load(path)
    assert _baseline(between) == (pytest.approx(10000 + 500 + 3000 + 99.9 + 500 + 5000), 1)
    # With what lies outside MPI: the same before, and 11 µs after MPI_Finalize on task 2.
    outside = latitude.load(path, computation="outside-mpi")
    assert _baseline(outside) == (pytest.approx(14099.9 + 5000 + 11000), 1)


def test_the_names_beside_it_are_read_however_it_is_packed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    path = folder / "run16.prv.gz"
    path.write_bytes(gzip.compress(_records().encode()))
    assert latitude.load(path).trace.calls["MPI_Send"] == 1
    (folder / "run16.pcf").write_text(_NAMES)
    (folder / "run16.row").write_text("LEVEL CPU SIZE 1\n1.1\n")
    archive = tmp_path / "run.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(folder, "run")
    expected = _baseline(latitude.load(path))
    for given in (path, folder, archive):
        program = latitude.load(given)
        assert program.trace.calls["MPI_Ssend"] == 1
        assert _baseline(program) == expected


def test_what_is_damaged_is_one_line_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "run.prv"
    path.write_text(_records()[:-3])
    with pytest.raises(InputError, match=r"^.*run\.prv:15: truncated: the last record has no end"):
        latitude.load(path)
    path = tmp_path / "run.prv.gz"
    path.write_bytes(gzip.compress(_records().encode())[:-9])
    with pytest.raises(InputError, match=r"run\.prv\.gz"):
        latitude.load(path)


@pytest.mark.parametrize(
    ("ranks", "off"), [(1, 0.0), (2, 0.0), (4, 0.0), (8, 0.0001), (16, 0.0001)]
)
def test_dimemas_ideal_runtime_of_a_real_program(ranks: int, off: float) -> None:
    """Agrees to 0.01 µs, or to the share `off`: Dimemas' ideal network costs nothing."""
    traces = epoch()
    rows = list(csv.reader((traces / "modelfactors.csv").read_text().splitlines(), delimiter=";"))
    figures = {row[0]: row[1:] for row in rows if row}
    ideal_us = float(figures["#Runtime (ideal)"][figures["Number of processes"].index(str(ranks))])
    program = latitude.load(
        traces / f"epoch_{ranks}proc.prv.gz", collectives=["dimemas"], computation="outside-mpi"
    )
    assert program.ranks == ranks
    network = latitude.Network(L=0, o=0, G=0, S="32KiB")
    found_us = latitude.analyze(program, network, latency=(0, 1000)).baseline.T_ns / 1000
    assert found_us == pytest.approx(ideal_us, rel=off, abs=0.01)


def test_callers_of_a_real_program_are_call_sites() -> None:
    """Extrae recorded three callers of each call of EPOCH."""
    traces = epoch()
    program = latitude.load(traces / "epoch_2proc.prv.gz")
    analysis = latitude.analyze(program, latitude.Network(L=10_000_000, o=500, G=0.1, S=32768))
    top = analysis.by_call_site[0]
    assert (top.function, top.file) == (
        "__boundary_MOD_do_field_mpi_with_lengths",
        "boundary.F90",
    )
    assert top.line in (286, 299)
    assert set(top.calls) == {"MPI_Sendrecv"}
    assert top.paths[0].frames[1] == "boundary.F90:150 in __boundary_MOD_field_bc"
