"""Paths of the files that tests use."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
EXAMPLE_PROGRAMS = EXAMPLES / "programs"
RUNTIME = ROOT / "runtime"
TRACES = ROOT.parent / "shared" / "traces"
TESTS = ROOT / "tests"
DATA = TESTS / "data"
SUPPORT = TESTS / "support"

TRACE_NAMES = sorted(path.name for path in TRACES.glob("*.tar.xz")) or ["absent"]
"""Names of tests of each shared trace; without traces, that of one skipped test."""
