"""The tracer with every MPI that tests can have: nothing is missed, whatever mpi.h says it is."""

import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from unittest import mock

import pytest

from latitude import InputError, Network, analyze, load
from latitude.cli.main import main
from latitude.launch.declared import declared
from support.compiling import STRICT, built_object
from support.mpi.lat_format import WITH_CALLERS
from support.mpi.library import LIBRARIES, Library
from support.mpi.traced import COMPARED, TRACER, Mpi, Traced
from support.virtual import building

SECOND = 1e9
OLD = {"openmpi"}
"""MPIs whose mpi.h has version 3.1 and nothing from MPI 4."""
UNSEEN = re.compile(
    r"(Abi|Info|Error|Group|Type|Status|Dims|Keyval|Attr|Errhandler)_\w+"
    r"|(\w+_)?(c2f|f2c|fromint|toint|c2f08|f082c|f082f|f2f08)"
    r"|(Comm|Win|File|Session)_(\w+_)?(errhandler|attr|keyval|name|info)"
    r"|(Comm|Session|Buffer)_((attach|detach|flush)_buffer|attach|detach|flush)"
    r"|Comm_(compare|get_parent|group|rank|remote_group|remote_size|size|test_inter)"
    r"|Session_(init|finalize|get_\w+)|File_(delete|get_\w+|seek)"
    r"|Win_(attach|detach|get_group|shared_query)"
    r"|Cart_(coords|get|map|rank|shift)|Cartdim_get|Graph_(get|map|neighbors|neighbors_count)"
    r"|Graphdims_get|Dist_graph_neighbors(_count)?|Topo_test|Op_commutative|Reduce_local"
    r"|Request_get_status(_all|_any|_some)?|Test_cancelled|Get_\w+|Pack(_\w+)?|Unpack(_\w+)?"
    r"|(Add|Remove)_error_\w+|Address|Aint_(add|diff)|Alloc_mem|Free_mem|Initialized|Finalized"
    r"|Is_thread_main|Query_thread|Pcontrol|Register_datarep|Wtick|Wtime"
    r"|(Open|Close)_port|(Publish|Unpublish|Lookup)_name"
)
"""Functions that neither send nor wait, so that their time is the program's own."""

COUNTED = "Request_get_status"
"""A poll, which the tracer counts and never writes as an event of its own."""


def _listed() -> set[str]:
    text = (TRACER / "calls.def").read_text()
    return set(re.findall(r"^LATITUDE_CALL\((\w+),", text, re.MULTILINE))


def _declared(library: Library, scratch: Path) -> frozenset[str]:
    with mock.patch.dict(os.environ, library.settings):
        return declared(library.mpicc, scratch)


def test_every_function_of_mpi_h_is_listed_or_known_to_be_local(
    any_mpi: Library, tmp_path: Path
) -> None:
    names = {name.removesuffix("_c") for name in _declared(any_mpi, tmp_path)}
    assert {name for name in names - _listed() if not UNSEEN.fullmatch(name)} == set()


def test_the_tracer_compiles_without_warnings(any_mpi: Library) -> None:
    """And the compiler compares its parameters with the header's."""
    with mock.patch.dict(os.environ, any_mpi.settings):
        flags = [*building.flags("tracer"), *building.declared_flags(any_mpi.mpicc), *COMPARED]
    for source in building.sources("tracer", "clock"):
        built_object(
            source, *STRICT, *flags, "-O0", compiler=any_mpi.mpicc, environment=any_mpi.compiling
        )


def test_what_is_listed_is_declared_somewhere(builds: Path, tmp_path: Path) -> None:
    assert _listed() <= _declared(LIBRARIES["mpich-5"](builds), tmp_path)


def test_the_tracer_stands_before_exactly_the_functions_that_mpi_h_declares(
    any_tracer: Mpi, tmp_path: Path
) -> None:
    names = ["nm", "-D", "--defined-only", str(any_tracer.tracer)]
    text = subprocess.run(names, capture_output=True, text=True, check=True).stdout
    exported = [name for name in re.findall(r" [TW] (\w+)$", text, re.MULTILINE) if "MPI_" in name]
    wanted = {
        name
        for name in _declared(any_tracer.library, tmp_path)
        if name.removesuffix("_c") in _listed() | {COUNTED}
    }
    assert Counter(exported) == Counter(f"{p}_{name}" for name in wanted for p in ("MPI", "PMPI"))


def _whole(tracer: Mpi, directory: Path, ranks: int, source: str, *arguments: str) -> Traced:
    """A run whose program succeeds, and of which all calls that are listed were counted."""
    traced = tracer.trace(directory, ranks, source, *arguments)
    assert traced.done.returncode == 0, traced.done.stderr
    assert len(traced.ranks) == len(traced.counted) == ranks
    listed = {f"MPI_{name}" for name in _listed()}
    for rank, counted in zip(traced.ranks, traced.counted, strict=True):
        made: Counter[str] = Counter()
        for name, count in counted.items():
            made[name.removesuffix("_c")] += count
        assert rank.counts == {name: count for name, count in made.items() if name in listed}
    return traced


@pytest.mark.parametrize(
    ("ranks", "source"),
    [
        (2, "messages.c"),
        (2, "completions.c"),
        (4, "collectives.c"),
        (4, "neighbours.c"),
        (4, "communicators.c"),
        (2, "threads.c"),
    ],
)
def test_calls_recorded_are_calls_made(
    any_tracer: Mpi, tmp_path: Path, ranks: int, source: str
) -> None:
    _whole(any_tracer, tmp_path, ranks, source)


ROUNDS = 5
PROGRAMS = {
    "sendrecvs.c": (2 * ROUNDS + 1, {"MPI_Isendrecv": ROUNDS, "MPI_Isendrecv_replace": ROUNDS}),
    "persistent.c": (
        ROUNDS + 1,
        {"MPI_Allreduce_init": 1, "MPI_Bcast_init": 1, "MPI_Barrier_init": 1},
    ),
    "partitioned.c": (1, {"MPI_Wait": 1, "MPI_Start": 1}),
    "groups.c": (2, {"MPI_Comm_create_from_group": 1}),
}
"""Program → latencies on its longest path of two ranks, and calls of each rank.

A round of sendrecvs.c is two exchanges, one after the other; one of persistent.c three collectives
of one message deep, all at once. Each ends with a reduction of one message; a communicator from a
group is an agreement of one message deep, followed by a reduction.
"""


@pytest.mark.parametrize("source", PROGRAMS)
def test_calls_of_mpi_4_are_in_the_graph(any_tracer: Mpi, tmp_path: Path, source: str) -> None:
    latencies, counts = PROGRAMS[source]
    name = any_tracer.name
    if name in OLD:
        assert "Isendrecv" not in _declared(any_tracer.library, tmp_path)
        return
    traced = _whole(any_tracer, tmp_path, 2, source, str(ROUNDS))
    assert traced.done.stdout == "right\n"
    for rank in traced.ranks:
        assert counts.items() <= rank.counts.items()
    network = Network(L=SECOND, o=0.0)
    baseline = analyze(load(tmp_path / "trace"), network).baseline
    assert baseline.lambda_L == latencies
    # OTF2 has records of messages and of communicators, and none of the other two.
    archive = tmp_path / "run.otf2"
    is_held = source in ("sendrecvs.c", "groups.c")
    assert main(["convert", str(tmp_path / "trace"), str(archive)]) == (0 if is_held else 2)
    assert archive.exists() == is_held
    if is_held:
        assert analyze(load(archive), network).baseline == baseline


@pytest.mark.parametrize("how", ["wait", "test", "start"])
def test_a_request_that_nobody_recorded_is_an_error_that_says_so(
    any_tracer: Mpi, tmp_path: Path, how: str
) -> None:
    traced = any_tracer.trace(tmp_path, 2, "unrecorded.c", how)
    assert traced.done.stdout == "right\n", traced.done.stderr
    name = f"MPI_{how.capitalize()}"
    what = rf" of a request that no recorded call has made, .*[:;] \d {name} \("
    with pytest.raises(InputError, match=what):
        load(tmp_path / "trace")


def test_callers_are_kept_whatever_the_mpi(any_tracer: Mpi, tmp_path: Path) -> None:
    """Every call of a C program has main above it, in the program itself, by the decoder alone."""
    traced = any_tracer.trace(tmp_path, 2, "messages.c", LATITUDE_STACKS="8")
    assert traced.done.returncode == 0, traced.done.stderr
    for rank in traced.ranks:
        assert rank.version == WITH_CALLERS
        (program,) = [m for m in rank.modules if m[3] == str(any_tracer.program("messages.c"))]
        for event in rank.mpi:
            path = []
            site = event.site
            while site:
                path.append(rank.sites[site - 1])
                site = rank.callers[site - 1]
            assert 2 < len(path) <= 9
            assert any(program[0] <= address < program[1] for address in path)
