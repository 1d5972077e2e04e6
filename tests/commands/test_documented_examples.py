"""Examples of the documentation, run as they are printed, and what they print.

Those that start MPI programs: tests/machine/test_documented_runs.py.
"""

import os
from pathlib import Path

import pytest

from support.documented import RUN, Example, Session, difference, examples, pages

LAUNCHED = {
    "README.md",
    "docs/commands/measure.md",
    "docs/commands/scaling.md",
    "docs/commands/trace.md",
    "docs/tutorials/first-report.md",
}
"""Pages of which some example starts an MPI program."""


def _run_here(page: str) -> bool:
    return any(each.language in RUN and not each.skipped for each in examples(page))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "page", [page for page in pages() if page not in LAUNCHED and _run_here(page)]
)
def test_examples_do_and_print_what_the_page_says(page: str, tmp_path: Path) -> None:
    session = Session(tmp_path, {"PATH": os.environ["PATH"]})
    session.run_page(page)


def test_no_line_for_a_shell_is_in_a_block_that_is_not_run() -> None:
    for page in pages():
        for example in examples(page):
            assert example.language in RUN or not example.text.startswith("$ "), example
            assert not example.mark or example.mark == "numbers vary" or example.skipped, example


@pytest.mark.parametrize(
    ("stated", "printed", "numbers", "agree"),
    [
        ("a b\nc", "a b c\n", True, True),
        ("a 1,000.0 b", "a 1,004.0 b", True, True),
        ("a 1,000 b", "a 1,040 b", True, False),
        ("a 1,000 b", "a 1,040 b", False, True),
        ("(1.5%,", "(1.5%", True, False),
        ("a … c", "a b b c", True, True),
        ("a …", "a", True, True),
        ("a … c", "a b b c d", True, False),
        ("… c", "a b c", True, True),
        ("a b", "a b c", True, False),
        ("a b c", "a b", True, False),
        ("−2.5 ns", "−2.51 ns", True, True),
        ("−2.5 ns", "2.5 ns", True, False),
        ("1.0e-05", "2.0e-05", True, False),
        ("HiGHS 1.15.1, 3 rows", "HiGHS 1.16.0, 3 rows", True, True),
        ("HiGHS 1.15.1", "HiGHS 1.16", True, False),
        ("10.0.0.1", "10.0.1.1", True, False),
        ("analysed 2026-11-25", "analysed 2031-01-01", True, True),
        ("analysed 2026-11-25", "analysed today", True, False),
    ],
)
def test_what_is_printed_is_held_against_the_page(
    stated: str, printed: str, numbers: bool, agree: bool
) -> None:
    assert (difference(stated, printed, numbers=numbers) == "") == agree


@pytest.mark.thorough
def test_an_example_that_prints_something_else_is_found(tmp_path: Path) -> None:
    session = Session(tmp_path, {"PATH": os.environ["PATH"]})
    right = Example("a page", 1, "console", "$ echo 3 ranks\n3 ranks\n", "")
    wrong = Example("a page", 5, "console", "$ echo 3 ranks\n4 ranks\n", "")
    failing = Example("a page", 9, "sh", "latitude analyze absent.goal\n", "")
    session.run(right)
    with pytest.raises(AssertionError, match="a page:5: echo 3 ranks"):
        session.run(wrong)
    with pytest.raises(AssertionError, match=r"a page:9: .*absent\.goal"):
        session.run(failing)
