"""The standard's binary interface: one tracer for every library that offers it."""

import re
import subprocess
from pathlib import Path

import pytest

from latitude.launch import build, mpi
from support.compiling import STRICT, built, written
from support.mpi.injecting import Injecting
from support.mpi.lat_format import read_run
from support.mpi.library import INTEL_WHEEL, WHEEL, Library, intel, mpich_5, standard_program
from support.mpi.library import by_standard as by
from support.mpi.traced import COMPARED
from support.mpi.tracing import Tracing
from support.paths import RUNTIME
from support.virtual import building

HEADER = RUNTIME / "abi" / "mpi.h"
OFFERING = {"mpich": mpich_5, "intel": intel}
INCLUDES = {"mpich": WHEEL / "include", "intel": INTEL_WHEEL / "include"}
ROUND_TRIPS = 170
HANDLES = "Op Comm Group Win File Session Message Info Errhandler Request Datatype"
NUMBERS = "Aint Offset Count"


@pytest.fixture(params=OFFERING)
def offering(request: pytest.FixtureRequest, builds: Path) -> Library:
    return by(OFFERING[request.param](builds)).needed()


def said_by(include: str) -> str:
    """Values of every constant and type of our header, as another header has them."""
    text = HEADER.read_text(encoding="utf-8")
    names = re.findall(r"^(?:#define |  )(MPI_[A-Z][A-Z0-9_]+)(?= .)", text, re.MULTILINE)
    assert len(names) > 25
    lines = [f'  printf("{name} %lld\\n", (long long)(intptr_t)({name}));' for name in names]
    types = [f"MPI_{name}" for name in f"{HANDLES} {NUMBERS} Status".split()]
    lines += [f'  printf("{name} %zu\\n", sizeof({name}));' for name in types]
    fields = ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")
    lines += [f'  printf("{name} at %zu\\n", offsetof(MPI_Status, {name}));' for name in fields]
    head = "#include <mpi.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    text = f"{head}int main(void) {{\n{chr(10).join(lines)}\n}}\n"
    source = written("constants.c", text)
    program = built("constants", "-DMPI_ABI", f"-I{include}", source)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", OFFERING)
def test_our_header_says_what_those_of_libraries_say(name: str) -> None:
    assert said_by(str(HEADER.parent)) == said_by(str(INCLUDES[name]))


def exported(library: Path) -> set[str]:
    words = ["nm", "-D", "--defined-only", str(library)]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" [TW] (P?MPI_\w+)$", text, re.MULTILINE))


def test_the_tracer_is_the_same_by_our_header_and_by_a_library_s() -> None:
    """Which has every prototype: the compiler compares the tracer's with them."""
    flags = ["-DLATITUDE_STANDARD_ABI", "-DMPI_ABI", f"-I{INCLUDES['mpich']}", *COMPARED, "-O0"]
    sources = building.sources("tracer", "clock")
    theirs = built("libtheirs.so", *STRICT, *building.flags("tracer"), *flags, *sources)
    ours = exported(build.library("tracer", mpi.standard()))
    assert ours == exported(theirs)
    assert {"MPI_Send", "PMPI_Send", "MPI_Send_c", "MPI_Psend_init", "MPI_Session_init"} - ours == {
        "MPI_Session_init"
    }


def test_one_tracer_serves_every_library(offering: Library, tmp_path: Path) -> None:
    tracing = Tracing(offering, tmp_path)
    program = standard_program("pingpong.c")
    done = tracing.left(2, program, tmp_path, 1, 8, 0)
    assert done.returncode == 0, done.stderr
    ranks = read_run(tracing.run)
    assert len(ranks) == 2
    for rank in ranks:
        assert rank.counts["MPI_Send"] == rank.counts["MPI_Recv"] == ROUND_TRIPS
        assert rank.counts["MPI_Barrier"] == 3
    assert tracing.described()["mpi"] == str(mpi.standard())


def test_messages_are_delayed_under_the_standard_interface(
    offering: Library, tmp_path: Path
) -> None:
    injecting = Injecting(offering, tmp_path)
    offering.settings.update(I_MPI_FABRICS="ofi", FI_PROVIDER="tcp")
    program = standard_program("pingpong.c")
    done = injecting.flow("100us", 2, program, tmp_path / "run", 1, 8, 100_000)
    assert float(done.stdout.split()[1]) >= 100_000
    assert injecting.result()["delayed"] >= 2 * ROUND_TRIPS


def test_another_tracer_is_refused_with_what_to_pass(builds: Path, tmp_path: Path) -> None:
    library = by(mpich_5(builds))
    program = standard_program("pingpong.c")
    tracing = Tracing(library, tmp_path, ["--mpicc", library.mpicc])
    done = tracing.left(1, program)
    assert done.returncode == 2
    assert "is linked to the MPI standard's ABI" in done.stderr
    # Where the program is not seen before it starts, the tracer itself says so.
    script = tmp_path / "hidden"
    script.write_text(f'#!/bin/sh\nexec "$(dirname "$0")"/{program.name} "$@"\n')
    script.chmod(0o755)
    (tmp_path / program.name).symlink_to(program)
    done = tracing.left(1, script)
    assert done.returncode == 2
    assert "the program uses the MPI standard's ABI: pass --mpicc abi" in done.stderr
    tracing.options[1] = "abi"
    done = tracing.left(1, script, tmp_path, 0, 8)
    assert done.returncode == 0, done.stderr
