"""Files that several processes need, and one makes."""

import fcntl
from collections.abc import Callable
from pathlib import Path


def made_once(path: Path, make: Callable[[Path], object]) -> Path:
    """The file; where it is not there yet, `make` writes it under another name first."""
    with path.with_name(f".{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            part = path.with_name(f"{path.name}.part")
            make(part)
            part.rename(path)
    return path
