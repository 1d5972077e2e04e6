"""The directory of a validation: finished runs stay, so that it can be continued.

plan.json           what is validated; another program needs another directory
trace-1/ …          traces of `latitude trace`
runs/500000ns-1/    a run: run.json, what the program printed, what the injector counted
runs/trace-1/       the same of a traced run
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.experiments.validation.plan import TRACE, Planned
from latitude.files.writing import refuse_file, write_new

_PLAN, _RUN = "plan.json", "run.json"
_RUNS = "runs"
_SCHEMA = "latitude.validation-plan/1"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is validated."""

    command: tuple[str, ...]
    folder: str
    """Where the command runs."""
    intra_node: bool
    base_ns: int
    """Latency that is added to each message of every run, traced ones too."""
    clock: str
    """Of the traces: wall or cpu."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run, or of a traced one, where ΔL is 0."""

    delta_ns: int
    repetition: int
    runtime_ns: int | None
    """From when all ranks have left MPI_Init to the last one's MPI_Finalize; None: it failed."""
    failure: str | None
    """Why, in words."""
    exit_status: int
    seconds: float
    """Of the whole command."""
    started: str
    """ISO 8601, UTC."""
    output: str
    """File with what the program printed."""


class Store:
    """Runs and traces on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def opened(cls, path: Path, subject: Subject, *, force: bool) -> "Store":
        """The directory, made or gone on with. InputError when it is another validation's."""
        refuse_file(path)
        plan = path / _PLAN
        wanted = {"schema": _SCHEMA, **asdict(subject), "command": list(subject.command)}
        store = cls(path)
        if plan.exists() and _read(plan) != wanted:
            if not force and store.begun():
                raise InputError(
                    f"{path}: holds the validation of another command or with other options; pass "
                    "--force to begin anew, or another -o"
                )
            store.clear()
        elif not plan.exists() and path.is_dir() and any(path.iterdir()):
            raise InputError(f"{path}: holds other files; give another -o")
        if not plan.exists():
            write_new(plan, json.dumps(wanted, indent=2, ensure_ascii=False) + "\n", force=True)
        return store

    def begun(self) -> bool:
        """Whether there is anything to lose."""
        return any(self.path.glob(f"{_RUNS}/*")) or any(self.path.glob(f"{TRACE}-*"))

    def clear(self) -> None:
        """Removes what it has made itself."""
        (self.path / _PLAN).unlink(missing_ok=True)
        shutil.rmtree(self.path / _RUNS, ignore_errors=True)
        for trace in self.path.glob(f"{TRACE}-*"):
            shutil.rmtree(trace, ignore_errors=True)

    def run_directory(self, name: str) -> Path:
        """Where a run's files are."""
        return self.path / _RUNS / name

    def trace_directory(self, planned: Planned) -> Path:
        """Where a trace's files are."""
        return self.path / planned.name

    def record(self, directory: Path, run: Run) -> None:
        """Keeps what came of a run; until then it has not been made."""
        text = json.dumps(asdict(run), indent=2, ensure_ascii=False) + "\n"
        write_new(directory / _RUN, text, force=True)

    def found(self, directory: Path) -> Run | None:
        """What came of a run; None when it was not made, or not finished."""
        path = directory / _RUN
        return Run(**_read(path)) if path.exists() else None

    def runs(self, planned: Sequence[Planned]) -> list[Run]:
        """Those that have been made."""
        found = (self.found(self.run_directory(each.name)) for each in planned)
        return [run for run in found if run is not None]


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}; remove it, and run again") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: is not what we wrote; remove it, and run again")
    return content
