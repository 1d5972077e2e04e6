"""Attempts of runs on disk, which are the whole state of a campaign or a validation.

`DIR/runs/ID.parquet` is the last attempt of a run (`experiments.record`). `DIR/failed` has failed
attempts that another attempt followed.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

from latitude.experiments.record import failure_file, read_run, run_file
from latitude.results.runs import OK, RunRecord


class RunStore:
    """The runs in one directory."""

    def __init__(self, path: Path, retries: int | None) -> None:
        self.path = path
        self._retries = retries
        """Number of attempts after a failure; None means one more attempt on every request."""

    def recorded(self, run_id: str) -> RunRecord | None:
        """The last attempt of a run; None without one, or while another attempt is running."""
        path = run_file(self.path, run_id)
        return read_run(path)[0] if path.exists() else None

    def told(self, run_id: str) -> dict[str, Any]:
        """The provenance of a run's last attempt; empty without an attempt."""
        path = run_file(self.path, run_id)
        return read_run(path)[1] if path.exists() else {}

    def next_attempt(self, run_id: str) -> int | None:
        """The number of a run's next attempt; None if the run is done."""
        last = self.recorded(run_id)
        if last is None:
            return 1 + self._failures(run_id)
        again = self._retries is None or last.attempt <= self._retries
        return last.attempt + 1 if last.status != OK and again else None

    def set_aside(self, run_id: str, attempt: int) -> None:
        """Moves the previous failed attempt to `DIR/failed`."""
        with suppress(FileNotFoundError):
            target = failure_file(self.path, run_id, attempt - 1)
            target.parent.mkdir(exist_ok=True)
            if not target.exists():
                run_file(self.path, run_id).rename(target)

    def _failures(self, run_id: str) -> int:
        attempt = 0
        while failure_file(self.path, run_id, attempt + 1).exists():
            attempt += 1
        return attempt
