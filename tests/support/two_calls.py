"""A run of two ranks of which rank 0 computes before a message and before a barrier."""

from pathlib import Path

_TRACE = (
    "# small\n\nMPI_Init:-:140732362780924:140732362780912:10\n"
    "MPI_{verb}:{first}:94267529573904:8:2,1,1:{peer}:3:94266891747968,{rank},2{status}:{first}\n"
    "MPI_Barrier:{second}:94266891747968,{rank},2:{second}\n"
    "MPI_{verb}:{third}:94267529573904:8:2,1,1:{peer}:3:94266891747968,{rank},2{status}:{third}\n"
    "MPI_Finalize:{third}:-\n"
)


def two_calls(directory: Path, first: int, second: int, barriers: int = 1) -> Path:
    """Writes the program as liballprof text; only rank 0 computes, these µs before each call."""
    directory.mkdir(parents=True)
    for rank, verb in enumerate(("Send", "Recv")):
        begin = 10 + (first if rank == 0 else 1)
        barrier = begin + (second if rank == 0 else 1)
        text = _TRACE.format(
            verb=verb,
            rank=rank,
            peer=1 - rank,
            status=":94267000000000" if rank else "",
            first=begin,
            second=barrier,
            third=barrier + 5,
        )
        lines = text.splitlines(keepends=True)
        lines[4:5] *= barriers
        (directory / f"trace-rank-{rank}.txt").write_text("".join(lines), encoding="ascii")
    return directory
