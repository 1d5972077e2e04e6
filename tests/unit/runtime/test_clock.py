"""Clocks are read, and times waited for, in runtime/clock alone: else virtual time has a hole."""

import re
from pathlib import Path

import pytest

from support.paths import RUNTIME

CLOCKS = (
    r"clock_gettime|gettimeofday|\btime\(NULL|\bclock\(\)|MPI_Wtime|rdtscp?\b|cntvct|"
    r"nanosleep|\bu?sleep\(|\bp?poll\(|\bp?select\(|epoll_p?wait|timerfd_|setitimer"
)
SOURCES = [
    path
    for pattern in ("*.c", "*.h", "*.def")
    for path in sorted(RUNTIME.rglob(pattern))
    if "tests" not in path.relative_to(RUNTIME).parts
]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(RUNTIME)))
def test_only_the_clock_knows_clocks(path: Path) -> None:
    code = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    found = [word for word in re.findall(CLOCKS, code) if word]
    if path.name == "clock.c" and path.parent.name == "clock":
        assert found
    else:
        assert found == []
