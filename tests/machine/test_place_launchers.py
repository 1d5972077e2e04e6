"""The files that `latitude place` writes, in the hands of the launchers they are for."""

import os
import re
import socket
import subprocess
from pathlib import Path

import numpy as np

from latitude.analysis.place.launchers import Launch, launches
from support.hanging import HANG_S
from support.mpi.library import mpich, openmpi
from support.slurm.cluster import Cluster

HERE = "localhost"


def files_for(placement: list[int], hosts: list[str]) -> tuple[Launch, Launch, Launch]:
    first, second, third = launches(np.array(placement, np.uint32), hosts)
    return first, second, third


def launched(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=HANG_S
    )
    assert done.returncode == 0, done.stderr
    return done


def test_open_mpi_puts_each_rank_of_a_node_on_a_core_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "openmpi.rankfile"
    file.write_text(files_for([0, 0], [HERE])[0].content)
    library = openmpi(tmp_path)
    command = [library.launcher, "-np", "2", "--rankfile", str(file), "--report-bindings", "true"]
    settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMIX_"))}
    said = launched(command, {**clean, **settings}).stderr
    cores = dict(re.findall(r"rank (\d) bound to .*?core (\d+)", said))
    assert set(cores) == {"0", "1"}
    assert cores["0"] != cores["1"]


def test_mpich_starts_ranks_host_by_host_in_their_order(tmp_path: Path) -> None:
    """Hydra has one process manager for each stretch of lines that name one host."""
    file = tmp_path / "mpich.hosts"
    file.write_text(files_for([0, 1, 1, 0], [HERE, socket.gethostname()])[1].content)
    library = mpich(tmp_path)
    # Ranks that end at once may be gone when mpiexec hands them its input, and it dies of SIGPIPE.
    ranks = ["sh", "-c", "echo $PMI_RANK $PPID; sleep 1"]
    command = [library.launcher, "-n", "4", "-f", str(file), *ranks]
    lines = launched(command, library.environment).stdout.splitlines()
    manager = dict(line.split() for line in lines)
    assert len(manager) == 4
    assert manager["1"] == manager["2"]
    assert len(set(manager.values())) == 3


def test_slurm_runs_each_rank_where_the_file_says(slurm_cluster: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "slurm.hosts"
    placement = [2, 0, 1, 2, 0]
    hosts = ["node001", "node002", "node003"]
    slurm = files_for(placement, hosts)[2]
    file.write_text(slurm.content)
    assert slurm.command.endswith("srun -n 5 --distribution=arbitrary ./app")
    command = ["srun", "-n", "5", "--distribution=arbitrary"]
    show = ["sh", "-c", "echo $SLURM_PROCID $SLURMD_NODENAME"]
    where = {**slurm_cluster.environment, "SLURM_HOSTFILE": str(file)}
    lines = launched([*command, *show], where).stdout.splitlines()
    found = {int(rank): node for rank, node in (line.split() for line in lines)}
    assert found == {rank: hosts[node] for rank, node in enumerate(placement)}
