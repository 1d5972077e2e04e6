"""Every shared trace: no call dropped, finite and sane results."""

import math
import re
from pathlib import Path

import pytest

import latitude
from support.paths import TRACE_NAMES
from support.sections import known

pytestmark = pytest.mark.traces


def published_histograms(readme: Path) -> dict[str, dict[str, int]]:
    """Archive name → call → count, from the table in the shared README."""
    found: dict[str, dict[str, int]] = {}
    for line in readme.read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"- `([\w.-]+)`: (.+)", line)
        if match:
            pairs = re.findall(r"(\w+) ([\d,]*\d)", match[2])
            found[match[1]] = {name: int(count.replace(",", "")) for name, count in pairs}
    return found


def test_the_readme_lists_every_trace(traces: Path) -> None:
    published = published_histograms(traces / "README.md")
    assert sorted(f"{name}.tar.xz" for name in published) == TRACE_NAMES
    assert published["npb-ep.S-8"] == {
        "Allreduce": 32,
        "Wtime": 16,
        "Init": 8,
        "Comm_rank": 8,
        "Comm_size": 8,
        "Bcast": 8,
        "Barrier": 8,
        "Finalize": 8,
    }


@pytest.mark.parametrize("name", TRACE_NAMES)
def test_no_call_is_dropped(traces: Path, name: str) -> None:
    published = published_histograms(traces / "README.md")[name.removesuffix(".tar.xz")]
    program = latitude.load(traces / name)
    calls = {call.removeprefix("MPI_"): count for call, count in program.trace.calls.items()}
    assert calls == published
    assert sum(published.values()) == program.trace.events
    result = latitude.analyze(program)
    base = result.baseline
    assert 0 < base.T_ns < 1e11
    assert 0 <= known(base.rho_L) <= 1
    assert known(base.lambda_L) > 0
    assert all(t.delta > 0 and math.isfinite(t.delta) for t in result.tolerance)
    degradations = [t.delta for t in result.tolerance]
    assert degradations == sorted(degradations)
