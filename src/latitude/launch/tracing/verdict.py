"""Problems of a trace, as sentences with the remedy."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from latitude.launch.tracing.last_calls import last_calls
from latitude.trace.recorded_run import RankFile
from latitude.units.quantities import counted

_FULL_BYTES = 1 << 20
"""Least free space, bytes; with less, a chunk does not fit."""
_SHOWN = 6


def problems(files: Sequence[RankFile], directory: Path) -> Iterator[str]:
    """Sentences about parts that are missing from a trace of at least one rank."""
    yield from _absent(files)
    if len({file.run for file in files}) > 1:
        yield "the files are of several runs; use another -o for each"
    yield from _cut(files, directory)
    for ending, words in (("exit", "exited without MPI_Finalize"), ("abort", "called MPI_Abort")):
        those = [file.rank for file in files if file.ending == ending]
        if those:
            yield f"{_ranks(those)} {words}"
    yield from _crowded(files)


def _cut(files: Sequence[RankFile], directory: Path) -> Iterator[str]:
    """Ranks without an end, each with its last call if known, or the reason."""
    cut = [file.rank for file in files if file.ending is None]
    wrote = any(file.events for file in files)
    left = "complete parts are readable" if wrote else "no rank wrote a call to its file"
    last = last_calls(directory, cut)
    alike: dict[str, list[int]] = {}
    for rank, call in last.items():
        alike.setdefault(str(call), []).append(rank)
    told = [_subject(ranks, what) for what, ranks in alike.items()]
    if told:
        more = f"; and {len(told) - _SHOWN:,} more" if len(told) > _SHOWN else ""
        yield f"killed, or crashed: {'; '.join(told[:_SHOWN])}{more}; {left}"
    if silent := [rank for rank in cut if rank not in last]:
        yield f"{_ranks(silent)} left no end: {_cut_by(directory)}; {left}"


def _subject(ranks: Sequence[int], what: str) -> str:
    return f"{_ranks(ranks)} {what if len(ranks) == 1 else what.replace('was ', 'were ', 1)}"


def _absent(files: Sequence[RankFile]) -> Iterator[str]:
    ranks = max(file.ranks for file in files)
    absent = sorted(set(range(ranks)) - {file.rank for file in files})
    if absent:
        yield (
            f"{_ranks(absent)} of {ranks:,} left no file: on their nodes the directory cannot be "
            "written, or the environment did not arrive; put `latitude trace` right of the launcher"
        )


def _cut_by(directory: Path) -> str:
    try:
        free = shutil.disk_usage(directory).free
    except OSError:
        free = _FULL_BYTES
    if free < _FULL_BYTES:
        return f"the file system of {directory} is full"
    return "killed, or crashed"


def _crowded(files: Sequence[RankFile]) -> Iterator[str]:
    for file in files:
        here, cores = file.meta.get("ranks_on_host", 0), file.meta.get("cores", 0)
        if here > cores > 0 and file.meta.get("clock") == "wall":
            yield (
                f"{counted(here, 'rank')} share {counted(cores, 'core')}: by the wall clock, "
                "computation is overestimated; trace with --clock cpu"
            )
            return


def _ranks(numbers: Iterable[int]) -> str:
    """`rank 3`, `ranks 0, 1, 2`; only the first few of many."""
    listed = sorted(numbers)
    shown = ", ".join(f"{number:,}" for number in listed[:_SHOWN])
    if len(listed) > _SHOWN:
        shown += f" and {len(listed) - _SHOWN:,} more"
    return f"rank{'' if len(listed) == 1 else 's'} {shown}"
