"""Last MPI calls of ranks without an end: rank-NNNNNNN.last (docs/internals/trace-format.md)."""

import signal
import struct
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.files.reading import read_bytes
from latitude.trace.recorded_run import modules_of, name_of

_LAYOUT = struct.Struct("<8sIIQq32s")
_MAGIC = b"LATLAST1"
_PAGE = 4096
_INSIDE = 2
_NO_PEER = -(2**63)


@dataclass(frozen=True, slots=True)
class LastCall:
    """The last MPI call of a rank."""

    call: str
    inside: bool
    """Whether the call had not returned."""
    signal: int
    """Signal that ended the process, if known to the process; otherwise 0."""
    peer: int | None
    """Rank in MPI_COMM_WORLD of the call's partner."""
    line: str | None
    """Place of the call, `crash.c:8`; None if not known."""

    def __str__(self) -> str:
        """Words that follow `rank 1` in a sentence."""
        towards = "from" if "recv" in self.call.lower() or "probe" in self.call.lower() else "to"
        peer = "" if self.peer is None else f" {towards} {self.peer}"
        place = "" if self.line is None else f" at {self.line}"
        what = f"{self.call}{peer}{place}"
        if self.signal:
            name = signal.Signals(self.signal).name
            return f"ended by {name} {'in' if self.inside else 'after'} {what}"
        return f"was in {what}" if self.inside else f"was computing after {what}"


def last_calls(directory: Path, ranks: Iterable[int]) -> dict[int, LastCall]:
    """The last calls of ranks that left a file about their last call; removes the files."""
    found = {}
    for rank in ranks:
        path = directory / Path(name_of(rank)).with_suffix(".last")
        with suppress(InputError, ValueError, struct.error):
            found[rank] = _read(path, directory / name_of(rank))
        path.unlink(missing_ok=True)
    return found


def _read(path: Path, trace: Path) -> LastCall:
    """The content of a file. InputError, ValueError, struct.error: it is empty or invalid."""
    content = read_bytes(path, _PAGE)[: _LAYOUT.size]
    magic, state, number, address, peer, name = _LAYOUT.unpack(content)
    call = name.partition(b"\0")[0].decode("ascii")
    if magic != _MAGIC or not call:
        raise ValueError
    if number:
        signal.Signals(number)
    return LastCall(
        call=call,
        inside=state == _INSIDE,
        signal=number,
        peer=None if peer == _NO_PEER else peer,
        line=_line(trace, address),
    )


def _line(trace: Path, address: int) -> str | None:
    """Source line of a return address, from the code files that the trace has noted."""
    from latitude.trace.symbols import symbolise  # noqa: PLC0415 - slow to import, seldom needed

    for first, end, bias, module in modules_of(trace):
        if first <= address < end:
            (location,), _ = symbolise([module], [(0, address - bias)])
            frame = location.frames[0] if location.frames else None
            if frame is not None and frame.file and frame.line:
                return f"{Path(frame.file).name}:{frame.line}"
    return None
