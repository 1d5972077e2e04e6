"""Results in sentences and cells; the terminal and the page say the same."""

import math
from collections.abc import Iterable, Sequence

from latitude.notices.notice import Notice
from latitude.statistics.comparison import Member, Pair
from latitude.statistics.correlation import Correlation
from latitude.statistics.percentiles import Percentile
from latitude.statistics.published import Published
from latitude.statistics.relation import Related, Relation
from latitude.statistics.table import Column
from latitude.statistics.tailreport import GroupTail
from latitude.units.quantities import counted, format_share, format_time

SIGNIFICANT = 0.05
_FLOOR = 5e-4


def p_value(p: float, *, simulated: bool = False) -> str:
    """A p-value for people: 0.03, 4.2e-11; `≤` at the end of what was simulated."""
    if simulated and p <= _FLOOR:
        return "≤ 0.0005"
    if p == 0:
        return "< 1e-307"
    return f"{p:.1e}" if p < 1e-3 else f"{p:.3f}"  # noqa: PLR2004 - four digits at most


def power_of_ten(log10_p: float) -> str:
    """A p-value by its logarithm: 7.9e-33, however small."""
    exponent = math.floor(log10_p)
    mantissa = 10 ** (log10_p - exponent)
    if exponent >= -3:  # noqa: PLR2004 - as p_value
        return f"{10**log10_p:.3f}"
    return f"{mantissa:.2f}e{exponent}"


def range_of(percentile: Percentile) -> str:
    """Its interval, or what n it would take."""
    low, high = percentile.low_ns, percentile.high_ns
    if low is not None and high is not None:
        return f"{format_time(low)} – {format_time(high)}"
    if low is not None:
        return f"over {format_time(low)}; n ≥ {percentile.needed:,} bounds it"
    return f"none; needs n ≥ {percentile.needed:,}"


def tail_sentence(group: GroupTail) -> str:
    """What the sample looks like."""
    summary = group.summary
    if summary.least_ns == summary.largest_ns:
        return f"All {summary.n:,} samples are {format_time(summary.median_ns)}: no tail."
    p99 = summary.at(0.99)
    times = p99.value_ns / summary.median_ns if summary.median_ns > 0 else math.inf
    return (
        f"Half of the {summary.n:,} samples stay under {format_time(summary.median_ns)}; p99 is "
        f"{format_time(p99.value_ns)}, {times:.2g} times that, and the largest "
        f"{format_time(summary.largest_ns)}. The mean is {format_time(abs(summary.gap_ns))} "
        f"{'over' if summary.gap_ns >= 0 else 'under'} the median."
    )


def index_sentence(group: GroupTail) -> str:
    """The tail index."""
    index = group.summary.index
    if index is None:
        return "No tail index: under 40 samples, or too many equal values in the tail."
    weight = (
        "the mean is not finite"
        if index.high <= 1
        else "the variance is not finite"
        if index.high <= 2  # noqa: PLR2004 - of a Pareto tail
        else "a heavy tail"
        if index.alpha < 4  # noqa: PLR2004 - fourth moments
        else "a light tail"
    )
    settled = "" if index.settled else "; not settled, read it as the steepness there"
    return (
        f"Tail index α = {index.alpha:.2f} ({index.low:.2f} – {index.high:.2f}) from the "
        f"{index.k:,} largest samples, over {format_time(index.threshold_ns)}: {weight}{settled}."
    )


def long_tail_sentence(group: GroupTail) -> str:
    """What lies over the 85th percentile."""
    tail = group.summary.long_tail
    if tail.own:
        return (
            f"The samples over their own p85, {format_time(tail.threshold_ns)}, hold "
            f"{format_share(tail.time_share)} of all time."
        )
    return (
        f"{format_share(tail.share)} of the samples ({format_share(tail.low)} – "
        f"{format_share(tail.high)}) lie over {format_time(tail.threshold_ns)}, and hold "
        f"{format_share(tail.time_share)} of all time."
    )


def modes_sentence(group: GroupTail) -> str:
    """Modes and dip test."""
    shape = group.modes
    if shape.bandwidth_ns == 0:
        return "One mode: the only value there is."
    places = ", ".join(format_time(at) for at in shape.locations_ns)
    verdict = (
        "more than one mode"
        if shape.multimodal
        else "no evidence of more than one mode"
        if shape.p_value >= SIGNIFICANT
        else "more than one mode, closer than the density shows"
    )
    return (
        f"{counted(shape.count, 'mode')} at {places} (bandwidth "
        f"{format_time(shape.bandwidth_ns, 3)}; {shape.half_count} at half, {shape.double_count} "
        f"at twice it); dip {shape.dip:.4f}, p {p_value(shape.p_value, simulated=True)}: {verdict}."
    )


def peak(group: GroupTail) -> str:
    """Peak height: the share of samples a µs at the highest peak."""
    shape = group.modes
    if math.isinf(shape.peak_per_ns):
        return f"all samples at {format_time(shape.peak_ns)}"
    height = format_share(shape.peak_per_ns * 1e3)
    return f"{height} of samples a µs, at {format_time(shape.peak_ns)}"


def pair_sentence(pair: Pair) -> str:
    """Which is larger, and by how much."""
    test = pair.ranks
    if pair.ranks_p.holm >= SIGNIFICANT:
        more = (
            ", but their distributions differ (Kolmogorov–Smirnov)"
            if pair.distance_p.holm < SIGNIFICANT
            else ""
        )
        return f"Neither {pair.a} nor {pair.b} is found to tend to larger latencies{more}."
    larger, smaller, share = (
        (pair.a, pair.b, test.larger) if test.larger > 1 / 2 else (pair.b, pair.a, 1 - test.larger)
    )
    return (
        f"A sample of {larger} is larger than one of {smaller} with probability "
        f"{format_share(share)}; the typical difference is {signed(abs(test.shift))[1:]}."
    )


def gathered(notices: Iterable[tuple[str, Notice]]) -> list[Notice]:
    """Notices of groups: those of one kind told once, with the groups they are of."""
    found: dict[str, list[tuple[str, Notice]]] = {}
    for group, notice in notices:
        found.setdefault(notice.code, []).append((group, notice))
    together = []
    for code, same in found.items():
        group, first = same[0]
        more = len(same) - 1
        several = f" (so in {counted(more, 'more group')})" if more else ""
        prefix = f"{group}: " if group else ""
        together.append(Notice(code, f"{prefix}{first.message}{several}", first.hint))
    return together


def signed(ns: float) -> str:
    """A difference of times: +1.2 µs, −30 ns."""
    return f"{'−' if ns < 0 else '+'}{format_time(abs(ns))}"


def normality_row(member: Member) -> tuple[str, ...]:
    """Group, D, Lilliefors's p, the plain p, the verdict."""
    if member.normality is None or member.p is None:
        return (member.tail.name, "–", "–", "–", "constant")
    return (
        member.tail.name,
        f"{member.normality.distance:.4f}",
        p_value(member.p.p, simulated=True),
        p_value(member.normality.p_plain),
        "not normal" if member.p.holm < SIGNIFICANT else "may be normal",
    )


def interval_text(value: Correlation) -> str:
    """R with its interval."""
    return f"{value.r:.3f} ({value.low:.3f} – {value.high:.3f})"


def slope_text(relation: Relation, y: Column) -> str:
    """The slope with its interval and unit: 29 ms (26 ms – 33 ms) per µs."""
    fit = relation.line
    scale = 1e3 if relation.x.is_time else 1.0
    middle, low, high = (
        signed(value * scale).removeprefix("+") if y.is_time else f"{value * scale:.4g}"
        for value in (fit.slope, fit.slope_low, fit.slope_high)
    )
    each = "µs" if relation.x.is_time else f"unit of {relation.x.name}"
    return f"{middle} ({low} – {high}) per {each}"


def relations_sentence(groups: Sequence[Related]) -> str:
    """The answer of [U] §7 for all groups."""
    if len(groups) == 1:
        return relation_sentence(groups[0])
    compared = [g for g in groups if g.difference and g.difference.dependent and g.difference.p]
    if not compared:
        return f"{len(groups)} groups of runs."
    first, second = (relation.x.name for relation in groups[0].relations)
    more = sum(
        abs(g.relations[1].pearson.r) > abs(g.relations[0].pearson.r)
        for g in compared
        if g.difference and g.difference.p and g.difference.p.holm < SIGNIFICANT
    )
    return (
        f"In {more} of {len(compared)} groups {groups[0].y.name} goes more with {second} than with "
        f"{first} (Williams's test, p < 0.05 after Holm's correction)."
    )


def modes_summary(groups: Sequence[GroupTail]) -> str:
    """Which groups have several modes."""
    several = [group.name for group in groups if group.modes.multimodal]
    if not several:
        return f"None of the {len(groups)} groups shows more than one mode."
    return f"More than one mode: {len(several)} of {len(groups)} groups ({'; '.join(several)})."


def relation_sentence(group: Related) -> str:
    """The answer of [U] §7 for one group."""
    if group.difference is None:
        first = group.relations[0]
        return f"{group.name}: {group.y.name} against {first.x.name}, r = {first.pearson.r:.2f}."
    first, second = group.relations
    both = group.difference.dependent
    if both is None:
        return f"{group.name}: {first.x.name} and {second.x.name} cannot be told apart."
    stronger = second if abs(second.pearson.r) > abs(first.pearson.r) else first
    p = group.difference.p.holm if group.difference.p else both.williams_p
    corrected = ", Holm's" if group.difference.p and p > both.williams_p else ""
    if p >= SIGNIFICANT:
        return (
            f"{group.name}: {group.y.name} is not found to go more with {first.x.name} or with "
            f"{second.x.name} (r = {first.pearson.r:.2f} and {second.pearson.r:.2f})."
        )
    return (
        f"{group.name}: {group.y.name} goes more with {stronger.x.name} "
        f"(r = {first.pearson.r:.2f} with {first.x.name}, {second.pearson.r:.2f} with "
        f"{second.x.name}, {both.r_between:.2f} between them; Williams p {p_value(p)}{corrected})."
    )


def published_sentences(result: Published) -> list[str]:
    """What the tests say about printed numbers."""
    z = result.fisher
    first = (
        f"Fisher's z as in Underwood et al., §7 (two independent sets of {z.n:,} runs): "
        f"z = {z.z:.3f}, one-sided p = {power_of_ten(z.log10_p)}, "
        f"two-sided p = {p_value(z.p_two_sided)}."
    )
    lines = [first]
    if result.dependent is not None:
        both = result.dependent
        lines.append(
            f"On the same {both.n:,} runs, r_between = {both.r_between:g}: Williams's t = "
            f"{both.williams_t:.3f} ({both.n - 3:,} d.f.), p = {p_value(both.williams_p)}; "
            f"Steiger's z = {both.steiger_z:.3f}, p = {p_value(both.steiger_p)}; r_mean − r_std = "
            f"{both.r_mean - both.r_std:.3f} ({both.low:.3f} – {both.high:.3f})."
        )
    if result.unknown is not None:
        range_, weakest = result.unknown, result.unknown.weakest
        lines.append(
            f"On the same {weakest.n:,} runs, r_between unknown: it lies between {range_.low:.3f} "
            f"and {range_.high:.3f}. Williams's p is at most {p_value(weakest.williams_p)} (t = "
            f"{weakest.williams_t:.3f}, at r_between = {weakest.r_between:.3f}); give --r-between "
            "for the p-value."
        )
    return lines
