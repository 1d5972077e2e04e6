"""Which file belongs to which rank."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import PurePath

from latitude._core import InputError

_TRAILING_INTEGER = re.compile(r"(\d{1,9})(?:\.[A-Za-z]\w*)?")
_SHOWN = 4


def rank_of(name: str, compressions: Sequence[str]) -> int | None:
    """The rank a file name ends in: `pmpi-trace-rank-3.txt.gz` → 3; None when there is none."""
    base = PurePath(name).name
    if base.startswith("."):
        return None
    for suffix in compressions:
        base = base.removesuffix(suffix)
    match = re.search(_TRAILING_INTEGER.pattern + "$", base)
    return None if match is None else int(match[1])


def in_rank_order(names: Iterable[str], place: str, compressions: Sequence[str]) -> list[str]:
    """The names that are ranks' files, rank 0 first; every rank must be there once."""
    by_rank: dict[int, str] = {}
    seen = 0
    for name in sorted(names):
        seen += 1
        rank = rank_of(name, compressions)
        if rank is None:
            continue
        if rank in by_rank:
            raise InputError(
                f"{place}: '{by_rank[rank]}' and '{name}' are both rank {rank}; "
                "keep the files of one run only"
            )
        by_rank[rank] = name
    if not by_rank:
        found = "nothing in it" if seen == 0 else "no per-rank files in it"
        raise InputError(
            f"{place}: {found}; expected one file a rank, "
            "the rank last in its name, e.g. rank-0000000.lat, or pmpi-trace-rank-0.txt"
        )
    _check_complete(by_rank, place)
    return [by_rank[rank] for rank in range(len(by_rank))]


def _check_complete(by_rank: dict[int, str], place: str) -> None:
    highest = max(by_rank)
    missing = highest + 1 - len(by_rank)
    if missing == 0:
        return
    shown = list(islice((rank for rank in range(highest) if rank not in by_rank), _SHOWN))
    text = ", ".join(str(rank) for rank in shown)
    if missing > len(shown):
        text += f" and {missing - len(shown):,} more"
    noun, verb = ("rank", "is") if missing == 1 else ("ranks", "are")
    raise InputError(
        f"{place}: {noun} {text} {verb} missing (the highest is rank {highest}, "
        f"'{by_rank[highest]}'); copy the files of every rank"
    )
