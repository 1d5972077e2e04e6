"""Synthetic traces, whose structure and runtime are known."""

import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO, RawIOBase
from pathlib import Path
from typing import IO

from latitude import _core
from latitude._core import InputError
from latitude._version import __version__
from latitude.files.progress import Progress
from latitude.trace.recorded_run import name_of
from latitude.units.quantities import counted, format_size, format_time

PATTERNS = ("halo", "wavefront", "cg")
MOST_RANKS = 2**20
SYNTHETIC_MPI = "none: synthetic"
"""Entry of synthetic traces in place of the MPI library."""
MOST_NS = 2**53
"""Largest time, ns (104 days); larger times are not exact to the nanosecond."""


@dataclass(frozen=True, slots=True)
class SyntheticTrace:
    """A program whose ranks all do the same in each step. InputError: it takes too long."""

    pattern: str
    """One of PATTERNS."""
    ranks: int
    """Number of ranks, at least 2."""
    asked_calls: int
    """Requested number of MPI calls of all ranks. The program has the largest number of steps whose
    calls do not exceed this number, but at least one step.
    """
    message_bytes: int
    """Bytes of a message between neighbours."""
    compute_ns: int
    """Computation of a rank per step, ns."""

    def __post_init__(self) -> None:
        if self.steps * max(self.compute_ns, 1) > MOST_NS:
            raise InputError(
                f"{counted(self.steps, 'step')} of {format_time(self.compute_ns)} take more than "
                f"the {format_time(MOST_NS)} up to which times are kept to the nanosecond; take "
                "fewer --calls or less --compute"
            )

    @property
    def steps(self) -> int:
        """Number of equal steps per rank."""
        return max(1, self.asked_calls // _core.synthetic_calls_per_step(self.pattern, self.ranks))

    @property
    def calls(self) -> int:
        """MPI calls of all ranks, without MPI_Init and MPI_Finalize."""
        return self.steps * _core.synthetic_calls_per_step(self.pattern, self.ranks)

    def assumptions(self) -> list[str]:
        """The program's content, and its differences from real programs, in sentences."""
        size, time = format_size(self.message_bytes), format_time(self.compute_ns)
        if self.pattern == "wavefront":
            columns, rows = _core.synthetic_grid(self.ranks)
            what = (
                f"In each step a rank of a grid of {columns} × {rows} receives {size} from west "
                f"and north, computes {time}, and sends {size} to east and south."
            )
        else:
            what = (
                f"In each step a rank of a ring computes {time} and exchanges {size} with both "
                "neighbours (MPI_Irecv, MPI_Isend, MPI_Waitall)"
            )
            reductions = ", then takes part in two MPI_Allreduce of 8 B"
            what += f"{reductions if self.pattern == 'cg' else ''}."
        alike = (
            "All ranks compute for equal times, without noise. Every call lasts 100 ns, as if no "
            "rank had waited: the analysis computes how long real calls take."
        )
        return [what, alike]

    def pieces(self, rank: int) -> Iterator[bytes]:
        """The file of one rank, in pieces of about 1 MiB or less."""
        meta = {
            "mpi": SYNTHETIC_MPI,
            "tracer": __version__,
            "clock": "wall",
            "host": "synthetic",
            "command": ["latitude", "synthesize", self.pattern],
            "null_gap_ns": 0,
            "null_cpu_gap_ns": 0,
            "ranks_on_host": self.ranks,
            "cores": self.ranks,
        }
        file = _core.SyntheticRank(
            self.pattern,
            self.ranks,
            self.steps,
            self.message_bytes,
            self.compute_ns,
            rank,
            json.dumps(meta),
        )
        while piece := file.next():
            yield piece

    def write_folder(self, folder: Path, progress: Progress) -> None:
        """Writes the files of all ranks into an existing folder."""
        progress.stage("Writing a trace", self.ranks)
        for rank in range(self.ranks):
            with (folder / name_of(rank)).open("wb") as file:
                for piece in self.pieces(rank):
                    file.write(piece)
            progress.advance(1)

    def write_archive(self, stream: IO[bytes], progress: Progress) -> None:
        """Writes the files as a tar archive into any stream, not only into a file.

        A tar file states a member's size before the content, so Latitude makes the content twice
        and never keeps it.
        """
        progress.stage("Writing a trace", self.ranks)
        with tarfile.open(fileobj=stream, mode="w|") as archive:
            for rank in range(self.ranks):
                member = tarfile.TarInfo(name_of(rank))
                member.size = sum(map(len, self.pieces(rank)))
                archive.addfile(member, _Pieces(self.pieces(rank)))
                progress.advance(1)


class _Pieces(RawIOBase):
    """Pieces in the form of a file that can be read once."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._rest = BytesIO()

    def read(self, size: int = -1, /) -> bytes:
        found = self._rest.read(size)
        while len(found) < size and (piece := next(self._pieces, None)) is not None:
            self._rest = BytesIO(piece)
            found += self._rest.read(size - len(found))
        return found
