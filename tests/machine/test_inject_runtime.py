"""Run times of programs under `latitude inject`: from MPI_Init to MPI_Finalize, of each rank."""

import re
import signal
from pathlib import Path
from typing import Any

import pytest

from latitude._core import InputError
from latitude.launch.injecting.latency import parse_latency
from latitude.launch.injecting.session import InjectionRequest, inject
from latitude.results.injection import FLOW, OFF
from support.mpi.injecting import Injecting

MS = 1_000_000


def runtimes(injecting: Injecting, *words: object, layer: tuple[str, ...]) -> dict[str, Any]:
    command = injecting.words(*layer, "-o", "run", "--force")
    done = injecting.start([*command, *injecting.mpi.run(2, *words)])
    assert done.returncode == 0, done.stderr
    result = injecting.result()
    longest = max(process["runtime_ns"] for process in result["processes"])
    assert result["runtime_ns"] == longest
    assert re.search(r"  run time +[\d.,]+ m?s from MPI_Init to MPI_Finalize", done.stderr)
    return result


@pytest.mark.parametrize("words", [("nap.c",), ("nap.c", "thread"), ("nap_fortran.f90",)])
def test_each_rank_is_timed_from_init_to_finalize(
    injecting: Injecting, words: tuple[str, ...]
) -> None:
    source, *options = words
    result = runtimes(injecting, injecting.mpi.program(source), *options, layer=("--off",))
    for rank, process in enumerate(result["processes"]):
        assert process["rank"] == rank
        assert 100 * (rank + 1) * MS <= process["runtime_ns"]
    assert (result["layer"], result["table"], result["delayed"]) == ("off", None, 0)


def test_a_latency_of_nothing_is_the_baseline_of_a_sweep(injecting: Injecting) -> None:
    result = runtimes(
        injecting, injecting.mpi.program("nap.c"), layer=("--flow", "0us", "--intra-node")
    )
    assert result["delayed"] > 0
    assert result["asked"]["p99.9_ns"] == 0


def test_without_a_launcher_a_python_program_is_timed(open_mpi_injecting: Injecting) -> None:
    """mpi4py loads its MPI privately."""
    code = "from mpi4py import MPI; import time; time.sleep(0.2)"
    words = open_mpi_injecting.words("--off", "-o", "run")
    done = open_mpi_injecting.start([*words, "/usr/bin/python3", "-c", code])
    assert done.returncode == 0, done.stderr
    assert open_mpi_injecting.result()["runtime_ns"] >= 200 * MS


def test_a_program_without_mpi_has_no_run_time(open_mpi_injecting: Injecting) -> None:
    done = open_mpi_injecting.start([*open_mpi_injecting.words("--off"), "true"])
    assert done.returncode == 2
    assert done.stderr.startswith("latitude: error: no run time was measured: the program opened")


def test_other_commands_get_output_in_files(tmp_path: Path) -> None:
    """The interface of `inject`, as other commands use it."""
    found = inject(
        InjectionRequest(
            command=["sh", "-c", "echo out; echo err >&2; exit 3"],
            directory=tmp_path / "run",
            layer=FLOW,
            latency=parse_latency("20us"),
            stdout=tmp_path / "out",
            stderr=tmp_path / "err",
        )
    )
    assert (tmp_path / "out").read_text() == "out\n"
    assert (tmp_path / "err").read_text() == "err\n"
    assert (found.ended.status, found.ended.timed_out, found.hooked) == (3, False, False)
    assert found.runtime_ns is None


def test_a_command_is_told_to_end_after_its_time(tmp_path: Path) -> None:
    request = InjectionRequest(["sleep", "infinity"], tmp_path / "run", OFF, None, limit_s=0.3)
    ended = inject(request).ended
    assert (ended.timed_out, ended.signal, ended.status) == (True, signal.SIGTERM, 143)
    assert ended.seconds >= 0.3


def test_output_that_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    request = InjectionRequest(
        ["true"], tmp_path / "run", OFF, None, stdout=tmp_path / "no" / "out"
    )
    with pytest.raises(InputError, match="no/out: cannot be written: No such file"):
        inject(request)
