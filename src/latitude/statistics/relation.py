"""`latitude stats correlate`: runtime against mean and spread of latency ([U] §7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latitude._core import InputError
from latitude._types import Floats
from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.statistics.corrections import Corrected, benjamini_hochberg, holm
from latitude.statistics.correlation import Correlation, pearson, spearman
from latitude.statistics.correlation_difference import Dependent, Fisher, dependent, fisher
from latitude.statistics.origin import digest_of, origin
from latitude.statistics.regression import Line, line
from latitude.statistics.table import Column, column, parts, read_table

_REPEATED = 0.5
"""From this share of repeated (x, x) levels on, runs are repetitions of a design."""


@dataclass(frozen=True, slots=True)
class Relation:
    """y against one x."""

    x: Column
    pearson: Correlation
    spearman: Correlation
    line: Line


@dataclass(frozen=True, slots=True)
class Difference:
    """Whether y goes more with the first x or with the second."""

    fisher: Fisher
    dependent: Dependent | None
    """None when the two columns are as good as one."""
    p: Corrected | None
    """Of Williams's test, among all groups."""


@dataclass(frozen=True, slots=True)
class Related:
    """One group of runs, e.g. a program."""

    name: str
    n: int
    y: Column
    relations: tuple[Relation, ...]
    difference: Difference | None
    """With two x."""
    warnings: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Relations:
    """The result."""

    provenance: Provenance
    groups: tuple[Related, ...]


def correlate_file(
    path: Path,
    x: Sequence[str],
    y: str,
    *,
    by: Sequence[str] = (),
    units: Mapping[str, str] | None = None,
) -> Relations:
    """Correlates column y with each column x; with two x, compares the two correlations."""
    if y in x or len(set(x)) < len(x):
        raise InputError("--x and --y must name different columns")
    digest = digest_of([path])
    frame = read_table(path)
    groups = []
    for name, part in parts(frame, by, path):
        columns = [column(part, each, units or {}, path) for each in (*x, y)]
        try:
            groups.append(_related(name, columns[:-1], columns[-1]))
        except InputError as error:
            raise InputError(f"{path}: {name}: {error}") from error
    return Relations(origin([path], digest), _corrected(groups))


def _related(name: str, x: Sequence[Column], y: Column) -> Related:
    relations = tuple(
        Relation(
            each,
            pearson(each.values, y.values),
            spearman(each.values, y.values),
            line(each.values, y.values),
        )
        for each in x
    )
    two = len(x) == 2  # noqa: PLR2004 - a difference takes two
    return Related(
        name,
        y.values.size,
        y,
        relations,
        _difference(relations) if two else None,
        _notices([each.values for each in x], y.values.size),
    )


def _difference(relations: Sequence[Relation]) -> Difference | None:
    first, second = (relation.pearson for relation in relations)
    if max(abs(first.r), abs(second.r)) >= 1:
        return None
    between = pearson(relations[0].x.values, relations[1].x.values).r
    both = dependent(first.r, second.r, between, first.n) if abs(between) < 1 else None
    return Difference(fisher(first.r, second.r, first.n), both, None)


def _corrected(groups: Sequence[Related]) -> tuple[Related, ...]:
    tested = [
        g.difference.dependent.williams_p for g in groups if g.difference and g.difference.dependent
    ]
    values = iter(zip(tested, holm(tested), benjamini_hochberg(tested), strict=True))
    return tuple(
        replace(g, difference=replace(g.difference, p=Corrected(*next(values))))
        if g.difference and g.difference.dependent
        else g
        for g in groups
    )


def _notices(x: Sequence[Floats], n: int) -> tuple[Notice, ...]:
    levels = len(set(zip(*(column.tolist() for column in x), strict=True)))
    if 1 - levels / n < _REPEATED:
        return ()
    return (
        Notice(
            "repeated-levels",
            f"{n:,} runs at {levels:,} different latencies: repetitions of a level are not "
            "independent of it, so p-values and intervals are too optimistic",
            f"correlate the means of the levels as well (n = {levels:,})",
        ),
    )
