"""`latitude stats correlate` and `fisher`: runtime against mean and spread of latency."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from msgspec import structs

from latitude._core import InputError
from latitude._types import Floats
from latitude.files.provenance import provenance_of, stamp
from latitude.lab.results.stats import (
    Column,
    ColumnRelation,
    CorrectedDependent,
    PublishedCorrelations,
    RelatedRuns,
    RunCorrelations,
)
from latitude.lab.samples.run_table import column, read_table, rows_by
from latitude.lab.statistics import correlation, correlation_difference
from latitude.lab.statistics.correlation import pearson, spearman
from latitude.lab.statistics.correlation_difference import between_unknown, dependent, fisher
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.statistics import regression
from latitude.statistics.corrections import Corrected, corrected
from latitude.statistics.regression import line

_REPEATED = 0.5
"""Least share of runs at repeated x values at which Latitude warns that runs are repetitions."""


def correlate_runs(
    path: Path,
    x: Sequence[str],
    y: str,
    *,
    by: Sequence[str] = (),
    units: Mapping[str, str] | None = None,
) -> RunCorrelations:
    """Correlates column y with each column x; with two x, compares the two correlations."""
    if y in x or len(set(x)) < len(x):
        raise InputError("--x and --y must name different columns")
    frame = read_table(path)
    groups = []
    for name, part in rows_by(frame, by, path):
        columns = [column(part, each, units or {}, path) for each in (*x, y)]
        try:
            groups.append(_related(name, columns[:-1], columns[-1]))
        except InputError as error:
            raise InputError(f"{path}: {name}: {error}") from error
    return RunCorrelations(
        provenance=provenance_of([path]),
        groups=_corrected(groups),
        assumptions=[
            correlation.PEARSON,
            correlation.SPEARMAN,
            regression.ASSUMPTION,
            *correlation_difference.ASSUMPTIONS,
        ],
    )


def _related(name: str, x: Sequence[Column], y: Column) -> RelatedRuns:
    relations = [
        ColumnRelation(
            x=each,
            pearson=pearson(each.values, y.values),
            spearman=spearman(each.values, y.values),
            line=line(each.values, y.values),
        )
        for each in x
    ]
    r = [relation.pearson.r for relation in relations]
    n = y.values.size
    told = len(r) == 2 and max(map(abs, r)) < 1  # noqa: PLR2004 - a difference takes two
    return RelatedRuns(
        name=name,
        n=n,
        y=y,
        relations=relations,
        fisher=fisher(r[0], r[1], n) if told else None,
        dependent=_dependent(r, pearson(x[0].values, x[1].values).r, n) if told else None,
        warnings=list(_repeated([each.values for each in x], n)),
    )


def _dependent(r: Sequence[float], between: float, n: int) -> CorrectedDependent | None:
    """The test before correction; None if the two columns are on one line."""
    if abs(between) >= 1:
        return None
    found = dependent(r[0], r[1], between, n)
    return CorrectedDependent(
        **asdict(found), williams_p_corrected=Corrected.alone(found.williams_p)
    )


def _corrected(groups: Sequence[RelatedRuns]) -> list[RelatedRuns]:
    tested = [group.dependent for group in groups if group.dependent]
    p_values = iter(corrected([each.williams_p for each in tested]))
    return [
        structs.replace(
            group, dependent=replace(group.dependent, williams_p_corrected=next(p_values))
        )
        if group.dependent
        else group
        for group in groups
    ]


def _repeated(x: Sequence[Floats], n: int) -> Iterator[Notice]:
    levels = len(set(zip(*(each.tolist() for each in x), strict=True)))
    if 1 - levels / n < _REPEATED:
        return
    yield kinds.REPEATED_LEVELS(
        f"{n:,} runs at {levels:,} different latencies: repetitions of a level are not "
        "independent of it, so p-values and intervals are too optimistic",
        levels=levels,
    )


def compare_published(
    r_mean: float, r_std: float, n: int, r_between: float | None = None
) -> PublishedCorrelations:
    """Tests the difference of two printed correlations of n runs."""
    known = None if r_between is None else dependent(r_mean, r_std, r_between, n)
    return PublishedCorrelations(
        provenance=stamp(),
        fisher=fisher(r_mean, r_std, n),
        dependent=known,
        r_between_unknown=None if known else between_unknown(r_mean, r_std, n),
        assumptions=list(correlation_difference.ASSUMPTIONS),
    )
