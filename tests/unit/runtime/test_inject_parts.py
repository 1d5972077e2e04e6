"""The injector's C sources: unit tests, warnings, and the part of UCX they declare."""

import subprocess
from pathlib import Path

import pytest

from support.compiling import STRICT, TESTS, built_object, unit_tests
from support.tiers import first_of
from support.virtual import building

SANITIZERS = {"fast": [], "checked": ["-fsanitize=address,undefined", "-g"]}


@pytest.mark.parametrize("how", first_of(SANITIZERS))
def test_parts_do_what_they_say(tmp_path: Path, how: str) -> None:
    words = unit_tests(tmp_path, *SANITIZERS[how])
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_library_compiles_without_warnings() -> None:
    for source in building.sources("inject", "preload", "clock"):
        built_object(source, *STRICT, *building.flags("inject"))


@pytest.mark.parametrize("layout", ["uct_layout.c", "ibv_layout.c", "ofi_layout.c"])
def test_what_is_declared_is_what_is_installed(layout: str) -> None:
    built_object(TESTS / layout, *STRICT)
