"""A test that lacks a program fails, or says so where nobody may install it."""

import pytest

from support.needed import MISSING, lacked, needed


def test_a_program_that_is_not_there_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MISSING, raising=False)
    with pytest.raises(pytest.fail.Exception, match=r"missing: no-such; run tools/need-it.sh"):
        needed("no-such", "need-it.sh")
    assert needed("sh", "need-it.sh").endswith("/sh")


def test_where_nobody_may_install_it_the_test_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MISSING, "it")
    with pytest.raises(pytest.skip.Exception, match=r"needs no-such \(tools/need-it.sh\)"):
        needed("no-such", "need-it.sh")


def test_what_was_lacking_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MISSING, "it")
    reasons = ["Skipped: of another reason"]
    for program in ("no-such", "no-other", "no-such"):
        with pytest.raises(pytest.skip.Exception) as skipped:
            needed(program, "need-it.sh")
        reasons.append(f"('test_a.py', 1, 'Skipped: {skipped.value}')")
    told = lacked(reasons)
    assert told.startswith("NOT TESTED HERE: 1 need no-other")
    assert "; 2 need no-such" in told
    assert "\n" not in told
    assert lacked(reasons[:1]) == ""
