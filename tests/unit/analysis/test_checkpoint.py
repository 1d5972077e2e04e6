"""Analyses in passes that are killed go on where they were, and find the same."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from latitude._core import InputError
from latitude.analysis.checkpoint import Checkpoint, PassFound
from latitude.analysis.stream import analyze_stream
from latitude.files.progress import Silent
from latitude.model.network import Network
from latitude.trace.pieces import open_in_pieces
from support.native_trace import CALLS, RANKS, Writer, rank_file, text, varint, write, zigzag
from support.tiers import first_of

PASSES = 3
"""Passes kept from the analysis below; the last one, for the critical path, is not kept."""
BEGUN = """
import os, signal, sys
from pathlib import Path
from latitude.analysis.checkpoint import Checkpoint
from unit.analysis.test_checkpoint import analysed

class Dying:
    def __init__(self, passes):
        self.left = passes
    def stage(self, text, total=None):
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    def advance(self, amount):
        pass

analysed(Path(sys.argv[1]), Checkpoint(Path(sys.argv[2])), Dying(int(sys.argv[3])))
"""


def analysed(
    trace: Path, checkpoint: Checkpoint | None = None, progress: Any = None, *, path: bool = True
) -> Any:
    """All that is found, but for where and when."""
    network = Network.parse({"L": "1.7us", "o": "300ns", "G": "0.25ns/B", "S": "256KiB"})
    found = analyze_stream(
        open_in_pieces(trace),
        network,
        tolerance=(0.01, 0.5, 3.0),
        path=path,
        checkpoint=checkpoint,
        progress=progress or Silent(),
    )
    return {name: value for name, value in found.to_dict().items() if name != "provenance"}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Pairs of ranks that exchange more often than the pair before and compute less: T bends."""
    folder = tmp_path / "trace"
    pairs = 12
    return write(folder, {rank: _exchanging(rank, 2 * pairs) for rank in range(2 * pairs)})


def _exchanging(rank: int, ranks: int) -> bytes:
    pair = rank // 2
    steps = 4 + 3 * pair
    message = zigzag(rank ^ 1) + zigzag(4) + varint(8)
    send = b"\1" + varint(1) + varint(5) + b"\0\0" + message
    receive = b"\2" + varint(1) + varint(5) + b"\0\0" + message + b"\0"
    exchange = [send, receive] if rank % 2 == 0 else [receive, send]
    begun = b"\0" + varint(5) + varint(90) + b"\0"
    ended = b"\3" + varint(2_000_000 - 10_000 * pair * (pair + 1)) + varint(7) + b"\0"
    records = [begun, *exchange * steps, ended]
    writer = Writer(rank, ranks)
    writer.chunk(1, 1, text("{}"))
    writer.chunk(2, len(CALLS), b"".join(text(name) + text(shape) for name, shape in CALLS.items()))
    writer.chunk(6, len(records), b"".join(records))
    writer.chunk(7, 1, varint(0) + varint(0))
    return writer.file


@pytest.mark.parametrize("made", first_of(range(PASSES + 2), 2))
def test_killed_after_any_pass_it_goes_on_to_the_same_bits(
    tmp_path: Path, trace: Path, made: int
) -> None:
    expected = analysed(trace)
    assert expected["streamed"]["passes"] == PASSES + 1
    file = tmp_path / "checkpoint"
    begun: list[str | Path] = [sys.executable, "-c", BEGUN, trace, file, str(made)]
    ended = subprocess.run(begun, cwd=Path(__file__).parents[2], check=False)
    assert ended.returncode == (0 if made > PASSES else -signal.SIGKILL)
    checkpoint = Checkpoint(file)
    assert len(checkpoint.passes) == min(made, PASSES)
    assert analysed(trace, checkpoint) == expected
    assert len(checkpoint.passes) == PASSES


class Stages:
    """Keeps what a progress is told of."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def stage(self, text: str, _total: int | None = None) -> None:
        self.begun.append(text)

    def advance(self, _amount: int) -> None:
        pass


class Kept:
    """A checkpoint that an analysis has left behind."""

    def __init__(self, trace: Path, file: Path) -> None:
        analysed(trace, Checkpoint(file))
        self.file = file
        self.whole = file.read_bytes()

    def refusal(self, content: bytes) -> str:
        """Why a file with this content is none to go on with."""
        self.file.write_bytes(content)
        with pytest.raises(InputError) as error:
            Checkpoint(self.file)
        said = str(error.value)
        assert said.startswith(f"{self.file}: is ")
        assert said.endswith("; give another file name, or remove the file to start again")
        assert self.file.read_bytes() == content
        return said


@pytest.fixture
def kept(tmp_path: Path, trace: Path) -> Kept:
    return Kept(trace, tmp_path / "kept")


def test_damaged_ones_are_refused(kept: Kept) -> None:
    whole = kept.whole
    assert "is not a checkpoint" in kept.refusal(b"")
    assert "is not a checkpoint" in kept.refusal(b"latitude is a tool\n" + whole)
    assert "another version" in kept.refusal(whole.replace(b"checkpoint 1", b"checkpoint 2", 1))
    for at in range(0, len(whole) - 1, max(1, len(whole) // 50)):
        changed = bytearray(whole)
        changed[at] ^= 0x41
        kept.refusal(bytes(changed))
        kept.refusal(whole[:at])


def test_those_of_other_analyses_are_refused(tmp_path: Path, trace: Path, kept: Kept) -> None:
    opened = open_in_pieces(trace)

    def refusal(**asked: Any) -> str:
        with pytest.raises(InputError) as error:
            analyze_stream(asked.pop("of", opened), checkpoint=Checkpoint(kept.file), **asked)
        assert kept.file.read_bytes() == kept.whole
        return str(error.value).removeprefix(f"{kept.file}: is the checkpoint of an analysis with ")

    network = Network.parse({"L": "1.7us", "o": "300ns", "G": "0.25ns/B", "S": "256KiB"})
    assert refusal().startswith("another network; ")
    assert refusal(network=network).startswith("another question; ")
    assert refusal(network=network, sweep="G").startswith("another parameter; ")
    other = write(tmp_path / "other", {rank: rank_file(rank) for rank in range(RANKS)})
    assert refusal(of=open_in_pieces(other)).startswith("another trace; ")
    assert refusal(of=open_in_pieces(trace, reduce_ns_per_byte=1.0), network=network).startswith(
        "another reading of the trace; "
    )


def test_it_goes_on_without_the_critical_path(trace: Path, kept: Kept) -> None:
    """Results of the passes do not depend on whether the critical path follows."""
    expected = analysed(trace)
    watch = Stages()
    found = analysed(trace, Checkpoint(kept.file), watch, path=False)
    assert watch.begun == []
    assert found["baseline"]["path"] is None
    assert found["curve"] == expected["curve"]
    assert analysed(trace, Checkpoint(kept.file), watch) == expected
    assert watch.begun == [f"Reading trace, pass {PASSES + 1}"]


def test_a_copy_of_the_trace_is_the_same_trace(tmp_path: Path, trace: Path, kept: Kept) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in trace.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    assert (
        analysed(copy, Checkpoint(kept.file))["baseline"]["T_ns"]
        == analysed(trace)["baseline"]["T_ns"]
    )


def test_it_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "checkpoint"
    checkpoint = Checkpoint(file)
    checkpoint.begin({"trace": "this one"})
    found = PassFound([1.0], [2.0], [3.0], [], (0.0, 0.0), 1, 1, 1, 1, 1, 1, [])
    checkpoint.add(found)
    before = file.read_bytes()

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match="No space left"):
        checkpoint.add(found)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["checkpoint"]
