"""SimGrid's time-independent trace → liballprof text, which Latitude reads.

Computation has the unit flops; at 1 Gflop/s a flop is a ns. Only what phases.c calls is known.
"""

from pathlib import Path

_WORLD, _REQUEST, _STRIDE = 94266891747968, 94267000000000, 8
_BYTE, _DOUBLE = "1,1,1", "13,8,8"


def write_liballprof(texts: list[str], directory: Path) -> Path:
    """Writes one file per rank; returns the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    for rank, text in enumerate(texts):
        (directory / f"pmpi-trace-rank-{rank}.txt").write_text(_rank(text, rank, len(texts)))
    return directory


def _rank(text: str, rank: int, ranks: int) -> str:
    comm = f"{_WORLD},{rank},{ranks}"
    lines = ["# from SimGrid"]
    now_ns = 1_000
    pending = 0

    def call(name: str, *arguments: object) -> None:
        at = f"{now_ns // 1000}.{now_ns % 1000:03d}"
        lines.append(":".join([name, at, *map(str, arguments), at]))

    lines.append("MPI_Init:-:0:0:1")
    for line in text.splitlines():
        _, name, *words = line.split()
        match name:
            case "compute":
                now_ns += round(float(words[0]))
            case "send" | "recv":
                status = (_REQUEST - _STRIDE,) if name == "recv" else ()
                kind = f"MPI_{name.capitalize()}"
                call(kind, 0, words[2], _BYTE, words[0], words[1], comm, *status)
            case "isend" | "irecv":
                request = _REQUEST + _STRIDE * pending
                pending += 1
                kind = f"MPI_{name.capitalize()}"
                call(kind, 0, words[2], _BYTE, words[0], words[1], comm, request)
            case "waitall":
                call("MPI_Waitall", words[0], _REQUEST, 0)
                pending = 0
            case "allreduce":
                call("MPI_Allreduce", 8, 16, words[0], _DOUBLE, 3, comm)
            case "init" | "finalize":
                pass
            case _:
                raise ValueError(f"'{line}' is not a call of phases.c")
    at = f"{now_ns // 1000}.{now_ns % 1000:03d}"
    lines.append(f"MPI_Finalize:{at}:-")
    return "\n".join(lines) + "\n"
