"""Reads a campaign's TOML file, and checks everything before the first run (docs/commands)."""

import hashlib
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from latitude.experiments.planned import MPI, WALL, Subject
from latitude.files.located import TomlFile, TomlTable
from latitude.lab.campaign.description import DASK, LOCAL, SLURM, CampaignFile, Execute
from latitude.lab.campaign.read_levels import read_levels
from latitude.units.quantities import UNITS, counted, parse_time

_TABLES = ("campaign", "programs", "levels", "execute")
_CAMPAIGN = ("name", "seed", "repetitions", "directory", "background")
_PROGRAM = (
    "name",
    "launch",
    "folder",
    "environment",
    "timeout",
    "runtime",
    "unit",
    "ranks",
)
_EXECUTE = ("how", "retries")
_OF_SLURM = ("partition", "account", "time", "nodes", "ntasks", "options")
_OF_ARRAY = ("at_once", "runs_per_task")
_OF_DASK = ("address", "workers")
_OF_HOW = {LOCAL: (), SLURM: (*_OF_SLURM, *_OF_ARRAY), DASK: _OF_DASK}
_NAME = re.compile(r"[^\s/,;\"'][^/,;\"'\n]*")
_TIMEOUT = "1h"
_REPETITIONS = 10
_MOST_RUNS = 100_000
"""Largest number of runs; planning them takes seconds, and making them takes weeks."""
_RANKS = ("-n", "-np", "-c", "--np", "--ntasks")


def read_campaign(path: Path) -> CampaignFile:
    """Reads the campaign in a file. InputErrors name file, line and key."""
    document = TomlFile(path)
    document.known(_TABLES)
    folder = path.resolve().parent
    table = document.one("campaign")
    table.known(_CAMPAIGN)
    name = _name(table, path.stem)
    seed = table.integer("seed", 1, 0)
    repetitions = table.integer("repetitions", _REPETITIONS, 1)
    directory = folder / table.text("directory", path.stem)
    background = table.flag("background")
    programs = [(_program(each, folder), each) for each in document.several("programs")]
    levels = [
        (level, each) for each in document.several("levels") for level in read_levels(each, folder)
    ]
    _once("program", [(program.name, section) for program, section in programs])
    _once("level", [(level.name, section) for level, section in levels])
    runs = len(programs) * len(levels) * repetitions
    if runs > _MOST_RUNS:
        raise table.error(
            "repetitions",
            f"{counted(len(programs), 'program')} × {counted(len(levels), 'level')} × "
            f"{counted(repetitions, 'repetition')} make {runs:,} runs; a campaign has at most "
            f"{_MOST_RUNS:,}",
        )
    return CampaignFile(
        file=path,
        sha256=hashlib.sha256(document.text.encode()).hexdigest(),
        name=name,
        seed=seed,
        repetitions=repetitions,
        directory=directory,
        background=background,
        programs=tuple(program for program, _ in programs),
        levels=tuple(level for level, _ in levels),
        execute=_execute(document.one("execute")),
    )


def _name(section: TomlTable, default: str | None = None) -> str:
    name = section.text("name", default)
    if not _NAME.fullmatch(name):
        raise section.error("name", f"'{name}': a name has no quotes, slashes, commas or line ends")
    return name


def _program(section: TomlTable, folder: Path) -> Subject:
    section.known(_PROGRAM)
    where = folder / section.text("folder", ".")
    if not where.is_dir():
        raise section.error("folder", f"{where}: no such folder")
    launch = section.words("launch", where)
    runtime = section.text("runtime", MPI)
    timeout = section.text("timeout", _TIMEOUT)
    if "timeout" in section.values:
        timeout_ns = section.checked("timeout", lambda text: parse_time(text, "timeout", "10s"))
    else:
        timeout_ns = 3600e9
    if timeout_ns <= 0:
        raise section.error("timeout", f"'{timeout}' leaves no time; write e.g. \"60s\"")
    return Subject(
        name=_name(section),
        launch=launch,
        folder=str(where.resolve()),
        environment=section.pairs("environment"),
        timeout_s=timeout_ns / 1e9,
        runtime=runtime,
        unit_ns=_unit(section, runtime),
        ranks=section.integer("ranks", 1, 1) if "ranks" in section.values else _ranks(launch),
    )


def _unit(section: TomlTable, runtime: str) -> float:
    """The unit of the number that a pattern finds, ns."""
    if runtime in (MPI, WALL):
        if "unit" in section.values:
            raise section.error("unit", f"runtime = '{runtime}' has its own; leave it out")
        return 1.0
    try:
        groups = re.compile(runtime).groups
    except re.error as error:
        raise section.error("runtime", f"no regular expression: {error}") from error
    if groups != 1:
        raise section.error(
            "runtime",
            f"'{runtime}' is neither {MPI} nor {WALL}, nor a pattern with one group in brackets, "
            r"e.g. 'Time in seconds = +([\d.]+)'",
        )
    if "unit" not in section.values:
        raise section.error(
            "runtime", f"say of what the number is with unit = one of {', '.join(UNITS)}"
        )
    return parse_time(f"1{section.choice('unit', 's', UNITS)}")


def _ranks(launch: Sequence[str]) -> int | None:
    """The number of ranks in the launch line; None if no known option gives it."""
    for option, value in pairwise(launch):
        if option in _RANKS and value.isdecimal():
            return int(value)
        if option.startswith("--ntasks=") and option[9:].isdecimal():
            return int(option[9:])
    return None


def _execute(section: TomlTable) -> Execute:
    how = section.choice("how", LOCAL, (LOCAL, SLURM, DASK))
    known = [*_EXECUTE, *_OF_HOW[how]]
    for key in section.values:
        other = next((name for name, keys in _OF_HOW.items() if key in keys), how)
        if key not in known and other != how:
            raise section.error(key, f"has no meaning with how = '{how}'; it needs how = '{other}'")
    section.known(tuple(known))
    if "address" in section.values and "workers" in section.values:
        raise section.error("address", "a scheduler that runs has its workers; leave them out")
    return Execute(
        how=how,
        retries=section.integer("retries", 1, 0),
        at_once=section.integer("workers" if how == DASK else "at_once", 1, 1),
        runs_per_task=(
            section.integer("runs_per_task", 1, 1) if "runs_per_task" in section.values else None
        ),
        options=_options(section),
        address=section.text("address") if "address" in section.values else None,
    )


def _options(section: TomlTable) -> tuple[str, ...]:
    """Options for sbatch."""
    named = [f"--{key}={section.values[key]}" for key in _OF_SLURM[:-1] if key in section.values]
    return (*named, *section.texts("options"))


def _once(what: str, named: Sequence[tuple[str, TomlTable]]) -> None:
    seen: set[str] = set()
    for name, section in named:
        if name in seen:
            raise section.error(
                None, f"two {what}s are called '{name}'; tell them apart with name = …"
            )
        seen.add(name)
