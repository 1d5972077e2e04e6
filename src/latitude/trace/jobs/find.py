"""Finds jobs among files, in a folder or in an archive, by names and first bytes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar

from latitude._core import InputError
from latitude.files.progress import Progress
from latitude.files.reading import open_regular
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.trace.archive import (
    archive_files,
    archive_heads,
    compression,
    head_of_file,
    is_archive,
    unpacked,
    whole_file,
)
from latitude.trace.jobs.job import JobBuilder, MadeJob
from latitude.units.quantities import counted

if TYPE_CHECKING:  # the reader of jobs is imported only for a job
    from latitude.trace.jobs.chakra import ChakraRank
    from latitude.trace.jobs.execution_trace import ExecutionTrace
    from latitude.trace.jobs.kineto_file import Rank

_HEAD = 512
_JOB = re.compile(rb'^\s*\{\s*"format"\s*:\s*"latitude job"')
_JSON = re.compile(r"\.json(?:\.(?:gz|xz|zst|bz2))?$")
_SET = re.compile(r"\d+(\.et(?:\.(?:gz|xz|zst|bz2))?)$")
"""The part in which names of one job's files differ."""
_Ranked = TypeVar("_Ranked", "Rank", "ChakraRank")
_Files = Iterator[tuple[str, bytes]]
"""Pairs of name and content."""


@dataclass(frozen=True, slots=True)
class JobRead:
    """A job, and its origin."""

    title: str
    files: list[Path]
    job: JobBuilder
    wall_ns: float | None = None
    """Duration of the recorded steps, ns."""
    warnings: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class _Form:
    """A format with one file per rank."""

    title: str
    name: re.Pattern[str]
    """Pattern of the end of a file's name."""
    begin: re.Pattern[bytes]
    """Pattern of a rank's file's first bytes, decompressed."""
    beside: re.Pattern[bytes]
    """Pattern of the first bytes of JSON files with further facts about the ranks."""
    job: Callable[[str, _Files, set[str]], MadeJob]
    """Function that makes the job from files; the names tell which of them are ranks."""

    def is_rank(self, name: str, head: bytes) -> bool:
        """Whether a file with this name and these first bytes is a rank's."""
        return self.name.search(name) is not None and self.begin.search(head) is not None

    def is_beside(self, name: str, head: bytes) -> bool:
        """Whether a file with these first bytes has further facts about the ranks."""
        return _JSON.search(name) is not None and self.beside.search(head) is not None


def _of_kineto(source: str, files: _Files, ranks: set[str]) -> MadeJob:
    from latitude.trace.jobs.execution_trace import (  # noqa: PLC0415 - see above
        paired,
        read_execution_trace,
    )
    from latitude.trace.jobs.kineto import job_of  # noqa: PLC0415
    from latitude.trace.jobs.kineto_file import read_rank  # noqa: PLC0415

    found: list[Rank] = []
    traces: list[ExecutionTrace] = []
    for name, content in files:
        if name in ranks:
            found.append(read_rank(name, content))
        else:
            traces.append(read_execution_trace(name, content))
    ordered = numbered(source, found)
    strange = paired(ordered, traces)
    made = job_of(source, ordered)
    if not strange:
        return made
    said = kinds.JOB_STRANGE_TRACE(
        f"{counted(len(strange), 'execution trace')} belong to no rank here, the first one: "
        f"{PurePath(strange[0].name).name}"
    )
    return MadeJob(made.job, made.wall_ns, (*made.warnings, said))


def _of_chakra(source: str, files: _Files, ranks: set[str]) -> MadeJob:
    from latitude.trace.jobs.chakra import (  # noqa: PLC0415 - see above
        chakra_job,
        read_chakra_rank,
        read_groups,
    )

    found: list[ChakraRank] = []
    groups: dict[str, tuple[int, ...]] = {}
    for name, content in files:
        if name not in ranks:
            groups |= read_groups(name, content)
        elif compression(content[:8]):
            found.append(read_chakra_rank(name, unpacked(name, content)))
        else:
            found.append(read_chakra_rank(name, content))
    return chakra_job(source, numbered(source, found), groups)


_FORMS = (
    _Form(
        "PyTorch Kineto",
        _JSON,
        re.compile(
            rb'^\s*\{.*?"(?:traceEvents|schemaVersion|deviceProperties|distributedInfo)"'
            rb'|^\s*\[\s*\{[^{}]*"ph"\s*:',  # the format of a PyTorch without Kineto
            re.DOTALL,
        ),
        re.compile(rb'^\s*\{\s*"schema"\s*:\s*"'),
        _of_kineto,
    ),
    _Form(
        "Chakra",
        re.compile(r"\.et(?:\.(?:gz|xz|zst|bz2))?$"),
        re.compile(rb"^[^{]"),
        re.compile(rb'^\s*\{\s*"[^"]*"\s*:\s*\[\s*\d'),
        _of_chakra,
    ),
)


def is_job_part(name: str, head: bytes) -> bool:
    """Whether a file with this name and these first bytes, decompressed, is (a rank of) a job."""
    return any(form.is_rank(name, head) for form in _FORMS) or _is_job_file(name, head)


def _is_job_file(name: str, head: bytes) -> bool:
    return _JSON.search(name) is not None and _JOB.search(head) is not None


def holds_job(folder: Path) -> bool:
    """Whether a folder has the files of a job's ranks."""
    return bool(_chosen(_heads(folder))[1])


def job_in(source: Path, progress: Progress) -> JobRead | None:
    """The job in a file, a folder or an archive; None without a job.

    InputError: the job is invalid.
    """
    if source.is_dir():
        return _of_folder(source, _heads(source), progress, source)
    with open_regular(source) as file:
        packed = is_archive(file.read(_HEAD))
    head = head_of_file(source)
    if _JOB.search(head):
        progress.stage("Reading job", source.stat().st_size)
        from latitude.trace.jobs.job_file import read_job_file  # noqa: PLC0415 - see above

        content = whole_file(source, progress)
        return JobRead("job file", [source], read_job_file(str(source), content))
    if is_job_part(source.name, head):
        heads = {source.name: head}
        if (found := _SET.search(source.name)) is not None:
            own = re.compile(re.escape(source.name[: found.start()]) + r"\d+" + found[1] + "$")
            others = _heads(source.parent).items()
            heads |= {name: each for name, each in others if own.match(name) or _JSON.search(name)}
        return _of_folder(source.parent, heads, progress, source)
    if not packed:
        return None
    form, ranks, names = _chosen(archive_heads(source, progress))
    return _of_ranks(form, str(source), [source], archive_files(source, names, progress), ranks)


def _heads(folder: Path) -> dict[str, bytes]:
    """Name → first bytes of the files in a folder that may belong to a job."""
    names = [_JSON, *(form.name for form in _FORMS)]
    return {
        entry.name: head_of_file(entry)
        for entry in sorted(folder.iterdir())
        if any(name.search(entry.name) for name in names) and entry.is_file()
    }


def _chosen(heads: Mapping[str, bytes]) -> tuple[_Form, set[str], list[str]]:
    """The first format with ranks among the files, the ranks' names, and all names it reads."""
    for form in _FORMS:
        ranks = {name for name, head in heads.items() if form.is_rank(name, head)}
        if ranks:
            beside = [name for name, head in heads.items() if form.is_beside(name, head)]
            return form, ranks, [*ranks, *(name for name in beside if name not in ranks)]
    return _FORMS[0], set(), []


def _of_folder(
    folder: Path, heads: Mapping[str, bytes], progress: Progress, source: Path
) -> JobRead:
    form, ranks, names = _chosen(heads)
    paths = sorted(folder / name for name in names)
    progress.stage("Reading job", sum(path.stat().st_size for path in paths))
    files = ((str(path), whole_file(path, progress)) for path in paths)
    return _of_ranks(form, str(source), paths, files, {str(folder / name) for name in ranks})


def _of_ranks(
    form: _Form, source: str, paths: list[Path], files: _Files, ranks: set[str]
) -> JobRead:
    try:
        made = form.job(source, files, ranks)
    except InputError as error:
        text = str(error)
        raise InputError(text if source in text else f"{source}: {text}") from error
    return JobRead(form.title, paths, made.job, made.wall_ns, made.warnings)


def numbered(source: str, ranks: Sequence[_Ranked]) -> list[_Ranked]:
    """The ranks by rising number; if no file states its number, in the order of names."""
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
