"""The benchmarks are run by hand: that they can still be started is seen here."""

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def test_benchmarks_find_all_that_they_import() -> None:
    names = sorted(path.stem for path in BENCHMARKS.glob("*.py"))
    assert "run" in names
    done = subprocess.run(
        [sys.executable, "-c", f"import {', '.join(names)}"],
        cwd=BENCHMARKS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
