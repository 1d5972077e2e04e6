"""Directories that runs are written into: one run at a time."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from latitude._core import InputError
from latitude.launch.directory import alone_in


def test_one_run_at_a_time(tmp_path: Path) -> None:
    run = tmp_path / "run"
    refusal = f"{run}: another run is writing into it; wait for its end, or give another -o"
    with alone_in(run, None):
        for rank in (None, 0):
            with pytest.raises(InputError) as caught, alone_in(run, rank):
                pass
            assert str(caught.value) == refusal
        with alone_in(run, 1):  # rank 0 has asked for the whole job
            pass
    with alone_in(run, 0):
        pass
    assert list(run.iterdir()) == []


def test_what_a_killed_run_left_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / ".latitude.lock").touch()
    with alone_in(tmp_path, None):
        pass


def test_a_lock_that_was_removed_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock's holder ends after another run has opened the file, but has not locked it yet."""
    flock, path = fcntl.flock, tmp_path / ".latitude.lock"
    taken: list[int] = []

    def late(file: int, how: int) -> None:
        if not taken:
            path.unlink()
        flock(file, how)
        taken.append(os.fstat(file).st_ino)

    monkeypatch.setattr(fcntl, "flock", late)
    with alone_in(tmp_path, None):
        assert taken[1:] == [path.stat().st_ino]


def test_a_file_system_without_locks_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with alone_in(tmp_path, None), alone_in(tmp_path, None):
        pass
    assert list(tmp_path.iterdir()) == []
