"""`latitude stats tail` and `compare`: descriptions of groups of samples, alone and in pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import provenance_of
from latitude.lab.results.stats import (
    ComparedSample,
    Curves,
    NormalityTest,
    SampleComparison,
    SamplePair,
    SampleTail,
    SampleTails,
    kinds_of,
)
from latitude.lab.statistics import normality
from latitude.lab.statistics.density import Density, density
from latitude.lab.statistics.long_tail import SHARE as P85
from latitude.lab.statistics.tail_index import hill_curve
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.samples.groups import SampleGroup, read_groups
from latitude.statistics import percentiles
from latitude.statistics.corrections import CORRECTION, corrected
from latitude.statistics.sample import Sample, autocorrelation
from latitude.statistics.statistic import PairTest, Statistic

MOST_GROUPS = 40
"""Largest number of groups to compare; their 780 pairs are already more than anybody reads."""
_CURVE = 240
_DENSITY = 800
_HILL = 60
_DEPENDENT = 0.1
"""Autocorrelation above which intervals are noticeably too short (by a tenth)."""


def describe_samples(
    paths: Sequence[Path],
    *,
    unit: str | None = None,
    by: Sequence[str] = (),
    threshold_ns: float | None = None,
    reference: Path | None = None,
    progress: Progress | None = None,
) -> SampleTails:
    """Reads samples and describes each group.

    Args:
        paths: files or stores of samples.
        unit: unit of files that do not state one.
        by: labels by which samples are grouped.
        threshold_ns: start of the long tail; by default each group's own 85th percentile.
        reference: samples whose 85th percentile is the threshold.
        progress: display of the progress.
    """
    progress = progress or Silent()
    groups = read_groups(paths, unit=unit, by=by, progress=progress)
    if reference is not None:
        base = read_groups([reference], unit=unit, progress=progress)[0]
        threshold_ns = percentiles.percentile(base.sample(), P85).value_ns
    found = []
    for group in groups:
        progress.stage(f"Summing up {group.name}")
        found.append(describe_sample(group.sample(threshold_ns), group.name))
    kinds = kinds_of(Statistic, SampleTail).values()
    return SampleTails(
        provenance=provenance_of(paths),
        groups=found,
        assumptions=[percentiles.ASSUMPTION, *(kind.ASSUMPTION for kind in kinds)],
    )


def describe_sample(sample: Sample, name: str = "samples") -> SampleTail:
    """Describes one sample."""
    return SampleTail(**_described(name, sample))


def _described(name: str, sample: Sample) -> dict[str, Any]:
    """The fields of a `SampleTail`."""
    marks = percentiles.percentiles(sample)
    median_ns = marks[0].value_ns
    found = {key: kind.of(sample) for key, kind in kinds_of(Statistic, SampleTail).items()}
    related = None if sample.in_order is None else autocorrelation(sample.in_order)
    notices = [notice for each in found.values() if each for notice in each.notices(sample)]
    return {
        "name": name,
        "n": sample.n,
        "mean_ns": sample.mean_ns,
        "sd_ns": sample.sd_ns,
        "median_ns": median_ns,
        "gap_ns": sample.mean_ns - median_ns,
        "least_ns": sample.least_ns,
        "largest_ns": sample.largest_ns,
        "autocorrelation": related,
        "percentiles": marks,
        **found,
        "warnings": [
            *_constant(sample),
            *percentiles.unbounded(marks, sample.n),
            *notices,
            *_dependent(sample, related),
        ],
        "curves": _curves(sample.kept, found["modes"].bandwidth_ns),
    }


def _curves(ordered: Floats, bandwidth_ns: float) -> Curves:
    n = ordered.size
    from_top = np.geomspace(1, n, _CURVE)
    ranks = np.unique(np.concatenate([n - from_top, np.linspace(0, n - 1, _CURVE)]).astype(np.intp))
    curve = None
    if bandwidth_ns > 0:
        whole = density(ordered, bandwidth_ns)
        step = max(1, whole.at_ns.size // _DENSITY)
        curve = Density(whole.at_ns[::step], whole.per_ns[::step], whole.bandwidth_ns)
    sizes = np.unique(np.geomspace(5, max(n // 4, 6), _HILL).astype(int)).tolist()
    return Curves(
        at_ns=ordered[ranks],
        below=(ranks + 1) / n,
        density=curve,
        hill=hill_curve(ordered, sizes),
    )


def _constant(sample: Sample) -> Iterator[Notice]:
    if sample.constant:
        yield kinds.CONSTANT("all samples are equal")


def _dependent(sample: Sample, related: float | None) -> Iterator[Notice]:
    if related is not None and related > max(_DEPENDENT, 3 / sample.n**0.5):
        yield kinds.DEPENDENT_SAMPLES(
            f"neighbouring samples are correlated ({related:.2f}): intervals and p-values, "
            "which assume independent ones, are too optimistic"
        )
    if sample.in_order is None:
        yield kinds.MANY_SAMPLES(
            f"of {sample.n:,} samples, density, modes and dip are those of a random sample of "
            f"{sample.kept.size:,}; percentiles come from a sketch, within 0.05 %"
        )


def compare_samples(
    paths: Sequence[Path],
    *,
    unit: str | None = None,
    by: Sequence[str] = (),
    progress: Progress | None = None,
) -> SampleComparison:
    """Compares every pair of groups. InputError: there is only one group."""
    progress = progress or Silent()
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
    samples = [group.sample() for group in groups]
    tests = kinds_of(PairTest, SamplePair).values()
    return SampleComparison(
        provenance=provenance_of(paths),
        groups=_compared(groups, samples),
        pairs=_pairs(groups, samples),
        warnings=[
            kinds.RANDOM_SAMPLE(
                f"{group.name} has {sample.n:,} samples; the tests use a random "
                f"{sample.kept.size:,}"
            )
            for group, sample in zip(groups, samples, strict=True)
            if sample.in_order is None
        ],
        assumptions=[
            normality.ASSUMPTION,
            *(each for kind in tests for each in kind.ASSUMPTIONS),
            CORRECTION,
        ],
    )


def _compared(groups: Sequence[SampleGroup], samples: Sequence[Sample]) -> list[ComparedSample]:
    found = [None if each.constant else normality.normality(each.kept) for each in samples]
    p_values = iter(corrected([each.p for each in found if each is not None]))
    return [
        ComparedSample(
            **_described(group.name, sample),
            normality=None
            if test is None
            else NormalityTest(
                distance=test.distance, p_plain=test.p_plain, p_lilliefors=next(p_values)
            ),
        )
        for group, sample, test in zip(groups, samples, found, strict=True)
    ]


def _pairs(groups: Sequence[SampleGroup], samples: Sequence[Sample]) -> list[SamplePair]:
    chosen = list(combinations(range(len(groups)), 2))
    columns: dict[str, list[PairTest]] = {}
    for name, kind in kinds_of(PairTest, SamplePair).items():
        tests = [kind.of(samples[i].kept, samples[j].kept) for i, j in chosen]
        p_values = corrected([test.p.p for test in tests])
        columns[name] = [replace(test, p=p) for test, p in zip(tests, p_values, strict=True)]
    return [
        SamplePair(
            a=groups[i].name,
            b=groups[j].name,
            **{name: tests[k] for name, tests in columns.items()},  # type: ignore[arg-type]
        )
        for k, (i, j) in enumerate(chosen)
    ]
