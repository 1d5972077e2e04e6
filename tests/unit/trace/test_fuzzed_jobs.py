"""Files that fuzzing starts from or has found are read, or an InputError tells what is wrong."""

from random import Random

import pytest

from support.fuzzed_jobs import READERS, damaged, read, seeds


@pytest.mark.parametrize("name", READERS)
def test_the_corpus_is_read_or_refused(name: str) -> None:
    assert sum(read(name, content) for content in seeds(name)) > 0


@pytest.mark.parametrize("name", READERS)
def test_damaged_files_are_read_or_refused(name: str) -> None:
    every, draw = seeds(name), Random(5)
    for _ in range(300):
        read(name, damaged(draw, every))
