"""Makes a worker's share of the runs, in a task of a job array or of Dask."""

import ctypes
import signal
from collections.abc import Sequence
from pathlib import Path

import msgspec

from latitude._core import InputError
from latitude.files.reading import parsing, read_bytes
from latitude.lab.campaign.directory import MOST_BYTES, Directory
from latitude.lab.campaign.perform import perform
from latitude.launch.child import terminated_like_interrupted

_PR_SET_PDEATHSIG = 1


class _Shares(msgspec.Struct):
    shares: list[list[str]]
    """Ids of the runs of each task."""


def work(
    path: Path,
    ids: Sequence[str] = (),
    shares: Path | None = None,
    task: int | None = None,
) -> None:
    """Makes one attempt of each run that is neither done nor in progress.

    `ids` names the runs; without `ids`, the runs are share number `task` in the file `shares`.
    """
    directory = Directory.opened(path)
    known = directory.plan.by_id()
    for run_id in ids or _share(shares, task):
        if run_id not in known:
            raise InputError(f"{path}: run {run_id} is not planned there")
        with terminated_like_interrupted():
            perform(directory, known[run_id])


def end_with_parent() -> None:
    """Lets the kernel end this process when its parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)


def _share(shares: Path | None, task: int | None) -> list[str]:
    if shares is None or task is None:
        raise InputError("--list FILE needs --task N")
    content = read_bytes(shares, MOST_BYTES)
    with parsing(str(shares), "not a list of runs"):
        found = msgspec.json.decode(content, type=_Shares).shares
    if not 0 <= task < len(found):
        raise InputError(f"{shares}: it has {len(found)} shares, and none of number {task}")
    return found[task]
