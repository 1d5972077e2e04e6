"""`latitude stats compare`: groups of samples against each other ([U] §6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import stats

from latitude._core import InputError
from latitude._types import Floats
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.statistics.corrections import Corrected, corrected
from latitude.statistics.groups import Group, read_groups
from latitude.statistics.normality import Normality, normality
from latitude.statistics.origin import digest_of, origin
from latitude.statistics.rank_test import RankTest, rank_test
from latitude.statistics.tailreport import GroupTail, group_tail

MOST_GROUPS = 40
"""780 pairs; more are read by nobody."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two groups: is A larger than B?"""

    a: str
    b: str
    ranks: RankTest
    ranks_p: Corrected
    distance: float
    """Two-sample Kolmogorov–Smirnov D: largest distance between the two distributions."""
    distance_p: Corrected


@dataclass(frozen=True, slots=True)
class Member:
    """One group."""

    tail: GroupTail
    normality: Normality | None
    """None for a constant sample."""
    p: Corrected | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result."""

    provenance: Provenance
    groups: tuple[Member, ...]
    pairs: tuple[Pair, ...]
    warnings: tuple[Notice, ...]


def compare_files(
    paths: Sequence[Path],
    *,
    unit: str | None = None,
    by: Sequence[str] = (),
    progress: Progress | None = None,
) -> Comparison:
    """Compares every pair of groups; InputError when there is only one group."""
    progress = progress or Silent()
    digest = digest_of(paths)
    groups = read_groups(paths, unit=unit, by=by, progress=progress)
    if len(groups) < 2:  # noqa: PLR2004 - a comparison takes two
        raise InputError(
            f"{paths[0]}: only one group of samples; give a second file, or --by a label"
        )
    if len(groups) > MOST_GROUPS:
        raise InputError(
            f"{len(groups)} groups make {len(groups) * (len(groups) - 1) // 2:,} pairs; compare at "
            f"most {MOST_GROUPS} groups, by fewer labels"
        )
    progress.stage("Comparing")
    warnings = [
        Notice(
            "random-sample",
            f"{group.name} has {group.n:,} samples; the tests use a random {group.values().size:,}",
            "split the file if you need more",
        )
        for group in groups
        if not group.complete
    ]
    return Comparison(origin(paths, digest), _members(groups), _pairs(groups), tuple(warnings))


def _members(groups: Sequence[Group]) -> tuple[Member, ...]:
    tails = [group_tail(group, None) for group in groups]
    tests = [_normality(group.values()) for group in groups]
    p_values = iter(corrected([test.p for test in tests if test is not None]))
    return tuple(
        Member(tail, test, None if test is None else next(p_values))
        for tail, test in zip(tails, tests, strict=True)
    )


def _normality(values: Floats) -> Normality | None:
    return None if values.min() == values.max() else normality(values)


def _pairs(groups: Sequence[Group]) -> tuple[Pair, ...]:
    values = [np.sort(group.values()) for group in groups]
    chosen = list(combinations(range(len(groups)), 2))
    ranks = [rank_test(values[i], values[j]) for i, j in chosen]
    far = [stats.ks_2samp(values[i], values[j], method="auto") for i, j in chosen]
    ranks_p = corrected([test.p for test in ranks])
    far_p = corrected([float(test.pvalue) for test in far])
    return tuple(
        Pair(
            groups[i].name, groups[j].name, ranks[k], ranks_p[k], float(far[k].statistic), far_p[k]
        )
        for k, (i, j) in enumerate(chosen)
    )
