"""The three pages: tail, comparison, correlation."""

from pathlib import PurePath

from latitude.notices.notice import Notice
from latitude.render.charts.chart import Chart
from latitude.render.statistics import charts, scatter
from latitude.render.statistics.page import Page, Section, render
from latitude.render.statistics.rows import (
    GROUP_HEAD,
    NORMALITY_HEAD,
    PAIR_HEAD,
    PERCENTILE_HEAD,
    RELATION_HEAD,
    difference_rows,
    group_row,
    pair_row,
    percentile_row,
    percentile_rows,
    relation_rows,
)
from latitude.render.statistics.sentences import (
    gathered,
    index_sentence,
    long_tail_sentence,
    modes_sentence,
    modes_summary,
    normality_row,
    pair_sentence,
    peak,
    relation_sentence,
    relations_sentence,
    tail_sentence,
)
from latitude.results import statistics_data as plain
from latitude.statistics.assumptions import (
    COMPARE_ASSUMPTIONS,
    CORRELATE_ASSUMPTIONS,
    TAIL_ASSUMPTIONS,
)
from latitude.statistics.comparison import Comparison
from latitude.statistics.relation import Relations
from latitude.statistics.tailreport import GroupTail, TailReport
from latitude.units.quantities import counted, format_share, format_time

_SENTENCES = 8


def tail_page(report: TailReport) -> str:
    """The page of `latitude stats tail`."""
    first, groups = report.groups[0], report.groups
    alone = len(groups) == 1
    samples = sum(group.summary.n for group in groups)
    drawn: list[Chart | None] = [
        charts.distribution_chart(groups),
        charts.tail_chart(groups),
        charts.density_chart(groups),
        charts.hill_chart(groups),
    ]
    parts: list[Chart | Section] = [chart for chart in drawn if chart is not None]
    if alone:
        parts.insert(1, _percentiles(first))
    else:
        parts.insert(0, _groups(groups))
        parts.append(_all_percentiles(groups))
    return render(
        Page(
            kind="tail of latency",
            name=_name(report.provenance.input),
            facts=f"{samples:,} samples · {counted(len(groups), 'group')} · "
            f"{report.provenance.date[:10]}",
            headline=tail_sentence(first) if alone else _longest(groups),
            answer=[index_sentence(first), long_tail_sentence(first), modes_sentence(first)]
            if alone
            else [modes_summary(groups), *_over(groups)],
            cards=_cards(first) if alone else (),
            parts=parts,
            assumptions=TAIL_ASSUMPTIONS,
            warnings=_named(groups),
            provenance=report.provenance,
            file_name="tail",
            json=plain.to_json(plain.tail_dict(report)),
            csv=plain.tail_csv(report),
            method="Method: percentiles with intervals from order statistics; Hill's tail index; "
            "Gaussian kernel density; Hartigan & Hartigan's dip test (1985). Long tail over the "
            "85th percentile as in Salimi Beni & Cosenza, Bench’22.",
        )
    )


def _cards(group: GroupTail) -> list[tuple[str, str, str]]:
    summary = group.summary
    cards = [
        ("median", format_time(summary.median_ns), f"mean {format_time(summary.mean_ns)}"),
        ("p99", format_time(summary.at(0.99).value_ns), "of latency"),
        ("over p85", format_share(summary.long_tail.time_share), "of all time"),
    ]
    if summary.index is not None:
        cards.append(("tail index α", f"{summary.index.alpha:.2f}", "smaller is heavier"))
    cards.append(("modes", str(group.modes.count), peak(group)))
    return cards


def _longest(groups: tuple[GroupTail, ...]) -> str:
    def ratio(group: GroupTail) -> float:
        summary = group.summary
        return summary.at(0.99).value_ns / summary.median_ns if summary.median_ns > 0 else 0.0

    ends = min(groups, key=ratio), max(groups, key=ratio)
    return (
        f"p99 is {ratio(ends[1]):.2g} times the median in {ends[1].name}, and {ratio(ends[0]):.2g} "
        f"times in {ends[0].name}."
    )


def _percentiles(group: GroupTail) -> Section:
    return Section(
        "Percentiles",
        "An interval lies between two samples, whatever the distribution; where n is too small "
        "for it, the least n that has one is given.",
        PERCENTILE_HEAD,
        percentile_rows(group.summary),
    )


def _all_percentiles(groups: tuple[GroupTail, ...]) -> Section:
    return Section(
        "Percentiles",
        "One row a group; intervals are in the data below.",
        ("group", *(p.name for p in groups[0].summary.percentiles)),
        [percentile_row(group) for group in groups],
    )


def _over(groups: tuple[GroupTail, ...]) -> list[str]:
    if groups[0].summary.long_tail.own:
        return []
    return [f"{group.name}: {long_tail_sentence(group)}" for group in groups[:_SENTENCES]]


def _groups(groups: tuple[GroupTail, ...]) -> Section:
    return Section(
        "Groups",
        "One row a group; times as measured.",
        GROUP_HEAD,
        [group_row(group) for group in groups],
    )


def _named(groups: tuple[GroupTail, ...]) -> list[Notice]:
    several = len(groups) > 1
    return gathered((g.name if several else "", n) for g in groups for n in g.warnings)


def compare_page(result: Comparison) -> str:
    """The page of `latitude stats compare`."""
    groups = tuple(member.tail for member in result.groups)
    sentences = [pair_sentence(pair) for pair in result.pairs]
    density = charts.density_chart(groups)
    parts: list[Chart | Section] = [
        charts.larger_chart(result),
        Section(
            "Pairs",
            "Is the first larger? p-values are corrected for the number of pairs (Holm).",
            PAIR_HEAD,
            [pair_row(pair) for pair in result.pairs],
            "Shift: the median difference between a sample of the first and one of the second.",
        ),
        charts.distribution_chart(groups),
        charts.tail_chart(groups),
        *([density] if density else []),
        _groups(groups),
        Section(
            "Normal or not",
            "Most latencies are not: the tests above assume no distribution.",
            NORMALITY_HEAD,
            [normality_row(member) for member in result.groups],
        ),
    ]
    return render(
        Page(
            kind="comparison of latencies",
            name=" and ".join(g.name for g in groups)
            if len(groups) <= 3  # noqa: PLR2004 - a title's length
            else f"{len(groups)} groups",
            facts=f"{sum(g.summary.n for g in groups):,} samples · "
            f"{counted(len(result.pairs), 'pair')} · {result.provenance.date[:10]}",
            headline=sentences[0] if len(sentences) == 1 else _found(result),
            answer=[f"{g.name}: {tail_sentence(g)}" for g in groups]
            if len(sentences) == 1
            else sentences[:_SENTENCES],
            cards=(),
            parts=parts,
            assumptions=COMPARE_ASSUMPTIONS,
            warnings=[*result.warnings, *_named(groups)],
            provenance=result.provenance,
            file_name="comparison",
            json=plain.to_json(plain.comparison_dict(result)),
            csv=plain.comparison_csv(result),
            method="Method: Mann & Whitney's U as in Underwood, Anderson & Apon, ICPE’18, §6, with "
            "effect sizes; Hodges & Lehmann's shift; Kolmogorov & Smirnov; Lilliefors.",
        )
    )


def _found(result: Comparison) -> str:
    differ = sum(pair.ranks_p.holm < 0.05 for pair in result.pairs)  # noqa: PLR2004 - the level
    return (
        f"In {differ:,} of {len(result.pairs):,} pairs one group tends to larger latencies than "
        "the other (Mann–Whitney, p < 0.05 after Holm's correction)."
    )


def correlate_page(result: Relations) -> str:
    """The page of `latitude stats correlate`."""
    groups = result.groups
    parts: list[Chart | Section] = [
        scatter.scatter_chart(groups, i) for i in range(len(groups[0].relations))
    ]
    parts += [
        scatter.correlation_chart(groups),
        Section(
            "Correlations and lines",
            "Coefficients with 95 % intervals.",
            RELATION_HEAD,
            [row for group in groups for row in relation_rows(group)],
        ),
    ]
    differences = [row for group in groups for row in difference_rows(group)]
    if differences:
        parts.append(
            Section(
                "Which goes closer with it",
                "Fisher's z is the test of Underwood et al., §7, for independent runs; Williams's "
                "and Steiger's know that both correlations are of the same runs.",
                (
                    *("group", "r₁", "r₂", "r between", "Fisher z", "one-sided p"),
                    *("Williams t", "p", "p (Holm)", "Steiger z", "p"),
                ),
                differences,
            )
        )
    sentences = [relation_sentence(group) for group in groups]
    return render(
        Page(
            kind="correlation",
            name=_name(result.provenance.input),
            facts=f"{sum(g.n for g in groups):,} runs · {counted(len(groups), 'group')} · "
            f"{result.provenance.date[:10]}",
            headline=relations_sentence(groups),
            answer=[] if len(sentences) == 1 else sentences[:_SENTENCES],
            cards=(),
            parts=parts,
            assumptions=CORRELATE_ASSUMPTIONS,
            warnings=gathered((group.name, n) for group in groups for n in group.warnings),
            provenance=result.provenance,
            file_name="correlation",
            json=plain.to_json(plain.relations_dict(result)),
            csv=plain.relations_csv(result),
            method="Method: Underwood, Anderson & Apon, ICPE’18, §7; for correlations that share a "
            "variable Williams's and Steiger's tests (Psychological Bulletin 87, 1980).",
        )
    )


def _name(path: str) -> str:
    if ", " in path:
        return f"{path.count(', ') + 1} files"
    return PurePath(path).stem or path
