#!/usr/bin/env python3
"""Counts what tests came to: `count-tests.py FILE.xml…`, as ctest and pytest write them.

What failed and why, of what failed alike the first; then one line for each file, and one for all. A
test of times that cannot tell counts as neither passed nor failed.
"""

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

OTHER = "skipped or cannot tell"
FAILED = {"failure", "error"}
WHY_LINES, WHY_COLUMNS = 12, 300
"""Lines and columns shown of a reason: its last lines, which name the finding and its place."""


def outcome(case: ET.Element) -> str:
    """Outcome of one test."""
    kinds = {child.tag for child in case}
    if kinds & FAILED:
        return "failed"
    return OTHER if "skipped" in kinds else "passed"


def told(name: str, counts: Counter[str], seconds: float) -> str:
    """One line."""
    return f"{name}: {in_words(counts)} in {seconds:.0f} s"


def in_words(counts: Counter[str]) -> str:
    """Numbers of passed, failed and other tests, in words."""
    words = [f"{counts[kind]} {kind}" for kind in ("passed", "failed")]
    if counts[OTHER]:
        words.append(f"{counts[OTHER]} {OTHER}")
    return ", ".join(words)


def why(case: ET.Element) -> str:
    """The reason in the report of a failed test."""
    said = next(child for child in case if child.tag in FAILED)
    lines = [line for line in (said.text or said.get("message") or "").splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("E ")] or lines
    return "\n".join(f"    {line[:WHY_COLUMNS]}" for line in told[-WHY_LINES:])


def reasons(cases: list[ET.Element]) -> list[str]:
    """Failed tests by reason: their names, and the reason."""
    alike: dict[str, list[str]] = {}
    for case in cases:
        alike.setdefault(why(case), []).append(f"{case.get('classname')}::{case.get('name')}")
    return [
        "\n".join([*(f"FAILED {name}" for name in names), said]) for said, names in alike.items()
    ]


def main(paths: list[Path]) -> None:
    """Prints all lines."""
    total: Counter[str] = Counter()
    failed: list[ET.Element] = []
    files: list[str] = []
    for path in paths:
        root = ET.parse(path).getroot()  # noqa: S314
        seconds = sum(float(suite.get("time") or 0) for suite in root.iter("testsuite"))
        cases = list(root.iter("testcase"))
        counts = Counter(map(outcome, cases))
        failed += [case for case in cases if outcome(case) == "failed"]
        files.append(told(path.stem, counts, seconds))
        total += counts
    print(*reasons(failed), *files, sep="\n")  # noqa: T201
    print(f"=== {in_words(total)} ===")  # noqa: T201


if __name__ == "__main__":
    main([Path(word) for word in sys.argv[1:]])
