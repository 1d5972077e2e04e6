#!/usr/bin/env python3
"""Counts what tests came to: `count-tests.py FILE.xml…`, as ctest and pytest write them.

One line for each file, and one for all. A test of times that cannot tell counts as neither passed
nor failed.
"""

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

OTHER = "skipped or cannot tell"


def outcome(case: ET.Element) -> str:
    """What came of one test."""
    kinds = {child.tag for child in case}
    if kinds & {"failure", "error"}:
        return "failed"
    return OTHER if "skipped" in kinds else "passed"


def told(name: str, counts: Counter[str], seconds: float) -> str:
    """One line."""
    return f"{name}: {in_words(counts)} in {seconds:.0f} s"


def in_words(counts: Counter[str]) -> str:
    """How many passed and failed, and others where there are any."""
    words = [f"{counts[kind]} {kind}" for kind in ("passed", "failed")]
    if counts[OTHER]:
        words.append(f"{counts[OTHER]} {OTHER}")
    return ", ".join(words)


def main(paths: list[Path]) -> None:
    """Prints all lines."""
    total: Counter[str] = Counter()
    for path in paths:
        suites = ET.parse(path).getroot().iter("testsuite")  # noqa: S314
        counts: Counter[str] = Counter()
        seconds = 0.0
        for suite in suites:
            seconds += float(suite.get("time") or 0)
            counts.update(outcome(case) for case in suite.iter("testcase"))
        print(told(path.stem, counts, seconds))  # noqa: T201
        total += counts
    print(f"=== {in_words(total)} ===")  # noqa: T201


if __name__ == "__main__":
    main([Path(word) for word in sys.argv[1:]])
