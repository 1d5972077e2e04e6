"""The verbs injector on a fake device: a program that posts, built, injected into, and read."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.command import LATITUDE, started
from support.compiling import TESTS, beside, built

Done = subprocess.CompletedProcess[str]
OPTIONS = ("-O2", "-Wall", "-Wextra", "-Werror")


@dataclass
class Posting:
    """Output of posting.c, and the injector's counts."""

    post_ns: int
    batch_ns: int
    posted: int
    batches: int
    requests: int
    said: str
    result: dict[str, Any]


def posting_program() -> Path:
    """The program, linked to the fake device."""
    return built("posting", *OPTIONS, TESTS / "posting.c", *_device())


def posting_library() -> Path:
    """The posting program as a library."""
    return shared("libposting.so", TESTS / "posting.c", *_device())


def _device() -> list[object]:
    verbs = shared("libibverbs.so.1", TESTS / "fake_verbs.c")
    mlx5 = shared("libmlx5.so.1", TESTS / "fake_verbs.c", "-DMLX5", verbs)
    return [*beside(verbs), *beside(mlx5)]


def shared(name: str, *words: object) -> Path:
    return built(name, *OPTIONS, "-shared", "-fPIC", f"-Wl,-soname,{name}", *words)


def plain(program: Path, posts: int, requests: int) -> list[int]:
    return [int(word) for word in _printed(program, posts, requests)]


def parts_ns() -> float:
    """The price of the parts that a delay of nothing cannot do without."""
    (least,) = _printed(built("price", *OPTIONS, TESTS / "price.c"))
    return float(least)


def _printed(*words: object) -> list[str]:
    command = [str(word) for word in words]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    return done.stdout.split()


def inject(directory: Path, *words: object) -> Done:
    return started([*LATITUDE, "inject", *map(str, words)], os.environ, directory)


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
