"""Timing, and the table that `make bench` prints."""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from latitude._core import vector_unit

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.paths import TESTS
from support.peak import peak_bytes  # noqa: F401 - for the cases and what they start

_MOST_RUNS = 1000


@dataclass
class Figure:
    """One line of the table. `samples` are kept raw; `value` is their median."""

    case: str
    what: str
    value: float
    unit: str
    target: str = ""
    met: bool | None = None
    note: str = ""
    samples: list[float] = field(default_factory=list)


class Report:
    """Collects figures, printing each as it comes."""

    def __init__(self) -> None:
        self.figures: list[Figure] = []
        self._case = ""

    def add(
        self,
        case: str,
        what: str,
        value: float,
        unit: str,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        note: str = "",
        samples: list[float] | None = None,
    ) -> None:
        """A figure; `at_least` or `at_most` is the bar that it should pass."""
        target, met = "", None
        if at_least is not None:
            target, met = f"≥ {at_least:g}", value >= at_least
        elif at_most is not None:
            target, met = f"≤ {at_most:g}", value <= at_most
        figure = Figure(case, what, value, unit, target, met, note, samples or [value])
        self.figures.append(figure)
        if case != self._case:
            print(f"\n{case}", flush=True)
            self._case = case
        verdict = {None: "", True: "met", False: "MISSED"}[met]
        print(
            f"  {what:<58}{_short(value):>10} {unit:<13}{target:>8} {verdict:<7}{note}", flush=True
        )

    def say(self, case: str, text: str) -> None:
        """A line without a figure."""
        if case != self._case:
            print(f"\n{case}", flush=True)
            self._case = case
        print(f"  {text}", flush=True)

    def write(self, path: Path) -> None:
        """All figures with the machine they were measured on."""
        document = {
            "schema": "latitude.benchmarks/1",
            "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "machine": machine(),
            "figures": [asdict(figure) for figure in self.figures],
        }
        path.write_text(json.dumps(document, indent=1) + "\n")
        print(f"\nwrote {path}")


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) > 999 else f"{value:.3g}"


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        model = next((x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")), "")
    return {
        "cpu": model or platform.processor(),
        "cores": os.cpu_count(),
        "vector_unit": vector_unit(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
    }


def seconds(
    call: Callable[[], object],
    runs: int,
    at_least_s: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Wall times of `runs` calls, and of more until `at_least_s` have passed."""
    samples: list[float] = []
    while len(samples) < runs or (sum(samples) < at_least_s and len(samples) < _MOST_RUNS):
        begin = clock()
        call()
        samples.append(clock() - begin)
    return samples


def processor_seconds(
    call: Callable[[], object], runs: int, at_least_s: float = 0.0
) -> list[float]:
    """The same in processor time of this thread, which a busy machine changes least."""
    return seconds(call, runs, at_least_s, time.thread_time)


def median(samples: list[float]) -> float:
    """The figure reported."""
    return statistics.median(samples)


@dataclass(frozen=True)
class Finished:
    """A process that has ended."""

    wall: float
    user: float
    system: float
    output: str

    @property
    def cpu(self) -> float:
        """What a busy machine changes least."""
        return self.user + self.system


def run(command: list[str], cwd: Path | None = None) -> Finished:
    """Runs a whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return Finished(wall, user, system, done.stdout)


def analyze(trace: Path, page: Path, *options: str) -> tuple[Finished, int]:
    """A process of `latitude analyze`, from the trace to its page, and its peak in bytes."""
    command = [sys.executable, "-m", "support.peak", "latitude", "analyze", str(trace.resolve())]
    done = run([*command, "-o", str(page.resolve()), "--force", *options], cwd=TESTS)
    return done, int(done.output.splitlines()[-1])
