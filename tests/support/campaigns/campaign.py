"""A campaign's file, its runner in a process of its own, and what it leaves.

The programs of most tests are shell scripts that write one line at their start and one at their
end, so that a lost or repeated run shows.
"""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from latitude.files.writing import whole_files
from latitude.lab.campaign import read_runs
from support.command import LATITUDE, Running, begun
from support.hanging import HANG_S


@dataclass
class Campaign:
    """`campaign.toml` in a directory; its results are in `campaign/`."""

    folder: Path
    environment: Mapping[str, str]

    @property
    def file(self) -> Path:
        return self.folder / "campaign.toml"

    @property
    def directory(self) -> Path:
        return self.folder / "campaign"

    def write(
        self,
        script: str,
        levels: Sequence[str],
        *,
        repetitions: int = 2,
        execute: str = "",
        program: str = "",
    ) -> None:
        """One program of shell words, at levels without latency that only names tell apart."""
        noted = f"echo begin >> log; {script}; echo end >> log; echo took 1.5"
        named = "".join(f'[[levels]]\nname = "{name}"\nlatency = "none"\n' for name in levels)
        self.file.write_text(
            f"[campaign]\nrepetitions = {repetitions}\n"
            f"[[programs]]\nname = \"script\"\nlaunch = ['sh', '-c', '{noted}']\n"
            f"runtime = 'took ([\\d.]+)'\nunit = \"s\"\n{program}\n"
            f"{named}[execute]\n{execute}\n"
        )

    @contextmanager
    def started(self, *options: str) -> Iterator[Running]:
        """The runner, in a session of its own as a shell makes one; ended with the block."""
        words = [*LATITUDE, "campaign", "run", str(self.file), *options]
        environment = {**os.environ, **self.environment}
        with begun(words, environment, self.folder, start_new_session=True) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)

    def run(self, *options: str) -> "subprocess.CompletedProcess[str]":
        """The runner, to its end."""
        with self.started(*options) as process:
            out, err = process.communicate(timeout=HANG_S)
        assert process.returncode is not None
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def log(self) -> Counter[str]:
        """Number of programs that began, and of programs that ended."""
        path = self.folder / "log"
        return Counter(path.read_text().split()) if path.exists() else Counter()

    def runs(self, *, failures: bool = False) -> pd.DataFrame:
        return read_runs(self.directory, failures=failures)

    def recorded(self) -> int:
        """Runs on disk."""
        return len(whole_files(self.directory / "runs", "*"))

    def claims(self) -> list[dict[str, Any]]:
        """The holders of runs now, without claims that are being written or given back."""
        found = []
        for path in whole_files(self.directory / "claims", "*"):
            with suppress(FileNotFoundError):
                found.append(json.loads(path.read_text()))
        return found

    def planned(self) -> set[str]:
        """Ids in the plan."""
        found = json.loads((self.directory / "plan.json").read_text())
        return {row["id"] for row in found["runs"]}


def until(done: Callable[[], bool], what: str) -> None:
    """Waits until it is so."""
    end = time.monotonic() + HANG_S
    while not done():
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.02)
