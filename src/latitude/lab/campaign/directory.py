"""A campaign's directory.

    DIR/plan.json            the plan: programs, levels, runs; workers read nothing else
    DIR/tables/SHA.dist      the levels' tables
    DIR/runs/RUNID.parquet   a file per run (record)
    DIR/failed/              failed attempts that another attempt followed
    DIR/former/              runs that a changed file no longer plans
    DIR/claims/              runners of the present runs (claims)
    DIR/scratch/             files of runs in progress
    DIR/slurm/               job arrays: their runs, their output

The files on disk are the campaign's whole state.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec

from latitude._core import InputError
from latitude.distributions.table import read_table, table_text
from latitude.experiments.planned import LevelPlan, Planned, Subject
from latitude.experiments.record import run_file, run_files
from latitude.experiments.store import RunStore
from latitude.files.reading import parsing, read_bytes
from latitude.files.writing import write_new
from latitude.lab.campaign.description import CampaignFile, Execute
from latitude.lab.campaign.plan import (
    Plan,
    deciding_level,
    deciding_program,
    table_sha256,
)
from latitude.results.injection import Layer
from latitude.results.runs import OK, RunRecord

PLAN = "plan.json"
TABLES, FORMER, SCRATCH = "tables", "former", "scratch"
SCHEMA = "latitude.campaign.plan/1"
MOST_BYTES = 256 << 20
"""Largest size of a plan, bytes; a plan of 100,000 runs has 20 MB."""
_SHOWN = 4
"""Number of changes that an error message lists."""


class Directory(RunStore):
    """The directory of one campaign and its plan."""

    def __init__(self, path: Path, plan: Plan) -> None:
        super().__init__(path, plan.campaign.execute.retries)
        self.plan = plan
        self._done: set[str] = set()
        self._works: set[str] = set()
        """Programs with a successful run without latency."""

    @classmethod
    def prepared(cls, plan: Plan, *, changed: bool) -> "Directory":
        """Creates the plan's directory, or continues an existing one.

        InputError: the path is a file, or runs of the earlier plan are no longer planned. With
        `changed`, these runs move to `former` instead.
        """
        path = plan.campaign.directory
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: is a file; give another directory in [campaign]")
        before = _read(path) if (path / PLAN).exists() else None
        if before is not None:
            ids = {run.id for run in plan.runs}
            gone = [row.id for row in before.runs if row.id not in ids]
            if gone and not changed:
                raise InputError(_changed(plan, before, len(gone)))
            _retire(path, gone)
        directory = cls(path, plan)
        directory._write()
        return directory

    @classmethod
    def opened(cls, path: Path) -> "Directory":
        """Opens an existing campaign directory. InputError: the directory has no valid plan."""
        found = _read(path)
        levels = {each.name: each.level(path) for each in found.levels}
        programs = {each.name: each for each in found.programs}
        campaign = CampaignFile(
            file=Path(found.file),
            sha256=found.sha256,
            name=found.name,
            seed=found.seed,
            repetitions=found.repetitions,
            directory=path,
            background=found.background,
            programs=tuple(programs.values()),
            levels=tuple(levels.values()),
            execute=Execute(retries=found.retries),
        )
        try:
            runs = tuple(
                Planned(each.id, programs[each.program], levels[each.level], *numbers)
                for order, each in enumerate(found.runs, 1)
                for numbers in [(each.repetition, each.seed, order)]
            )
        except KeyError as error:
            raise InputError(
                f"{path / PLAN}: a run is of {error}, which is not in it; run the campaign again"
            ) from error
        return cls(path, Plan(campaign, runs))

    def pending(self) -> list[Planned]:
        """Runs to make or repeat, in order, without runs that `failing` holds back."""
        held = {each.name: self.failing(each.name) for each in self.plan.campaign.programs}
        return [run for run in self.unmade() if not _is_held(run, held[run.program.name])]

    def unmade(self) -> list[Planned]:
        """Runs that are not done, including runs that `failing` holds back."""
        there = {path.stem for path in run_files(self.path)}
        for run_id in there - self._done:
            if self.next_attempt(run_id) is None:
                self._done.add(run_id)
        return [run for run in self.plan.runs if run.id not in self._done]

    def failing(self, program: str) -> RunRecord | None:
        """A program's failed run without latency; None if a run without latency has succeeded.

        The program's other runs wait until a later attempt of the failed run succeeds.
        """
        if program in self._works:
            return None
        runs = (run for run in self.plan.runs if run.program.name == program and run.level.at_rest)
        records = [record for run in runs if (record := self.recorded(run.id)) is not None]
        if any(record.status == OK for record in records):
            self._works.add(program)
            return None
        return records[0] if records else None

    def is_held(self, run: Planned) -> bool:
        """Whether a run is held back because its program fails without latency."""
        return _is_held(run, self.failing(run.program.name))

    def scratch(self, run_id: str) -> Path:
        """An empty folder for the files of an attempt, which all nodes of the run must see."""
        folder = self.path / SCRATCH / run_id
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def _write(self) -> None:
        campaign = self.plan.campaign
        for level in campaign.levels:
            if level.table is not None:
                path = _table_path(self.path, table_sha256(level.table))
                if not path.exists():
                    write_new(path, table_text(level.table), force=True)
        document = _PlanFile(
            schema=SCHEMA,
            file=str(campaign.file.resolve()),
            sha256=campaign.sha256,
            name=campaign.name,
            seed=campaign.seed,
            repetitions=campaign.repetitions,
            background=campaign.background,
            retries=campaign.execute.retries,
            programs=list(campaign.programs),
            levels=[_PlannedLevel.of(level) for level in campaign.levels],
            runs=[
                _PlannedRun(run.id, run.program.name, run.level.name, run.repetition, run.seed)
                for run in self.plan.runs
            ],
        )
        text = json.dumps(msgspec.to_builtins(document), indent=1, ensure_ascii=False) + "\n"
        write_new(self.path / PLAN, text, force=True)


def _is_held(run: Planned, failing: RunRecord | None) -> bool:
    return failing is not None and failing.run_id != run.id


class _PlannedLevel(msgspec.Struct):
    """A level in plan.json, whose table is a separate file."""

    name: str
    kind: str
    family: str | None
    layer: Layer | None
    latency: str | None
    table: str | None
    mean_ns: float
    sd_ns: float
    load: float | None
    generator: tuple[str, ...]
    intra_node: bool

    @classmethod
    def of(cls, level: LevelPlan) -> "_PlannedLevel":
        table = None if level.table is None else table_sha256(level.table)
        return cls(**{**asdict(replace(level, table=None)), "table": table})

    def level(self, directory: Path) -> LevelPlan:
        table = None if self.table is None else read_table(_table_path(directory, self.table))
        return LevelPlan(**{**msgspec.structs.asdict(self), "table": table})


class _PlannedRun(msgspec.Struct):
    id: str
    program: str
    level: str
    repetition: int
    seed: int


class _PlanFile(msgspec.Struct):
    """The content of plan.json."""

    schema: str
    file: str
    sha256: str
    name: str
    seed: int
    repetitions: int
    background: bool
    retries: int
    programs: list[Subject]
    levels: list[_PlannedLevel]
    runs: list[_PlannedRun]


def _table_path(directory: Path, sha256: str) -> Path:
    return directory / TABLES / f"{sha256[:16]}.dist"


def _read(path: Path) -> _PlanFile:
    file = path / PLAN
    content = read_bytes(file, MOST_BYTES)
    with parsing(str(file), "not a campaign's plan"):
        found = msgspec.json.decode(content, type=_PlanFile)
    if found.schema != SCHEMA:
        raise InputError(f"{file}: not a campaign's plan ({SCHEMA})")
    return found


def _retire(path: Path, ids: list[str]) -> None:
    for run_id in ids:
        for found in (run_file(path, run_id), *sorted((path / "failed").glob(f"{run_id}-*"))):
            if found.exists():
                (path / FORMER).mkdir(exist_ok=True)
                found.rename(path / FORMER / found.name)


def _changed(plan: Plan, before: _PlanFile, runs: int) -> str:
    changes = list(_changes(plan.campaign, before))
    shown = "; ".join(changes[:_SHOWN])
    more = f"; and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else ""
    return (
        f"{plan.campaign.file}: {runs:,} runs of {plan.campaign.directory} are no longer planned: "
        f"{shown}{more}; change it back, name another directory, or pass --changed, which moves "
        f"these runs to {plan.campaign.directory / FORMER}"
    )


def _changes(campaign: CampaignFile, before: _PlanFile) -> Iterator[str]:
    if before.seed != campaign.seed:
        yield f"seed was {before.seed}, is {campaign.seed}"
    if before.repetitions > campaign.repetitions:
        yield f"repetitions was {before.repetitions}, is {campaign.repetitions}"
    folder = str(Path(before.file).parent)
    programs = {each.name: deciding_program(each, folder) for each in before.programs}
    here = str(campaign.file.resolve().parent)
    yield from _differences(
        "program", programs, {each.name: deciding_program(each, here) for each in campaign.programs}
    )
    levels = {each.name: msgspec.to_builtins(each) for each in before.levels}
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
