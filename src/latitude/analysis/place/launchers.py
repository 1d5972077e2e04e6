"""A placement as files for launchers."""

from collections.abc import Sequence
from dataclasses import dataclass

from latitude._core import InputError
from latitude._types import Nodes
from latitude.units.host_lists import listed
from latitude.units.quantities import counted

LAUNCHER_FILES = ("openmpi.rankfile", "mpich.hosts", "slurm.hosts")


@dataclass(frozen=True, slots=True)
class Launch:
    """The file for one launcher, and the command with this file."""

    launcher: str
    file: str
    """File name."""
    content: str
    command: str
    """The command, with {file} in place of the file's path."""


def launches(placement: Nodes, hosts: Sequence[str]) -> list[Launch]:
    """Files for Open MPI, MPICH and Slurm; `hosts` are the names of the nodes, by number."""
    names = [hosts[node] for node in placement.tolist()]
    ranks = len(names)
    return [
        Launch(
            "Open MPI",
            LAUNCHER_FILES[0],
            _rankfile(placement, names),
            f"mpirun -np {ranks} --rankfile {{file}} ./app",
        ),
        Launch(
            "MPICH",
            LAUNCHER_FILES[1],
            "".join(f"{name}:1\n" for name in names),
            f"mpiexec -n {ranks} -f {{file}} ./app",
        ),
        Launch(
            "Slurm",
            LAUNCHER_FILES[2],
            "".join(f"{name}\n" for name in names),
            f"SLURM_HOSTFILE={{file}} srun -n {ranks} --distribution=arbitrary ./app",
        ),
    ]


def host_names(text: str | None, nodes: int) -> list[str]:
    """`node[001-004]` (or a comma list) → one name per node; by default node001 and so on."""
    if text is None:
        return [f"node{number:03d}" for number in range(1, nodes + 1)]
    names = listed(text, "hosts")
    if len(names) < nodes:
        raise InputError(
            f"hosts: '{text}' names {counted(len(names), 'host')}, but --nodes asks for {nodes}"
        )
    return names


def _rankfile(placement: Nodes, names: Sequence[str]) -> str:
    """A rankfile with a core per rank: a node's first rank on core 0, the next on core 1."""
    taken: dict[int, int] = {}
    lines = []
    for rank, (node, name) in enumerate(zip(placement.tolist(), names, strict=True)):
        core = taken.get(node, 0)
        taken[node] = core + 1
        lines.append(f"rank {rank}={name} slot={core}\n")
    return "".join(lines)
