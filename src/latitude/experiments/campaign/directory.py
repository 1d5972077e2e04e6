"""A campaign's directory.

    DIR/plan.json            what is planned: programs, levels, runs; workers read nothing else
    DIR/tables/SHA.dist      the levels' tables
    DIR/runs/RUNID.parquet   a file a run (record)
    DIR/failed/              failed attempts that were followed by another one
    DIR/former/              runs that a changed file no longer plans
    DIR/claims/              who does which run now (claims)
    DIR/scratch/             what a run that goes on writes
    DIR/slurm/               job arrays: their runs, their output

What is on disk is the campaign's whole state.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.distributions.table import read_table, table_text
from latitude.experiments.campaign.description import Campaign, Execute, Level, Program
from latitude.experiments.campaign.plan import (
    Plan,
    Planned,
    deciding_level,
    deciding_program,
    table_sha256,
)
from latitude.experiments.campaign.record import OK, RUNS, Run, failure_file, read_run, run_file
from latitude.files.writing import write_new

PLAN = "plan.json"
TABLES, FORMER, SCRATCH = "tables", "former", "scratch"
SCHEMA = "latitude.campaign.plan/1"
_SHOWN = 4
"""Changes that a complaint lists."""


class Directory:
    """The directory of one campaign and the plan in it."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan
        self._done: set[str] = set()

    @classmethod
    def prepared(cls, plan: Plan, *, changed: bool) -> "Directory":
        """The plan's directory, made or gone on with.

        InputError when what was planned there before is planned no longer, unless `changed`: then
        these runs move to `former`.
        """
        path = plan.campaign.directory
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: is a file; give another directory in [campaign]")
        before = _read(path) if (path / PLAN).exists() else None
        if before is not None:
            ids = {run.id for run in plan.runs}
            gone = [row["id"] for row in before["runs"] if row["id"] not in ids]
            if gone and not changed:
                raise InputError(_changed(plan, before, len(gone)))
            _retire(path, gone)
        directory = cls(path, plan)
        directory._write()
        return directory

    @classmethod
    def opened(cls, path: Path) -> "Directory":
        """As a worker sees it. InputError when there is no plan in it."""
        found = _read(path)
        levels = {each["name"]: _level(path, each) for each in found["levels"]}
        programs = {each["name"]: _program(each) for each in found["programs"]}
        campaign = Campaign(
            file=Path(found["file"]),
            sha256=found["sha256"],
            name=found["name"],
            seed=found["seed"],
            repetitions=found["repetitions"],
            directory=path,
            background=found["background"],
            programs=tuple(programs.values()),
            levels=tuple(levels.values()),
            execute=Execute(retries=found["retries"]),
        )
        runs = tuple(
            Planned(
                id=row["id"],
                program=programs[row["program"]],
                level=levels[row["level"]],
                repetition=row["repetition"],
                seed=row["seed"],
                order=order,
            )
            for order, row in enumerate(found["runs"], 1)
        )
        return cls(path, Plan(campaign, runs))

    def recorded(self, run_id: str) -> Run | None:
        """The last attempt of a run; None when there is none, or another one goes on."""
        path = run_file(self.path, run_id)
        return read_run(path)[0] if path.exists() else None

    def pending(self) -> list[Planned]:
        """Runs to be made, or made again, in order."""
        there = {path.stem for path in (self.path / RUNS).glob("*.parquet")}
        for run_id in there - self._done:
            if self.next_attempt(run_id) is None:
                self._done.add(run_id)
        return [run for run in self.plan.runs if run.id not in self._done]

    def next_attempt(self, run_id: str) -> int | None:
        """Which attempt of a run comes next; None when it is done."""
        last = self.recorded(run_id)
        if last is None:
            return 1 + self._failures(run_id)
        again = last.status != OK and last.attempt <= self.plan.campaign.execute.retries
        return last.attempt + 1 if again else None

    def set_aside(self, run_id: str, attempt: int) -> None:
        """Moves the failed attempt before this one out of the way."""
        with suppress(FileNotFoundError):
            target = failure_file(self.path, run_id, attempt - 1)
            target.parent.mkdir(exist_ok=True)
            if not target.exists():
                run_file(self.path, run_id).rename(target)

    def scratch(self, run_id: str) -> Path:
        """An empty folder for the files of an attempt, which all its nodes see."""
        folder = self.path / SCRATCH / run_id
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def _failures(self, run_id: str) -> int:
        attempt = 0
        while failure_file(self.path, run_id, attempt + 1).exists():
            attempt += 1
        return attempt

    def _write(self) -> None:
        campaign = self.plan.campaign
        for level in campaign.levels:
            if level.table is not None:
                path = _table_path(self.path, table_sha256(level.table))
                if not path.exists():
                    write_new(path, table_text(level.table), force=True)
        document = {
            "schema": SCHEMA,
            "file": str(campaign.file.resolve()),
            "sha256": campaign.sha256,
            "name": campaign.name,
            "seed": campaign.seed,
            "repetitions": campaign.repetitions,
            "background": campaign.background,
            "retries": campaign.execute.retries,
            "programs": [asdict(program) for program in campaign.programs],
            "levels": [_flat(level) for level in campaign.levels],
            "runs": [
                {
                    "id": run.id,
                    "program": run.program.name,
                    "level": run.level.name,
                    "repetition": run.repetition,
                    "seed": run.seed,
                }
                for run in self.plan.runs
            ],
        }
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        write_new(self.path / PLAN, text, force=True)


def _flat(level: Level) -> dict[str, Any]:
    table = None if level.table is None else table_sha256(level.table)
    return {**asdict(replace(level, table=None)), "table": table}


def _level(directory: Path, found: Mapping[str, Any]) -> Level:
    sha = found["table"]
    table = None if sha is None else read_table(_table_path(directory, sha))
    return Level(**{**found, "table": table, "generator": tuple(found["generator"])})


def _program(found: Mapping[str, Any]) -> Program:
    return Program(**{**found, "launch": tuple(found["launch"])})


def _table_path(directory: Path, sha256: str) -> Path:
    return directory / TABLES / f"{sha256[:16]}.dist"


def _read(path: Path) -> dict[str, Any]:
    file = path / PLAN
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{file}: not a campaign's plan: {error}") from error
    if found.get("schema") != SCHEMA:
        raise InputError(f"{file}: not a campaign's plan ({SCHEMA})")
    return found


def _retire(path: Path, ids: list[str]) -> None:
    for run_id in ids:
        for found in (run_file(path, run_id), *sorted((path / "failed").glob(f"{run_id}-*"))):
            if found.exists():
                (path / FORMER).mkdir(exist_ok=True)
                found.rename(path / FORMER / found.name)


def _changed(plan: Plan, before: Mapping[str, Any], runs: int) -> str:
    changes = list(_changes(plan.campaign, before))
    shown = "; ".join(changes[:_SHOWN])
    more = f"; and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else ""
    return (
        f"{plan.campaign.file}: {runs:,} runs of {plan.campaign.directory} are no longer planned: "
        f"{shown}{more}; change it back, name another directory, or pass --changed, which moves "
        f"these runs to {plan.campaign.directory / FORMER}"
    )


def _changes(campaign: Campaign, before: Mapping[str, Any]) -> Iterator[str]:
    for key, now in (("seed", campaign.seed), ("repetitions", campaign.repetitions)):
        if before[key] != now and (key == "seed" or now < before[key]):
            yield f"{key} was {before[key]}, is {now}"
    programs = {
        each["name"]: deciding_program(_program(each), str(Path(before["file"]).parent))
        for each in before["programs"]
    }
    here = str(campaign.file.resolve().parent)
    yield from _differences(
        "program", programs, {each.name: deciding_program(each, here) for each in campaign.programs}
    )
    levels = {each["name"]: {**each} for each in before["levels"]}
    now_levels = {each.name: deciding_level(each) for each in campaign.levels}
    yield from _differences("level", levels, now_levels)


def _differences(
    what: str, before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    for name, old in before.items():
        if name not in now:
            yield f"{what} '{name}' is gone"
            continue
        for key, value in now[name].items():
            if old.get(key) != value:
                yield f"{what} '{name}': {key} was {_short(old.get(key))}, is {_short(value)}"
                break


def _short(value: Any) -> str:
    text = " ".join(value) if isinstance(value, list) else str(value)
    most = 40
    return f"'{text}'" if len(text) <= most else f"'{text[:most]}…'"
