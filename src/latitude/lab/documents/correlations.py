"""Documents of correlations, measured and published."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from latitude._types import Floats
from latitude.lab.documents.stats import assumptions_section, distrust
from latitude.lab.results.stats import (
    Column,
    ColumnRelation,
    PublishedCorrelations,
    RelatedRuns,
    RunCorrelations,
)
from latitude.lab.statistics.correlation import Correlation
from latitude.notices.notice import gathered
from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit, unit_for
from latitude.render.document import Document, File, Section, origin
from latitude.render.tables import table
from latitude.statistics.corrections import SIGNIFICANT
from latitude.units.quantities import counted, format_log10_p, format_p, signed

_DRAWN = 2000
"""Most points drawn per group."""
_SENTENCES = 8
_MARGIN = {"l": 70, "r": 28, "t": 40, "b": 52}


def correlations_document(result: RunCorrelations) -> Document:
    """The result of `latitude stats correlate`."""
    groups = result.groups
    sentences = [_sentence(group) for group in groups]
    relations = table(
        [(group, each) for group in groups for each in group.relations],
        ("group", lambda of: of[0].name),
        ("n", lambda of: f"{of[0].n:,}"),
        ("with", lambda of: of[1].x.in_words),
        ("Pearson r", lambda of: _interval(of[1].pearson)),
        ("Spearman ρ", lambda of: _interval(of[1].spearman)),
        ("slope", lambda of: _slope(of[1], of[0].y)),
        ("R²", lambda of: f"{of[1].line.r_squared:.3f}"),
    )
    path = result.provenance.input
    return Document(
        kind="correlation",
        name=PurePath(path).stem or path,
        facts=[
            f"{sum(group.n for group in groups):,} runs",
            counted(len(groups), "group"),
            result.provenance.date[:10],
        ],
        headline=_headline(groups),
        answer=[] if len(sentences) == 1 else sentences[:_SENTENCES],
        parts=[
            *(_scatter_chart(groups, i) for i in range(len(groups[0].relations))),
            _correlation_chart(groups),
            Section(
                "Correlations and lines",
                [relations],
                "Coefficients with 95 % intervals.",
            ),
            *_differences(groups),
            assumptions_section(result.assumptions),
        ],
        notices=gathered((group.name, notice) for group in groups for notice in group.warnings),
        files=[File("correlation.json", result.to_json), File("correlation.csv", result.to_csv)],
        origin=origin(result.provenance),
        method="Method: Underwood, Anderson & Apon, ICPE’18, §7; for correlations that share a "
        "variable Williams's and Steiger's tests (Psychological Bulletin 87, 1980).",
        closing=distrust(result.assumptions),
    )


def published_document(result: PublishedCorrelations) -> Document:
    """The result of `latitude stats fisher`."""
    z, both, unknown = result.fisher, result.dependent, result.r_between_unknown
    lines = []
    if both is not None:
        lines.append(
            f"On the same {both.n:,} runs, r_between = {both.r_between:g}: Williams's t = "
            f"{both.williams_t:.3f} ({both.n - 3:,} d.f.), p = {format_p(both.williams_p)}; "
            f"Steiger's z = {both.steiger_z:.3f}, p = {format_p(both.steiger_p)}; r_mean − r_std = "
            f"{both.r_mean - both.r_std:.3f} ({both.low:.3f} – {both.high:.3f})."
        )
    if unknown is not None:
        weakest = unknown.weakest
        lines.append(
            f"On the same {weakest.n:,} runs, r_between unknown: it lies between {unknown.low:.3f} "
            f"and {unknown.high:.3f}. Williams's p is at most {format_p(weakest.williams_p)} (t = "
            f"{weakest.williams_t:.3f}, at r_between = {weakest.r_between:.3f}); give --r-between "
            "for the p-value."
        )
    return Document(
        name="published correlations",
        facts=[f"r_mean = {z.r_mean:g}", f"r_std = {z.r_std:g}", f"n = {z.n:,}"],
        headline="Fisher's z as in Underwood et al., §7 (two independent sets of "
        f"{z.n:,} runs): z = {z.z:.3f}, one-sided p = {format_log10_p(z.log10_p)}, "
        f"two-sided p = {format_p(z.p_two_sided)}.",
        answer=lines,
        files=[File("fisher.json", result.to_json)],
        closing=distrust(result.assumptions),
    )


def _headline(groups: Sequence[RelatedRuns]) -> str:
    """Which correlation is stronger (Underwood et al. 2018, §7), for all groups."""
    if len(groups) == 1:
        return _sentence(groups[0])
    compared = [(group, group.dependent) for group in groups if group.dependent]
    if not compared:
        return f"{len(groups)} groups of runs."
    first, second = (relation.x.name for relation in groups[0].relations)
    more = sum(
        abs(group.relations[1].pearson.r) > abs(group.relations[0].pearson.r)
        for group, test in compared
        if test.williams_p_corrected.holm < SIGNIFICANT
    )
    return (
        f"In {more} of {len(compared)} groups {groups[0].y.name} correlates more with {second} "
        f"than with {first} (Williams's test, p < 0.05 after Holm's correction)."
    )


def _sentence(group: RelatedRuns) -> str:
    """Which correlation is stronger (Underwood et al. 2018, §7), for one group."""
    if group.fisher is None:
        first = group.relations[0]
        return f"{group.name}: {group.y.name} against {first.x.name}, r = {first.pearson.r:.2f}."
    first, second = group.relations
    test = group.dependent
    if test is None:
        return (
            f"{group.name}: the correlations with {first.x.name} and {second.x.name} cannot be "
            "compared."
        )
    stronger = second if abs(second.pearson.r) > abs(first.pearson.r) else first
    p = test.williams_p_corrected.holm
    corrected = ", Holm's" if p > test.williams_p else ""
    if p >= SIGNIFICANT:
        return (
            f"{group.name}: no significant difference between the correlations of {group.y.name} "
            f"with {first.x.name} and {second.x.name} (r = {first.pearson.r:.2f} and "
            f"{second.pearson.r:.2f})."
        )
    return (
        f"{group.name}: {group.y.name} correlates more with {stronger.x.name} (r = "
        f"{first.pearson.r:.2f} with {first.x.name}, {second.pearson.r:.2f} with {second.x.name}, "
        f"{test.r_between:.2f} between them; Williams p {format_p(p)}{corrected})."
    )


def _interval(found: Correlation) -> str:
    return f"{found.r:.3f} ({found.low:.3f} – {found.high:.3f})"


def _slope(relation: ColumnRelation, y: Column) -> str:
    """The slope with its interval and unit: 29 ms (26 ms – 33 ms) per µs."""
    fit = relation.line
    scale = 1e3 if relation.x.is_time else 1.0
    middle, low, high = (
        signed(value * scale).removeprefix("+") if y.is_time else f"{value * scale:.4g}"
        for value in (fit.slope, fit.slope_low, fit.slope_high)
    )
    each = "µs" if relation.x.is_time else f"unit of {relation.x.name}"
    return f"{middle} ({low} – {high}) per {each}"


def _differences(groups: Sequence[RelatedRuns]) -> list[Section]:
    """Fisher's and Williams's tests for every group with two x; empty without such groups."""
    shown = table(
        [group for group in groups if group.fisher and group.dependent],
        *("name", "dependent.r_mean", "dependent.r_std", "dependent.r_between"),
        *("fisher.z", "fisher.log10_p", "dependent.williams_t", "dependent.williams_p"),
        "dependent.williams_p_corrected.holm",
        *("dependent.steiger_z", "dependent.steiger_p"),
    )
    section = Section(
        "Which correlation is stronger",
        [shown],
        "Fisher's z is the test of Underwood et al., §7, for independent runs; Williams's "
        "and Steiger's know that both correlations are of the same runs.",
    )
    return [section] if shown.rows else []


def _scatter_chart(groups: Sequence[RelatedRuns], which: int) -> Chart:
    """Points of y against the x of number `which`, with a colour per group."""
    relations = [group.relations[which] for group in groups]
    x_unit = _unit([relation.x for relation in relations])
    y_unit = _unit([group.y for group in groups])
    traces: list[Trace] = []
    for i, (group, relation) in enumerate(zip(groups, relations, strict=True)):
        traces += _points_and_line(group, relation, x_unit, y_unit, theme.colour(i))
    x, y = relations[0].x, groups[0].y
    title = f"{y.in_words} against {x.in_words}"
    many = any(group.n > _DRAWN for group in groups)
    return marks.chart(
        f"scatter-{which}",
        title[0].upper() + title[1:],
        " ".join(
            f"{group.name}: slope {_slope(relation, group.y)}, R² = {relation.line.r_squared:.3f}."
            for group, relation in zip(groups[:4], relations[:4], strict=True)
        ),
        traces,
        x=theme.axis(_axis(x, x_unit)),
        y=theme.axis(_axis(y, y_unit)),
        height=420,
        note="Lines are least squares; the band is the line's 95 % interval."
        + (f" At most {_DRAWN:,} points per group are drawn." if many else ""),
        margin=_MARGIN,
        showlegend=len(groups) > 1,
    )


def _unit(columns: Sequence[Column]) -> Unit:
    if not columns[0].is_time:
        return Unit("", 1.0)
    return unit_for(max(float(np.abs(column.values).max()) for column in columns))


def _axis(column: Column, unit: Unit) -> str:
    return f"{column.in_words} ({unit.name})" if unit.name else column.in_words


def _points_and_line(
    group: RelatedRuns, relation: ColumnRelation, x_unit: Unit, y_unit: Unit, colour: str
) -> list[Trace]:
    step = max(1, -(-group.n // _DRAWN))
    at, half = _band(relation)
    middle = relation.line.intercept + relation.line.slope * at
    plain: dict[str, Any] = {"legendgroup": group.name, "showlegend": False}
    return [
        marks.points(
            x_unit.of(relation.x.values[::step]),
            y_unit.of(group.y.values[::step]),
            name=group.name,
            colour=colour,
            size=6,
            opacity=0.55,
            legendgroup=group.name,
            hovertemplate=f"%{{x:.4~g}} {x_unit.name}, %{{y:.4~g}} {y_unit.name}<extra>"
            f"{group.name}</extra>",
        ),
        marks.line(
            x_unit.of(np.concatenate([at, at[::-1]])),
            y_unit.of(np.concatenate([middle + half, (middle - half)[::-1]])),
            colour=colour,
            width=0,
            fill="toself",
            opacity=0.25,
            hoverinfo="skip",
            **plain,
        ),
        marks.line(
            x_unit.of(at[[0, -1]]),
            y_unit.of(middle[[0, -1]]),
            colour=colour,
            width=2,
            hoverinfo="skip",
            **plain,
        ),
    ]


def _band(relation: ColumnRelation) -> tuple[Floats, Floats]:
    """Points along the line, and half the 95 % interval of its height at each point."""
    x, fit = relation.x.values, relation.line
    at = np.linspace(float(x.min()), float(x.max()), 40)
    away = (at - x.mean()) / np.sqrt(np.square(x - x.mean()).sum())
    times = (fit.slope_high - fit.slope) / fit.slope_se if fit.slope_se > 0 else 0.0
    half: Floats = times * fit.residual_sd * np.sqrt(1 / fit.n + away**2)
    return at, half


def _correlation_chart(groups: Sequence[RelatedRuns]) -> Chart:
    """Every Pearson r with its interval."""
    names = [group.name for group in groups]
    traces = []
    for i, first in enumerate(groups[0].relations):
        found = [group.relations[i].pearson for group in groups]
        traces.append(
            marks.points(
                [each.r for each in found],
                names,
                name=f"with {first.x.in_words}",
                low=[each.low for each in found],
                high=[each.high for each in found],
                across=True,
                colour=theme.colour(i),
                size=9,
                hovertemplate="r = %{x:.3f}<extra>%{y}</extra>",
            )
        )
    least = min(each.pearson.low for group in groups for each in group.relations)
    return kinds.named_rows(
        "correlations",
        "Correlations",
        "Further right is a closer relation; bars are 95 % intervals.",
        traces,
        x=theme.axis("Pearson's r", range=[min(0.0, least - 0.05), 1.02]),
        rows=len(groups),
        row=34,
        top=44,
        note="Intervals of two correlations that share the runtimes may overlap although the two "
        "differ: read Williams's test.",
    )
