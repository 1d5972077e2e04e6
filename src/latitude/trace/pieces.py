"""Traces in Latitude's own format, read piece by piece."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.files.provenance import Digest, Provenance, provenance
from latitude.files.reading import check_name
from latitude.notices.kinds import from_core
from latitude.notices.notice import Notice
from latitude.trace.archive import SUFFIXES, head_of_file
from latitude.trace.collectives import in_words
from latitude.trace.costs import RecordedCosts
from latitude.trace.formats import Chosen, chosen, found
from latitude.trace.kept_places import give_places_in
from latitude.trace.lacking import refusal
from latitude.trace.program import TraceInfo
from latitude.trace.recorded_run import recorded_program
from latitude.trace.wrappers import Wrappers
from latitude.units.arguments import path_of

Along = tuple[str, Sequence[float] | None, Sequence[float] | None]
"""The parameter θ (L, G or o), and its value in each link class as fixed + weight · θ; None for θ
itself."""

_OURS = "latitude"
_IN_MEMORY = 24
"""Largest number of bytes of memory per byte of a trace, in an analysis in memory. A call of a halo
exchange has 11 bytes in the file and takes 110 in memory.
"""
_OPERATION_IN_MEMORY = 165
"""Additional bytes per send or receive of a collective; in an MPI_Alltoall it takes 112."""


@dataclass(frozen=True, slots=True)
class PieceTrace:
    """A trace that is read again for every question."""

    path: Path
    pieces: _core.Pieces
    digest: Digest
    chosen: Chosen
    """Options for reading the files."""
    algorithms: Sequence[str]
    """Algorithms of collectives, as in `latitude.load`."""
    reduce_ns_per_byte: float
    skip_unsupported: bool
    async_progress: bool
    costs: RecordedCosts | None

    def __reduce__(self) -> tuple[Callable[..., "PieceTrace"], tuple[object, ...]]:
        """Pickles the trace as the paths of its files, which are opened again on unpickling."""
        how = (self.algorithms, self.reduce_ns_per_byte, self.skip_unsupported, self.async_progress)
        files = self.path.resolve(), self.pieces.checksums, self.chosen
        return _opened_again, (*files, *how, self.costs)

    @property
    def ranks(self) -> int:
        """Number of MPI processes."""
        return self.pieces.trace.ranks

    def info(self) -> TraceInfo:
        """The trace's facts."""
        trace = self.pieces.trace
        calls = sorted(trace.call_counts.items(), key=lambda item: (-item[1], item[0]))
        return TraceInfo(trace.format, trace.ranks, trace.events, calls=dict(calls))

    @property
    def collectives(self) -> str:
        """The algorithms that replace collectives, in words."""
        return in_words(self.algorithms, self.info().calls)

    def warnings(self, found: Sequence[Notice]) -> list[Notice]:
        """Warnings about the trace and about a pass."""
        return list(dict.fromkeys(from_core(self.pieces.trace.warnings) + list(found)))

    def provenance(self) -> Provenance:
        """Provenance of a result that is computed now from this trace."""
        return provenance(self.path, self.digest, recorded_program(self.path))

    def how(self, threads: int, progress: Callable[[int], None]) -> _core.Pass:
        """The settings of a pass; `progress` is called with the number of bytes read."""
        return _core.Pass(
            list(self.algorithms),
            self.reduce_ns_per_byte,
            self.skip_unsupported,
            self.async_progress,
            threads,
            progress,
            None if self.costs is None else self.costs.core(),
        )

    def evaluate(
        self, network: _core.Network, along: Along, values: Floats, left: int, how: _core.Pass
    ) -> _core.StreamFound:
        """One pass: T and its slopes at these θ, and left slopes at the first `left` values."""
        theta, fixed, weight = along
        with self._supported():
            return self.pieces.evaluate(
                network,
                values,
                how,
                left,
                theta=theta,
                fixed=None if fixed is None else np.array(fixed),
                weight=None if weight is None else np.array(weight),
            )

    def follow(self, network: _core.Network, how: _core.Pass) -> _core.StreamPath:
        """Follows the critical path in one pass, and sums its parts by ranks, calls and pairs."""
        with self._supported():
            return self.pieces.critical_path(network, how)

    def slack(
        self, network: _core.Network, how: _core.Pass, folder: Path, rounding: float
    ) -> _core.StreamSlack:
        """Finds the slack of messages in one pass, and a pass back over the data that it wrote.

        Slack below `rounding` of T counts as 0.
        """
        with self._supported():
            return self.pieces.slack(network, how, str(folder), rounding)

    @contextmanager
    def _supported(self) -> Iterator[None]:
        """Adds the trace's name to errors about calls that graphs cannot express."""
        try:
            yield
        except _core.UnsupportedCallsError as error:
            raise refusal(self.path, self.pieces.trace, error.tallies, Wrappers([])) from error


def _opened_again(
    path: Path, checksums: list[tuple[int, int]], choices: Chosen, *how: Any
) -> PieceTrace:
    """The same trace, perhaps on another machine. InputError: the trace differs on this machine."""
    files = files_in_pieces(path)
    if files is None:
        raise InputError(f"{path}: the trace does not exist; all workers read it by this path")
    trace = PieceTrace(path, _pieces(files, choices), Digest(files), choices, *how)
    if trace.pieces.checksums != checksums:
        raise InputError(f"{path}: differs from the trace at the start of the analysis")
    return trace


def _pieces(files: Sequence[Path], choices: Chosen) -> _core.Pieces:
    """The files' tables, with the source places in the trace's folder."""
    pieces = _core.Pieces([str(file) for file in files], choices)
    give_places_in(files[0].parent, pieces.trace)
    return pieces


def files_in_pieces(path: Path) -> list[Path] | None:
    """The files of a trace that can be read in pieces; None for any other `path`."""
    check_name(path)
    if not path.is_dir():
        return None
    names = [entry.name for entry in path.iterdir() if entry.is_file()]
    claim = found(str(path), names, lambda name: head_of_file(path / name))
    if claim is None or claim[0].name != _OURS:
        return None
    paths = [path / name for name in claim[1]]
    return None if any(each.suffix in SUFFIXES for each in paths) else paths


def memory_needed(
    files: Sequence[Path], collectives: Sequence[str] = (), room: float = math.inf
) -> int:
    """Approximate bytes that an analysis in memory takes; `collectives` as in `latitude.load`.

    If the estimate from the files' sizes exceeds `room`, the function reads no file and does not
    count collectives.
    """
    in_files = _IN_MEMORY * sum(file.stat().st_size for file in files)
    if in_files > room:
        return in_files
    try:
        pieces = _core.Pieces([str(file) for file in files])
        operations = pieces.collective_operations(list(collectives))
    except InputError:
        return in_files  # their reader reports the error
    return in_files + round(_OPERATION_IN_MEMORY * operations)


def open_in_pieces(
    path: str | PathLike[str],
    *,
    collectives: Sequence[str] = (),
    reduce_ns_per_byte: float = 0.0,
    skip_unsupported: bool = False,
    async_progress: bool = False,
    costs: RecordedCosts | None = None,
    **options: str | bool,
) -> PieceTrace:
    """Opens a trace by Latitude for `analysis.stream`; arguments as in `latitude.load`.

    Raises:
        InputError: the trace's tables are invalid.
        NotInPiecesError: the path is not such a trace, or it must be read as a whole.
    """
    source = path_of(path)
    files = files_in_pieces(source)
    if files is None:
        raise _core.NotInPiecesError(
            f"{source}: only the folder that latitude trace wrote, unpacked, is read in pieces"
        )
    choices = chosen(options)
    return PieceTrace(
        source,
        _pieces(files, choices),
        Digest(files),
        choices,
        tuple(collectives),
        reduce_ns_per_byte,
        skip_unsupported,
        async_progress,
        costs,
    )
