"""Real programs, unmodified: every call made is recorded, and the trace can be analysed.

The calls are counted by a second PMPI library, made from mpi.h, that shares nothing with ours.
"""

import json
import shlex
import shutil

import pytest

from support.command import Run
from support.mpi.tracing import Tracing
from support.paths import ROOT, SUPPORT

INPUTS = SUPPORT / "mpi" / "inputs"
OWN = ROOT / "runtime" / "tracer" / "tests"
LOCAL = (
    "Alloc_mem Free_mem Attr_get Comm_get_attr Comm_rank Comm_size Comm_get_errhandler "
    "Comm_set_errhandler Comm_create_keyval Comm_free_keyval Comm_get_parent Comm_set_attr "
    "Comm_compare Comm_group Comm_test_inter Comm_set_name Comm_create_errhandler Topo_test "
    "Errhandler_set Error_string Finalized Initialized Query_thread Is_thread_main Get_count "
    "Get_elements Get_address Get_processor_name Get_library_version Get_version Group_free "
    "Group_incl Group_rank Group_size Group_translate_ranks Errhandler_free "
    "Type_commit Type_contiguous Type_create_hvector Type_create_struct Type_free Type_get_extent "
    "Type_indexed Type_size Type_struct Type_vector Cart_coords Cart_get Cart_rank Cart_shift "
    "Cartdim_get Dims_create Address Status_set_cancelled Info_create Info_free Info_set"
)
"""Calls that neither send nor wait: the tracer leaves them out."""
LONG = "1000s"
"""A latency longer than anything that these programs compute."""


def _local(name: str) -> bool:
    return name.removeprefix("MPI_") in LOCAL.split() or name.endswith(("_c2f", "_f2c"))


def _check(
    tracing: Tracing,
    latitude: Run,
    ranks: int,
    command: list[object],
    last: str = "",
) -> dict[str, int]:
    """Traces and analyses a program; its calls, by name, as counted independently."""
    counts = tracing.directory / "counts"
    counts.mkdir()
    # The counter stands before the tracer, which makes calls of its own.
    first = f'LD_PRELOAD={shlex.quote(str(tracing.mpi.counter))}:$LD_PRELOAD:$LAST exec "$@"'
    done = tracing.left(
        ranks,
        "sh",
        "-c",
        first,
        "sh",
        *command,
        environment={"COUNTER_DIR": str(counts), "LAST": last},
    )
    assert done.returncode == 0, done.stderr
    warnings = [line for line in done.stderr.splitlines() if "warning" in line]
    assert all("has no debug information" in line for line in warnings)
    total: dict[str, int] = {}
    files = tracing.files()
    assert [file.rank for file in files] == list(range(ranks))
    for file in files:
        made = json.loads((counts / f"{file.meta['pid']}.json").read_text())
        expected = {name: count for name, count in made.items() if not _local(name)}
        assert file.counts == expected
        for name, count in expected.items():
            total[name] = total.get(name, 0) + count
    # With any shorter L, one rank's work alone may be the longest path on a busy machine.
    analysed = latitude("analyze", "run", "--L", LONG, "--json", "-", cwd=tracing.directory)
    assert analysed.returncode == 0, analysed.stderr
    result = json.loads(analysed.stdout)
    assert result["trace"]["ranks"] == ranks
    assert result["trace"]["events"] == sum(file.calls for file in files)
    assert result["baseline"]["T_ns"] > 0
    assert result["baseline"]["lambda_L"] > 0
    return total


def test_lammps_on_8_ranks(open_mpi: Tracing, latitude: Run) -> None:
    command = ["lmp", "-in", INPUTS / "in.lj", "-log", "none"]
    calls = _check(open_mpi, latitude, 8, command)
    assert calls["MPI_Send"] > 1000
    assert calls["MPI_Irecv"] > 1000


def test_hpcc(open_mpi: Tracing, latitude: Run) -> None:
    shutil.copy(INPUTS / "hpccinf.txt", open_mpi.directory)
    calls = _check(open_mpi, latitude, 4, ["hpcc"])
    assert "End of HPC Challenge tests." in (open_mpi.directory / "hpccoutf.txt").read_text()
    assert len(calls) > 15


def test_mpi4py(open_mpi: Tracing, latitude: Run) -> None:
    """Python loads MPI late and privately, where the counter does not find it: public for that."""
    command = ["/usr/bin/python3", INPUTS / "halo.py"]
    assert open_mpi.left(4, *command).returncode == 0
    unseen = [file.counts for file in open_mpi.files()]
    shutil.rmtree(open_mpi.run)
    calls = _check(open_mpi, latitude, 4, command, last="libmpi.so.40")
    assert calls["MPI_Comm_split"] == 4
    assert [file.counts for file in open_mpi.files()] == unseen


@pytest.mark.parametrize("source", ["mpif.f90", "usempi.f90", "f08.f90", "threads.c"])
def test_each_interface_and_threads(tracing: Tracing, latitude: Run, source: str) -> None:
    program = tracing.mpi.program(str(OWN / source), "-pthread", "-w")
    calls = _check(tracing, latitude, 2, [program])
    assert sum(calls.values()) > 10
