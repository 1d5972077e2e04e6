"""Needs of tests in addition to Python, without which a test fails or is skipped with a reason."""

import os
import shutil

import pytest

MISSING = "LATITUDE_MISSING"
"""`make test` names here what is missing where nobody may install it (tools/needs.sh)."""
_NEEDS = "not tested here: needs "


def need(what: str, *, there: bool, script: str) -> None:
    """Fails the test unless `what` is there, or skips it where that could not be installed.

    `script` is the one in tools/ that installs the need.
    """
    if there:
        return
    if os.environ.get(MISSING):
        pytest.skip(f"{_NEEDS}{what} (tools/{script})")
    pytest.fail(f"missing: {what}; run tools/{script}")


def needed(program: str, script: str) -> str:
    """The path of a program that the test needs."""
    path = shutil.which(program)
    need(program, there=path is not None, script=script)
    return str(path)


def lacked(reasons: list[str]) -> str:
    """One line of what tests that were skipped for these reasons lacked; empty if nothing."""
    found = [reason.partition(_NEEDS)[2] for reason in reasons if _NEEDS in reason]
    each = [f"{found.count(what)} need {what}" for what in sorted(set(found))]
    return f"NOT TESTED HERE: {'; '.join(each)}" if each else ""
