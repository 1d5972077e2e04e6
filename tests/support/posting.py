"""The verbs injector on a fake device: a program that posts, built, injected into, and read."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.compiling import CC, TESTS

Done = subprocess.CompletedProcess[str]


@dataclass
class Posting:
    """What posting.c printed, and what was counted."""

    post_ns: int
    batch_ns: int
    posted: int
    batches: int
    requests: int
    said: str
    result: dict[str, Any]


def posting_program(built: Path) -> Path:
    """The program, compiled in a directory and linked to the fake device."""
    verbs = shared(built / "libibverbs.so.1", TESTS / "fake_verbs.c")
    mlx5 = shared(built / "libmlx5.so.1", TESTS / "fake_verbs.c", "-DMLX5", verbs)
    compiled(TESTS / "posting.c", verbs, mlx5, f"-Wl,-rpath,{built}", "-o", built / "posting")
    shared(built / "libposting.so", TESTS / "posting.c", verbs, mlx5, f"-Wl,-rpath,{built}")
    return built / "posting"


def compiled(*words: object) -> None:
    subprocess.run([CC, "-O2", "-Wall", "-Wextra", "-Werror", *map(str, words)], check=True)


def shared(library: Path, *words: object) -> Path:
    compiled("-shared", "-fPIC", f"-Wl,-soname,{library.name}", *words, "-o", library)
    return library


def plain(program: Path, posts: int, requests: int) -> list[int]:
    done = subprocess.run(
        [program, str(posts), str(requests)], capture_output=True, check=True, encoding="utf-8"
    )
    return [int(word) for word in done.stdout.split()]


def inject(directory: Path, *words: object) -> Done:
    latitude = [sys.executable, "-m", "latitude", "inject", *map(str, words)]
    return subprocess.run(
        latitude, capture_output=True, check=False, encoding="utf-8", cwd=directory
    )


def run(
    directory: Path, program: Path, *options: str, posts: int, requests: int = 1, opened: str = ""
) -> Posting:
    words = [program, posts, requests, *opened.split()]
    done = inject(directory, *options, "-o", "run", "--force", "--", *words)
    return read(directory, done)


def read(directory: Path, done: Done) -> Posting:
    assert done.returncode == 0, done.stderr
    result = json.loads((directory / "run" / "inject.json").read_text())
    post_ns, batch_ns, posted, batches, requests = map(int, done.stdout.split())
    return Posting(post_ns, batch_ns, posted, batches, requests, done.stderr, result)
