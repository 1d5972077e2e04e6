"""What a campaign has so far."""

from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from latitude.experiments.campaign.directory import Directory
from latitude.experiments.campaign.record import OK, Run, read_run, run_files
from latitude.files.provenance import stamped

SCHEMA = "latitude.campaign.summary/1"


@dataclass(frozen=True, slots=True)
class Part:
    """Runs of one program at one level."""

    program: str
    level: str
    planned: int
    ok: int
    failed: int
    """Failed, too long, or not tried again."""
    median_ns: float | None
    """Of the runtimes of those that are ok."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All of it."""

    name: str
    directory: str
    planned: int
    ok: int
    failed: int
    pending: int
    failures: tuple[Run, ...]
    """Every failed attempt, in the order they were started."""
    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()


def summary(directory: Directory) -> Summary:
    """From what is on disk."""
    planned = directory.plan.by_id()
    attempts = [read_run(path)[0] for path in run_files(directory.path, failures=True)]
    attempts = sorted((run for run in attempts if run.run_id in planned), key=lambda r: r.started)
    ok = {run.run_id for run in attempts if run.status == OK}
    pending = {run.id for run in directory.pending()}
    return Summary(
        name=directory.plan.campaign.name,
        directory=str(directory.path),
        planned=len(planned),
        ok=len(ok),
        failed=len(planned) - len(ok) - len(pending),
        pending=len(pending),
        failures=tuple(run for run in attempts if run.status != OK),
        parts=tuple(_parts(directory, attempts, ok, pending)),
    )


def _parts(
    directory: Directory, attempts: list[Run], ok: set[str], pending: set[str]
) -> list[Part]:
    runtimes: dict[tuple[str, str], list[float]] = {}
    for run in attempts:
        if run.runtime_ns is not None:
            runtimes.setdefault((run.program, run.level), []).append(run.runtime_ns)
    ids: dict[tuple[str, str], list[str]] = {}
    for each in directory.plan.runs:
        ids.setdefault((each.program.name, each.level.name), []).append(each.id)
    campaign = directory.plan.campaign
    keys = [(p.name, level.name) for p in campaign.programs for level in campaign.levels]
    return [
        Part(
            program=key[0],
            level=key[1],
            planned=len(ids[key]),
            ok=sum(run_id in ok for run_id in ids[key]),
            failed=sum(run_id not in ok and run_id not in pending for run_id in ids[key]),
            median_ns=median(runtimes[key]) if key in runtimes else None,
        )
        for key in keys
    ]


def described(found: Summary) -> dict[str, Any]:
    """As JSON has it."""
    return stamped(SCHEMA, asdict(found))
