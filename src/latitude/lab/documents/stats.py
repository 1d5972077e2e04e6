"""Documents of tails and comparisons of samples."""

import math
from collections.abc import Callable, Sequence
from pathlib import PurePath

from latitude.lab.documents import sample_charts as charts
from latitude.lab.results.stats import (
    ComparedSample,
    NormalityTest,
    SampleComparison,
    SamplePair,
    SampleTail,
    SampleTails,
    kinds_of,
)
from latitude.notices.notice import Notice, gathered
from latitude.render.document import (
    Card,
    Document,
    File,
    Part,
    Section,
    Table,
    origin,
)
from latitude.render.tables import Shown, table
from latitude.statistics.conventions import Assumption
from latitude.statistics.corrections import SIGNIFICANT
from latitude.statistics.statistic import PairTest, Statistic
from latitude.units import columns
from latitude.units.quantities import (
    counted,
    format_factor,
    format_p,
    format_share,
    format_time,
    signed,
)

_SENTENCES = 8
_PAIRS = 20
"""Largest number of pairs that the terminal shows."""


def tails_document(result: SampleTails) -> Document:
    """The result of `latitude stats tail`."""
    first, groups = result.groups[0], result.groups
    alone = len(groups) == 1
    drawn = [
        charts.distribution_chart(groups),
        charts.tail_chart(groups),
        charts.density_chart(groups),
        charts.hill_chart(groups),
    ]
    parts: list[Part] = [chart for chart in drawn if chart is not None]
    if alone:
        parts.insert(1, _percentiles(first))
    else:
        parts.insert(0, _groups(groups))
        parts.append(_all_percentiles(groups))
    return Document(
        kind="tail of latency",
        name=_name(result.provenance.input),
        facts=[
            f"{sum(group.n for group in groups):,} samples",
            counted(len(groups), "group"),
            result.provenance.date[:10],
        ],
        headline=_tail_sentence(first) if alone else _longest(groups),
        answer=_sentences(first) if alone else [_multimodal(groups), *_over(groups)],
        cards=_cards(first) if alone else (),
        parts=[*parts, assumptions_section(result.assumptions)],
        notices=_notices(groups),
        files=[File("tail.json", result.to_json), File("tail.csv", result.to_csv)],
        origin=origin(result.provenance),
        method="Method: percentiles with intervals from order statistics; Hill's tail index; "
        "Gaussian kernel density; Hartigan & Hartigan's dip test (1985). Long tail over the "
        "85th percentile as in Salimi Beni & Cosenza, Bench’22.",
        closing=distrust(result.assumptions),
    )


def comparison_document(result: SampleComparison) -> Document:
    """The result of `latitude stats compare`."""
    groups = result.groups
    sentences = [_pair_sentence(pair) for pair in result.pairs]
    alone = len(sentences) == 1
    density = charts.density_chart(groups)
    return Document(
        kind="comparison of latencies",
        name=" and ".join(group.name for group in groups)
        if len(groups) <= 3  # noqa: PLR2004 - a title's length
        else f"{len(groups)} groups",
        facts=[
            f"{sum(group.n for group in groups):,} samples",
            counted(len(result.pairs), "pair"),
            result.provenance.date[:10],
        ],
        headline=sentences[0] if alone else _found(result),
        answer=[f"{group.name}: {_tail_sentence(group)}" for group in groups]
        if alone
        else sentences[:_SENTENCES],
        parts=[
            charts.larger_chart(result.pairs, sentences[0] if alone else "50 % is no difference."),
            *_pairs(result.pairs),
            charts.distribution_chart(groups),
            charts.tail_chart(groups),
            *([density] if density else []),
            _groups(groups),
            _normality(groups),
            assumptions_section(result.assumptions),
        ],
        notices=[*result.warnings, *_notices(groups)],
        files=[File("comparison.json", result.to_json), File("comparison.csv", result.to_csv)],
        origin=origin(result.provenance),
        method="Method: Mann & Whitney's U as in Underwood, Anderson & Apon, ICPE’18, §6, with "
        "effect sizes; Hodges & Lehmann's shift; Kolmogorov & Smirnov; Lilliefors.",
        closing=distrust(result.assumptions),
    )


def assumptions_section(chosen: Sequence[Assumption]) -> Section:
    """The assumptions of each method, for the page."""
    return Section(
        "What the tests assume",
        [table(chosen, kind="model", brief=0)],
        "All intervals are 95 % intervals. p-values are two-sided unless they say otherwise.",
    )


def distrust(chosen: Sequence[Assumption]) -> list[str]:
    """Conditions under which each method is not reliable, for the terminal."""
    return ["Do not trust", *(f"  {each.method}: when {each.distrust}" for each in chosen)]


def _sentences(group: SampleTail) -> list[str]:
    """One sentence per statistic."""
    return [found.sentence() if found else kind.ABSENT for kind, found in group.statistics()]


def _tail_sentence(group: SampleTail) -> str:
    if group.least_ns == group.largest_ns:
        return f"All {group.n:,} samples are {format_time(group.median_ns)}: no tail."
    p99 = group.at(0.99).value_ns
    times = p99 / group.median_ns if group.median_ns > 0 else math.inf
    return (
        f"Half of the {group.n:,} samples stay under {format_time(group.median_ns)}; p99 is "
        f"{format_time(p99)}, {format_factor(times)} times that, and the largest "
        f"{format_time(group.largest_ns)}. The mean is {format_time(abs(group.gap_ns))} "
        f"{'over' if group.gap_ns >= 0 else 'under'} the median."
    )


def _longest(groups: Sequence[SampleTail]) -> str:
    def ratio(group: SampleTail) -> float:
        return group.at(0.99).value_ns / group.median_ns if group.median_ns > 0 else 0.0

    low, high = min(groups, key=ratio), max(groups, key=ratio)
    return (
        f"p99 is {format_factor(ratio(high))} times the median in {high.name}, and "
        f"{format_factor(ratio(low))} times in {low.name}."
    )


def _multimodal(groups: Sequence[SampleTail]) -> str:
    several = [group.name for group in groups if group.modes.multimodal]
    if not several:
        return f"None of the {len(groups)} groups shows more than one mode."
    return f"More than one mode: {len(several)} of {len(groups)} groups ({'; '.join(several)})."


def _over(groups: Sequence[SampleTail]) -> list[str]:
    """Samples over a given threshold, in words."""
    if groups[0].long_tail.own:
        return []
    return [f"{group.name}: {group.long_tail.sentence()}" for group in groups[:_SENTENCES]]


def _cards(group: SampleTail) -> list[Card]:
    found = (each.card() for _, each in group.statistics() if each)
    return [
        Card("median", format_time(group.median_ns), f"mean {format_time(group.mean_ns)}"),
        Card("p99", format_time(group.at(0.99).value_ns), "of latency"),
        *(Card(*each) for each in found if each),
    ]


def _percentiles(group: SampleTail) -> Section:
    return Section(
        "Percentiles",
        [table(group.percentiles, "name", "value_ns", "interval")],
        "An interval lies between two samples, whatever the distribution; where n is too small "
        "for it, the least n that has one is given.",
    )


def _all_percentiles(groups: Sequence[SampleTail]) -> Section:
    shown: list[Shown[SampleTail]] = [(p.name, _at(p.share, 3)) for p in groups[0].percentiles]
    return Section(
        "Percentiles",
        [table(groups, "name", *shown, brief=0)],
        "One row per group; intervals are in the data below.",
    )


def _at(share: float, digits: int = 4) -> Callable[[SampleTail], str]:
    """A function that gives a percentile of a group as text."""
    return lambda group: format_time(group.at(share).value_ns, digits)


def _groups(groups: Sequence[SampleTail]) -> Section:
    told = [
        f"{name}.{column}"
        for name, kind in kinds_of(Statistic, SampleTail).items()
        for column in columns.of(kind)
    ]
    shown = table(
        groups,
        *("name", "n", "median_ns", "mean_ns", "sd_ns"),
        ("p99", _at(0.99)),
        ("p99.9", _at(0.999)),
        *told,
    )
    return Section("Groups", [shown], "One row per group; times as measured.")


def _notices(groups: Sequence[SampleTail]) -> list[Notice]:
    several = len(groups) > 1
    return gathered((g.name if several else "", n) for g in groups for n in g.warnings)


def _pair_sentence(pair: SamplePair) -> str:
    """A sentence: which group has larger latencies, and by how much."""
    test = pair.mann_whitney
    if test.p.holm >= SIGNIFICANT:
        differ = pair.kolmogorov_smirnov.p.holm < SIGNIFICANT
        more = ", but their distributions differ (Kolmogorov–Smirnov)" if differ else ""
        return f"Neither {pair.a} nor {pair.b} is found to tend to larger latencies{more}."
    larger, smaller, share = (
        (pair.a, pair.b, test.larger) if test.larger > 1 / 2 else (pair.b, pair.a, 1 - test.larger)
    )
    return (
        f"A sample of {larger} is larger than one of {smaller} with probability "
        f"{format_share(share)}; the typical difference is {signed(abs(test.shift_ns))[1:]}."
    )


def _found(result: SampleComparison) -> str:
    differ = sum(pair.mann_whitney.p.holm < SIGNIFICANT for pair in result.pairs)
    return (
        f"In {differ:,} of {len(result.pairs):,} pairs one group tends to larger latencies than "
        "the other (Mann–Whitney, p < 0.05 after Holm's correction)."
    )


def _pairs(pairs: Sequence[SamplePair]) -> list[Section]:
    """One table with one row per pair on the page; one small table per pair on the terminal."""
    heads = [head for kind in kinds_of(PairTest, SamplePair).values() for head in kind.HEAD]
    rows = [
        (f"{pair.a} / {pair.b}", *(cell for test in pair.tests() for cell in test.cells()))
        for pair in pairs
    ]
    more = f"The first {_PAIRS} of {len(pairs):,} pairs; --csv has all."
    return [
        Section(
            "Pairs",
            [Table(("pair", *heads), rows)],
            "Is the first larger? p-values are corrected for the number of pairs (Holm).",
            "Shift: the median difference between a sample of the first and one of the second.",
        ),
        *(
            Section(
                row[0],
                [Table(("", ""), list(zip(heads, row[1:], strict=True)), brief=len(heads))],
                page=False,
            )
            for row in rows[:_PAIRS]
        ),
        *([Section(more, terminal=True, page=False)] if len(pairs) > _PAIRS else []),
    ]


def _normality(groups: Sequence[ComparedSample]) -> Section:
    shown = table(
        groups,
        *("name", "normality.distance"),
        ("Lilliefors p", lambda group: _simulated(group.normality)),
        "normality.p_plain",
        ("", lambda group: _verdict(group.normality)),
    )
    return Section(
        "Normal or not", [shown], "Most latencies are not: the tests above assume no distribution."
    )


def _simulated(test: NormalityTest | None) -> str:
    return "–" if test is None else format_p(test.p_lilliefors.p, simulated=True)


def _verdict(test: NormalityTest | None) -> str:
    if test is None:
        return "constant"
    return "not normal" if test.p_lilliefors.holm < SIGNIFICANT else "may be normal"


def _name(path: str) -> str:
    if ", " in path:
        return f"{path.count(', ') + 1} files"
    return PurePath(path).stem or path
