"""The files that begin are there: one that was renamed would begin late, without a word."""

import pytest

from support.longest import LONGEST
from support.paths import TESTS


@pytest.mark.parametrize("name", LONGEST)
def test_it_is_a_file_of_make_test(name: str) -> None:
    kinds = [TESTS / kind for kind in ("machine", "commands", "unit")]
    assert sum(len(list(kind.rglob(f"{name}.py"))) for kind in kinds) == 1
