"""Job files, `*.job.json`, in which any script can describe a job."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

import msgspec

from latitude._core import InputError
from latitude.trace.jobs.job import DAMAGED, RECORDED, JobBuilder


class _Collective(msgspec.Struct, forbid_unknown_fields=True):
    group: str
    sequence: int
    kind: str
    bytes: int = 0
    trips: int = 1
    algorithm: str = RECORDED[0]


class _Operation(msgspec.Struct, forbid_unknown_fields=True):
    rank: int
    ns: int
    on: str | None = None
    after: list[int] = []
    name: str = ""
    collective: _Collective | None = None


class _JobFile(msgspec.Struct, forbid_unknown_fields=True):
    format: Literal["latitude job"]
    version: Literal[1]
    ranks: int
    operations: list[_Operation]
    groups: dict[str, list[int]] = {}


def read_job_file(name: str, content: bytes) -> JobBuilder:
    """The job in a file. InputError names the file and the operation."""
    try:
        file = msgspec.json.decode(content, type=_JobFile)
    except DAMAGED as error:
        raise InputError(f"{name}: {error}; docs/reference/jobs.md describes the format") from error
    try:
        job = JobBuilder(file.ranks)
        groups = {name: job.group(ranks, name) for name, ranks in file.groups.items()}
        for number, each in enumerate(file.operations):
            with _at(number):
                job.part = each.name
                job.operation(each.rank, each.on, each.ns)
        for number, each in enumerate(file.operations):
            with _at(number):
                for before in each.after:
                    job.depends(number, before)
                if each.collective is not None:
                    _join(job, groups, number, each.collective)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    count, what = job.lacking()
    if count:
        raise InputError(f"{name}: {what}")
    return job


@contextmanager
def _at(number: int) -> Iterator[None]:
    """Adds the operation's number to errors."""
    try:
        yield
    except InputError as error:
        raise InputError(f"operation {number}: {error}") from error


def _join(job: JobBuilder, groups: Mapping[str, int], number: int, part: _Collective) -> None:
    if part.group not in groups:
        raise InputError(f"unknown group '{part.group}'")
    job.member(
        number,
        groups[part.group],
        part.sequence,
        part.kind,
        part.bytes,
        part.trips,
        part.algorithm,
    )
