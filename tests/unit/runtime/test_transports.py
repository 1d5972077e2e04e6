"""The library that tells a run's transports, and what is made of what it told."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from latitude import Network
from latitude._core import InputError
from latitude.model.cluster_file import read_cluster
from latitude.model.network import warnings_of
from latitude.trace.transports import (
    TRANSPORTS,
    Transports,
    gathered,
    keep_transports,
    kept_transports,
    told_in,
)
from support.compiling import STRICT, beside, built
from support.paths import RUNTIME
from support.virtual import building

TCP = Transports(
    used=("tcp",),
    modules=("pml ucx",),
    library="ucx 1.13.1",
    ranks=2,
    hosts=("node1",),
    settings={"UCX_TLS": "tcp,self"},
)
SHARED = Transports(used=("cma", "sysv"), modules=("pml ucx",), library="ucx 1.13.1", ranks=8)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which two processes told."""
    directory = tmp_path_factory.mktemp("told")
    flags = [*STRICT, *building.flags("transports")]
    library = built("transports.so", *flags, *building.sources("transports", "preload"))
    tests = RUNTIME / "transports" / "tests"
    fake = built("libuct.so.0", *STRICT, "-shared", "-fPIC", tests / "fake.c")
    program = built("connecting", *STRICT, tests / "connecting.c", *beside(fake))
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("UCX_", "OMPI_", "FI_", "MPIR_", "I_MPI_"))
    } | {
        "LD_PRELOAD": str(library),
        "LATITUDE_TRANSPORTS": str(told_in(directory)),
        "UCX_TLS": "posix,cma,self",
        "OMPI_MCA_pml": "ucx",
        "OMPI_MCA_ess_base_jobid": "123",
    }
    for words in (["tcp", "+posix", "cma", "+self"], ["+tcp", "+cma", "ud"]):
        subprocess.run([program, *words], env=environment, check=True)
    return directory


def test_transports_with_a_connection_are_told(told: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(told, copy)
    found = gathered(copy)
    assert found is not None
    assert found.used == ("cma", "posix", "tcp")
    assert found.modules == ("pml ucx",)
    assert found.ranks == 2
    assert found.settings == {"UCX_TLS": "posix,cma,self", "OMPI_MCA_pml": "ucx"}
    assert len(found.hosts) == 1
    assert gathered(copy) is None, "what was told is gone"


def test_a_trace_keeps_them(told: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(told, copy)
    keep_transports(copy)
    assert [path.name for path in copy.iterdir()] == [TRANSPORTS]
    kept = kept_transports(copy)
    assert kept is not None
    assert kept.used == ("cma", "posix", "tcp")
    (copy / TRANSPORTS).write_text('{"used": 3}')
    with pytest.raises(InputError, match=r"transports.json: damaged; remove it, or trace again"):
        kept_transports(copy)
    assert kept_transports(tmp_path) is None


def test_a_process_that_was_killed_tells_nothing(tmp_path: Path) -> None:
    folder = told_in(tmp_path)
    folder.mkdir()
    (folder / "node1-1.txt").write_text("host node1\ntransport tcp\nend\n")
    (folder / "node1-2.txt").write_text("host node1\ntransport sysv\n")
    found = gathered(tmp_path)
    assert found is not None
    assert (found.used, found.ranks) == (("tcp",), 1)


def test_it_is_told_what_differs_and_what_to_set() -> None:
    assert TCP.otherwise(SHARED) == (
        "the network was measured over tcp, and the run used cma, sysv; measure the network with "
        "no UCX_TLS, or make the run with UCX_TLS=tcp,self"
    )
    longer = {**TCP.settings, "UCX_RNDV_THRESH": "1m"}
    changed = Transports(used=("tcp",), settings=longer)
    assert TCP.otherwise(changed) == (
        "the network was measured with no UCX_RNDV_THRESH, and the run had UCX_RNDV_THRESH=1m; "
        "measure the network with UCX_RNDV_THRESH=1m, or make the run with no UCX_RNDV_THRESH"
    )
    verbose = Transports(used=("tcp",), settings={**TCP.settings, "UCX_LOG_LEVEL": "info"})
    assert TCP.otherwise(verbose) is None
    assert Transports(modules=("btl vader", "pml ob1")).otherwise(TCP) == (
        "the network was measured over btl vader, pml ob1, and the run used tcp; measure the "
        "network with UCX_TLS=tcp,self, or make the run with no UCX_TLS"
    )
    assert Transports().otherwise(Transports(used=("cma",))) == (
        "the network was measured over the MPI's own shared memory, and the run used cma; measure "
        "the network with the run's environment"
    )


def test_a_network_file_has_them(tmp_path: Path) -> None:
    file = tmp_path / "cluster.toml"
    file.write_text(
        '[network]\nL = "3us"\nS_isend = "440B"\n[network.measured]\nused = ["tcp"]\n'
        'modules = ["pml ucx"]\nlibrary = "ucx 1.13.1"\nranks = 2\nhosts = ["node1"]\n'
        'settings = { UCX_TLS = "tcp,self" }\n'
    )
    network = read_cluster(file).network()
    assert network.measured == TCP
    file.write_text('[network]\nL = "3us"\n[network.measured]\nspeed = 3\n')
    with pytest.raises(InputError, match=r"network.measured\] speed: no such key"):
        read_cluster(file)


def test_other_transports_and_other_ranks_are_told(tmp_path: Path) -> None:
    network = Network(L="2us", o="1us", G="1ns/B", S=8192, S_isend=440, measured=TCP)
    assert warnings_of(network.ran_as(tmp_path)) == []
    told = [warnings_of(replace(network, traced=run)) for run in (SHARED, TCP, _of(8), _of(2))]
    assert [[each.code for each in notices] for notices in told] == [
        ["other-transports"],
        [],
        ["other-ranks"],
        [],
    ]
    assert "measured with 2 ranks, and the run had 8" in told[2][0].message


def _of(ranks: int) -> Transports:
    return Transports(used=("tcp",), ranks=ranks, settings=TCP.settings)
