"""Jobs among files: told by their names and first bytes, alone, in a folder or in an archive."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.files.progress import Progress
from latitude.files.reading import open_regular
from latitude.notices.notice import Notice
from latitude.trace.archive import (
    archive_files,
    archive_heads,
    head_of_file,
    is_archive,
    whole_file,
)
from latitude.trace.jobs.job import JobBuilder

if TYPE_CHECKING:  # what reads a job is imported when there is one
    from latitude.trace.jobs.kineto_file import Rank

_JSON = re.compile(r"\.json(?:\.(?:gz|xz|zst|bz2))?$")
_KINETO = re.compile(
    rb'^\s*\{.*?"(?:traceEvents|schemaVersion|deviceProperties|distributedInfo)"', re.DOTALL
)
_HEAD = 512
_JOB = re.compile(rb'^\s*\{\s*"format"\s*:\s*"latitude job"')


@dataclass(frozen=True, slots=True)
class JobRead:
    """A job, and where it came from."""

    title: str
    files: list[Path]
    job: JobBuilder
    wall_ns: float | None = None
    """How long the recorded steps took."""
    warnings: tuple[Notice, ...] = ()


def is_job_part(name: str, head: bytes) -> bool:
    """Whether a file with this name and these first bytes, decompressed, is (a rank of) a job."""
    return _JSON.search(name) is not None and (
        _JOB.search(head) is not None or _KINETO.search(head) is not None
    )


def job_parts(folder: Path) -> list[Path]:
    """The ranks' traces in a folder, by name."""
    return sorted(
        entry
        for entry in folder.iterdir()
        if entry.is_file() and _JSON.search(entry.name) and _KINETO.search(head_of_file(entry))
    )


def job_in(source: Path, progress: Progress) -> JobRead | None:
    """The job in a file, a folder or an archive; None where there is none. InputError: wrong."""
    if source.is_dir():
        parts = job_parts(source)
        progress.stage("Reading job", sum(part.stat().st_size for part in parts))
        contents: Iterator[tuple[str, bytes]] = (
            (str(part), whole_file(part, progress)) for part in parts
        )
        return _of_ranks(str(source), parts, contents)
    with open_regular(source) as file:
        packed = is_archive(file.read(_HEAD))
    head = head_of_file(source)
    if _JOB.search(head):
        progress.stage("Reading job", source.stat().st_size)
        from latitude.trace.jobs.job_file import read_job_file  # noqa: PLC0415 - see above

        content = whole_file(source, progress)
        return JobRead("job file", [source], read_job_file(str(source), content))
    if _JSON.search(source.name) and _KINETO.search(head):
        progress.stage("Reading job", source.stat().st_size)
        return _of_ranks(str(source), [source], iter([(str(source), whole_file(source, progress))]))
    if not packed:
        return None
    names = [name for name, head in archive_heads(source, progress).items() if _is_rank(name, head)]
    return _of_ranks(str(source), [source], archive_files(source, names, progress))


def _is_rank(name: str, head: bytes) -> bool:
    return _JSON.search(name) is not None and _KINETO.search(head) is not None


def _of_ranks(source: str, files: list[Path], contents: Iterator[tuple[str, bytes]]) -> JobRead:
    from latitude.trace.jobs.kineto import job_of  # noqa: PLC0415 - see above
    from latitude.trace.jobs.kineto_file import read_rank  # noqa: PLC0415

    ranks = numbered(source, [read_rank(name, content) for name, content in contents])
    try:
        made = job_of(source, ranks)
    except InputError as error:
        raise InputError(f"{source}: {error}") from error
    return JobRead("PyTorch Kineto", files, made.job, made.wall_ns, made.warnings)


def numbered(source: str, ranks: "list[Rank]") -> "list[Rank]":
    """The ranks by rising number; where no file says its own, in the order of their names."""
    if all(rank.number < 0 for rank in ranks):
        ranks = [
            replace(rank, number=number)
            for number, rank in enumerate(sorted(ranks, key=lambda rank: PurePath(rank.name).name))
        ]
    ranks = sorted(ranks, key=lambda rank: rank.number)
    if ranks[0].number < 0:
        raise InputError(
            f"{ranks[0].name}: distributedInfo.rank is missing, and other files have one; give the "
            "traces of one job"
        )
    for one, other in pairwise(ranks):
        if one.number == other.number:
            raise InputError(
                f"{source}: {PurePath(one.name).name} and {PurePath(other.name).name} are both of "
                f"rank {one.number}; give one trace of each rank"
            )
    return ranks
