"""Makes a long liballprof trace by repeating a real one.

Everything between MPI_Init and MPI_Finalize is repeated, timestamps shifted by the rank's own
duration, so communication, compute intervals and field widths stay those of the real program.

    python benchmarks/make_trace.py ../shared/traces/BIG-npb-lu.A-8.tar.xz /tmp/lu-x8 --repeat 8
"""

import argparse
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

_FINALIZE = "MPI_Finalize:"
_ONCE = tuple(
    f"MPI_{call}:"
    for call in ("Init", "Init_thread", "Cart_create", "Comm_split", "Comm_dup", "Comm_free")
)
_LAST_NUMBER = re.compile(r"(\d+)\D*$")


def members(archive: Path) -> Iterator[tuple[str, str]]:
    """(file name, text) of every rank, in rank order."""
    with tarfile.open(archive) as tar:
        found = [m for m in tar.getmembers() if m.isfile()]
        found.sort(key=lambda m: int(_LAST_NUMBER.search(Path(m.name).stem).group(1)))  # type: ignore[union-attr]
        for member in found:
            with tar.extractfile(member) as file:  # type: ignore[union-attr]
                yield Path(member.name).name, file.read().decode()


def repeat_text(text: str, repeat: int) -> Iterator[str]:
    """The rank's file with its body `repeat` times, in pieces.

    Communicators are made once: the body starts after the last call that makes or frees one.
    """
    lines = text.splitlines(keepends=True)
    start = max(i for i, line in enumerate(lines) if line.startswith(_ONCE))
    stop = next(i for i, line in enumerate(lines) if line.startswith(_FINALIZE))
    comments = [line for line in lines[start + 1 : stop] if not line.startswith("MPI_")]
    body = [_split(line) for line in lines[start + 1 : stop] if line.startswith("MPI_")]
    digits = 3 if any("." in t0 for _, t0, _, _ in body) else 0
    begin = float(lines[start].rstrip("\n").rsplit(":", 1)[1])
    length = float(body[-1][3]) - begin if body else 0.0
    times = [(name, float(t0), middle, float(t1)) for name, t0, middle, t1 in body]
    yield "".join(lines[: start + 1])
    for k in range(repeat):
        shift = k * length
        yield "".join(
            f"{name}:{t0 + shift:.{digits}f}{middle}{t1 + shift:.{digits}f}\n"
            for name, t0, middle, t1 in times
        )
    yield "".join(comments)
    _, t0, rest = lines[stop].split(":", 2)
    yield f"{_FINALIZE}{float(t0) + (repeat - 1) * length:.{digits}f}:{rest}"


def _split(line: str) -> tuple[str, str, str, str]:
    """name, start, everything between (with its colons), end."""
    name, t0, rest = line.rstrip("\n").split(":", 2)
    middle, colon, t1 = rest.rpartition(":")
    return name, t0, f":{middle}:" if colon else ":", t1


def make_trace(archive: Path, target: Path, repeat: int) -> int:
    """Writes one file a rank into `target`; returns the bytes written."""
    target.mkdir(parents=True, exist_ok=True)
    written = 0
    for name, text in members(archive):
        with (target / name).open("w") as out:
            for piece in repeat_text(text, repeat):
                written += out.write(piece)
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("archive", type=Path, help="a .tar.xz of ../shared/traces")
    parser.add_argument("target", type=Path, help="directory for the new trace")
    parser.add_argument("--repeat", type=int, default=8)
    arguments = parser.parse_args()
    written = make_trace(arguments.archive, arguments.target, arguments.repeat)
    print(f"{arguments.target}: {written / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
