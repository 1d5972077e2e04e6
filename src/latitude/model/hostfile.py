"""Host files: the host of each rank, in the notations of launchers."""

import re
from collections.abc import Sequence
from pathlib import Path

from latitude._core import InputError
from latitude.files.reading import read_text

_MOST_BYTES = 64 << 20
"""Largest size of a host file, bytes: a line for each of a million ranks."""
_MOST_RANKS = 1 << 24
_RANK = re.compile(r"rank\s+(\d{1,9})\s*=\s*(\S+)(\s+slots?=\S+)?")
_SLOTS = re.compile(r"(\S+)\s+(?:max[-_]slots=\d+\s+)?slots=(\d{1,9})(?:\s+max[-_]slots=\d+)?")
_COUNT = re.compile(r"([^\s:]+):(\d{1,9})")
_HOST = re.compile(r"\S+")
_NUMBER = re.compile(r"(?<!\d)(\d{1,9})$")


def hosts_of_ranks(path: Path) -> list[str]:
    """The host of each rank, from a file in one of four notations.

    The notations are one host per line and rank (Slurm's SLURM_HOSTFILE), `host slots=n` (Open
    MPI), `host:n` (MPICH), and `rank i=host slot=…` (Open MPI rank file). Ranks fill the slots in
    order. `#` begins a comment.

    Raises:
        InputError: the file cannot be read, or a line has another form.
    """
    text = read_text(path, _MOST_BYTES)
    hosts: list[str] = []
    ranked: dict[int, str] = {}
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.partition("#")[0].strip()
        if match := _RANK.fullmatch(line):
            if int(match[1]) in ranked:
                raise InputError(f"{path}:{number}: rank {match[1]} is placed twice")
            ranked[int(match[1])] = match[2]
        elif line:
            host, count = _host_of(line, f"{path}:{number}")
            if len(hosts) + count > _MOST_RANKS:
                raise InputError(
                    f"{path}:{number}: places for over {_MOST_RANKS:,} ranks; write fewer slots"
                )
            hosts += [host] * count
    if ranked:
        return _in_rank_order(ranked, hosts, path)
    if not hosts:
        raise InputError(f"{path}: has no host; write one host per line, or 'host slots=4'")
    return hosts


def _host_of(line: str, where: str) -> tuple[str, int]:
    """A host, and the number of ranks for which the line has room."""
    if match := _SLOTS.fullmatch(line) or _COUNT.fullmatch(line):
        return match[1], int(match[2])
    if _HOST.fullmatch(line):
        return line, 1
    raise InputError(
        f"{where}: '{line}' names no host; write one host per line, 'host slots=4', 'host:4', or "
        "'rank 0=host slot=0'"
    )


def _in_rank_order(ranked: dict[int, str], others: Sequence[str], path: Path) -> list[str]:
    """The hosts of a rank file, which names every rank."""
    missing = next((rank for rank in range(len(ranked)) if rank not in ranked), None)
    if others or missing is not None:
        what = "lines without a rank" if others else f"no line for rank {missing}"
        raise InputError(f"{path}: a rank file with {what}; write 'rank i=host' for each rank")
    return [ranked[rank] for rank in range(len(ranked))]


def numbers_in_order(hosts: Sequence[str]) -> list[int]:
    """Hosts as nodes 0, 1, … in order of appearance."""
    number: dict[str, int] = {}
    return [number.setdefault(host, len(number)) for host in hosts]


def numbered(hosts: Sequence[str], first: int, path: str) -> list[int]:
    """Hosts as nodes, numbered by the digits at the end of their names, counted from `first`."""
    nodes = []
    for host in hosts:
        match = _NUMBER.search(host.partition(".")[0])
        if match is None or int(match[1]) < first:
            raise InputError(
                f"{path}: host '{host}' does not end in a number of {first} or more; use "
                f"file:{path} to number hosts in order of appearance"
            )
        nodes.append(int(match[1]) - first)
    return nodes
