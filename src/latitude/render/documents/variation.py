"""What `latitude forecast --suite variation` says: the pictures and tables of [U] §§6–7."""

from collections.abc import Sequence
from typing import Any

from latitude.experiments.suites.figures import NONE, signed_time
from latitude.experiments.variation.design import FITTED, NAMES
from latitude.render import document
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart
from latitude.render.charts.panels import axis_name, panels
from latitude.render.charts.theme import colour
from latitude.render.document import Document, File, Section, Table
from latitude.render.documents.network_origin import network_sentence
from latitude.render.documents.runs import (
    HEIGHT,
    TIMES,
    Panel,
    between_sentence,
    by_mean,
    coefficients,
    lines_chart,
    listed_names,
    published_p,
    published_section,
    studies_chart,
    williams_p,
)
from latitude.results.runs import Study
from latitude.results.variation import DesignedProgram, Variation
from latitude.statistics.corrections import SIGNIFICANT
from latitude.units.quantities import format_share, format_time

_LOW, _HIGH = 0.2, 0.7
"""The loads of [U] Figs. 15 and 16."""
_SHOWN = ("L", "l_wire", "d_switch", "o")
"""Of the network, at the head of the page."""
_METHOD = (
    "Method: Underwood, Anderson, Apon, “Measuring Network Latency Variation Impacts to High "
    "Performance Computing Application Performance”, ICPE’18, §5.3, §6 and §7, on execution graphs "
    "(Shen et al., “LLAMP”, SC’24) instead of a cluster. Williams’s test: Steiger, Psychological "
    "Bulletin 87, 1980."
)
_HEAD = (
    "program",
    "r_mean",
    "r_std",
    "p as published",
    "means: r_mean",
    "means: r_std",
    "p (Williams)",
    "ρ_mean",
    "ρ_std",
)
_SHORT = "Mean or variation: over runs as published, and over distributions"
_COST_HEAD = (
    "program",
    "T without",
    "1 µs of mean costs",
    "1 µs of sd costs",
    "as much mean as 1 µs of sd",
    "R²",
    "constant",
    "fitted",
    "slowest",
)


def variation_document(result: Variation) -> Document:
    """Answer, correlations, costs, distributions."""
    programs = result.programs
    first = programs[0]
    rows = [_row(each) for each in programs]
    costs = [_costs(result, each) for each in programs]
    return Document(
        kind="mean or variation of latency",
        name=first.name if len(programs) == 1 else f"{len(programs)} programs",
        title="mean or variation",
        facts=_facts(result),
        headline=_headline(programs),
        answer=[
            _worst(result),
            _injected(result),
            network_sentence(programs[0].model.defaults, programs[0].model.source),
        ],
        parts=[
            Section(
                "Mean or variation",
                [Table(_HEAD, rows, title=_SHORT, brief=len(rows), columns=range(7))],
                "Pearson’s r of runtime with mean and with standard deviation of the injected "
                f"latency. {_between(programs)}",
                "Left: over all runs, with the one-sided test that Underwood et al. print; "
                "runs under one distribution repeat it, so that p shrinks with every run made. "
                "Right: over the distributions’ mean runtimes, with the two-sided test for "
                "correlations that share the runtimes; ρ is Spearman’s.",
            ),
            rising_chart(result),
            *_lines(programs),
            Section(
                "What a microsecond costs",
                [Table(_COST_HEAD, costs, brief=len(costs))],
                "Mean runtime ≈ c + a · mean + b · sd, by least squares over the distributions: "
                "what mean and variation cost, each while the other stays; and how slow it becomes "
                "at the highest load.",
            ),
            spread_chart(result),
            published_section(),
            _distributions(result),
        ],
        notices=result.warnings,
        files=[File("variation.json", result.to_json), File("variation.csv", result.to_csv)],
        origin=document.origin(result.provenance),
        method=_METHOD,
        closing=[*filter(None, [_between(programs)])],
    )


def _facts(result: Variation) -> list[str]:
    network = result.network.describe().items()
    return [
        f"{len(result.distributions)} distributions",
        f"{result.design.samples:,} runs under each",
        f"seed {result.random.seed}",
        ", ".join(f"{name} = {value}" for name, value in network if name in _SHOWN),
        f"computed {result.provenance.date[:10]}",
    ]


def _headline(programs: Sequence[DesignedProgram]) -> str:
    known = [each for each in programs if each.over_distributions]
    if not known:
        return "Latency changes the runtime of none of these programs."
    more = [each for each in known if each.over_distributions and each.over_distributions.std_more]
    if len(programs) == 1:
        certain = "" if _sure(known[0]) else ", but not significantly so"
        cost = format_time(1e3 * known[0].plane.per_std, 3)
        return (
            f"The runtime goes {'more' if more else 'less'} with the variation of latency than "
            f"with its mean{certain}; at one mean, 1 µs more of standard deviation costs {cost}."
        )
    sure = [each.name for each in more if _sure(each)]
    against = [each.name for each in known if each not in more and _sure(each)]
    opposite = f"; significantly more with the mean in {listed_names(against)}" if against else ""
    return (
        f"Runtime goes more with the variation of latency than with its mean in {len(more)} of "
        f"{len(programs)} programs, significantly in {listed_names(sure)}{opposite}."
    )


def _sure(program: DesignedProgram) -> bool:
    """Whether the two correlations of the distributions' means differ (Williams)."""
    found = program.over_distributions
    return bool(found and found.dependent and found.dependent.williams_p < SIGNIFICANT)


def _worst(result: Variation) -> str:
    """Who suffers most."""
    program = max(result.programs, key=lambda each: each.slowest)
    load = result.loads[-1]
    who = "It" if len(result.programs) == 1 else program.name
    return (
        f"{who} takes up to {_times(program.slowest)} its runtime under the widest distribution; "
        f"under a constant of the highest mean, {format_time(result.mean_ns(load), 3)}, "
        f"{_times(program.times(load, NAMES[0]))}."
    )


def _injected(result: Variation) -> str:
    """What is injected, and where."""
    random, loads = result.random, result.loads
    place = {
        "flow": "on the wire",
        "sender": "on the sender's CPU before it posts, as by the injector of Underwood et al.",
    }[random.where]
    each = {
        "message": "a draw per message",
        "pair": "a draw per pair of ranks and run",
        "rank": "a draw per sending rank and run",
    }[random.per]
    noise = f" Computation is noisy as well ({random.noise})." if random.noise else ""
    how = "in place of L" if random.meaning == "total" else "on top of L"
    return (
        f"Latency is injected {how}, {place}, {each}: at {len(loads)} loads "
        f"({format_share(loads[0])} to {format_share(loads[-1])}) five distributions "
        f"of one mean, {format_time(result.mean_ns(loads[0]), 3)} to "
        f"{format_time(result.mean_ns(loads[-1]), 3)}; {result.design.samples:,} runs under "
        f"each, all with random numbers of their own.{noise}"
    )


def _between(programs: Sequence[DesignedProgram]) -> str:
    found = (each.over_distributions for each in programs)
    return between_sentence(found, "Mean and sd of the distributions are")


def _row(program: DesignedProgram) -> tuple[str, ...]:
    """As [U] Table 4, and what holds of the distributions' mean runtimes."""
    runs, means = program.over_runs, program.over_distributions
    if runs is None or means is None:
        return (program.name, *[NONE] * (len(_HEAD) - 1))
    return (
        program.name,
        *coefficients(runs),
        published_p(runs),
        *coefficients(means),
        williams_p(means),
        f"{means.mean.rho:.2f}",
        f"{means.std.rho:.2f}",
    )


def _costs(result: Variation, program: DesignedProgram) -> tuple[str, ...]:
    """What mean and variation cost, each by itself, and how slow it becomes."""
    plane, load = program.plane, result.loads[-1]
    told = program.over_distributions is not None and plane.per_mean > 0
    return (
        program.name,
        format_time(program.T0_ns),
        signed_time(1e3 * plane.per_mean),
        signed_time(1e3 * plane.per_std),
        format_time(1e3 * plane.per_std / plane.per_mean, 2) if told else NONE,
        f"{plane.r_squared:.3f}",
        _times(program.times(load, NAMES[0])),
        _times(program.times(load, FITTED)),
        _times(program.slowest),
    )


def _distributions(result: Variation) -> Section:
    rows = [
        (
            format_share(each.load),
            each.name,
            *map(format_time, (each.mean_ns, each.sd_ns, each.p99_ns, each.most_ns)),
        )
        for each in result.distributions
    ]
    base = result.design.lognormal if result.design.fitted else result.design.text
    return Section(
        "The distributions",
        [Table(("load", "distribution", "mean", "sd", "p99", "largest"), rows)],
        "The location stays, the scale goes with load ρ as ρ/(1 − ρ); at each load the shape keeps "
        f"the mean. The highest load’s lognormal is {base}.",
        "Of tables of 4,096 entries, which is what programs meet: the tail beyond p99.976 is one "
        "entry, so that the sd of the widest is less than the formula’s.",
    )


def _times(ratio: float) -> str:
    return f"{ratio:,.2f}×"


def _studies(programs: Sequence[DesignedProgram]) -> list[Study]:
    return [program.study for program in programs]


def rising_chart(result: Variation) -> Chart:
    """Runtime against the mean, at constant latency and at the fitted lognormal."""
    load = result.loads[-1]
    top = max(result.programs, key=lambda each: each.times(load, FITTED))
    axis = "mean of the injected latency ({unit})"
    sides = [
        Panel(
            title,
            axis,
            [[each.at(load, name) for load in result.loads] for each in result.programs],
            by_mean,
        )
        for title, name in (
            ("constant latency", NAMES[0]),
            ("lognormal of the same means", FITTED),
        )
    ]
    return studies_chart(
        "rising",
        "Rising mean, without and with variation",
        f"{top.name} suffers most at the highest load: {top.times(load, FITTED):.3g} times "
        f"its runtime under the lognormal, {top.times(load, NAMES[0]):.3g} times under a "
        "constant of the same mean.",
        _studies(result.programs),
        sides,
        TIMES,
        runs=False,
        note="As Figs. 11 and 12 of Underwood et al.; points are loads of "
        f"{', '.join(map(format_share, result.loads))}.",
    )


def _lines(programs: Sequence[DesignedProgram]) -> list[Chart]:
    """Mean runtime of each distribution against its mean and against its sd."""
    known = [(each.study, each.over_distributions) for each in programs if each.over_distributions]
    if not known:
        return []
    return [
        lines_chart(
            [study for study, _ in known],
            [found for _, found in known],
            TIMES,
            "",
            " A point is the mean runtime under one distribution; dashed lines are least squares.",
        )
    ]


def spread_chart(result: Variation) -> Chart:
    """Boxes of the runs at two means, by rising variation."""
    loads = [min(result.loads, key=lambda load: abs(load - wanted)) for wanted in (_LOW, _HIGH)]
    data: list[dict[str, Any]] = []
    for panel, load in enumerate(loads):
        for index, program in enumerate(result.programs):
            cells = [program.at(load, name) for name in NAMES]
            labels = [f"sd {format_time(cell.level.sd_ns, 3)}" for cell in cells]
            T = [TIMES.of(program.study, cell.T_ns) for cell in cells]
            data.append(
                marks.box(
                    [each for times in T for each in times],
                    name=program.name,
                    colour=colour(index),
                    x=[label for label, times in zip(labels, T, strict=True) for _ in times],
                    xaxis=axis_name(panel),
                    legendgroup=program.name,
                    offsetgroup=program.name,
                    showlegend=panel == 0,
                    boxmean=True,
                    marker={"color": colour(index), "size": 3},
                )
            )
    ends = NAMES[0], NAMES[-1]
    top = max(result.programs, key=lambda each: each.spread_costs(loads[1], *ends))
    costs = [format_share(top.spread_costs(load, *ends)) for load in loads]
    heads = [
        f"load {format_share(load)}: mean {format_time(result.mean_ns(load), 3)}" for load in loads
    ]
    axes = [theme.axis("", type="category")] * 2
    return Chart(
        "spread",
        "More variation at the same mean",
        f"At {format_share(loads[1])} load the widest distribution costs {top.name} {costs[1]} "
        f"more than a constant of the same mean, at {format_share(loads[0])} load {costs[0]}.",
        panels(HEIGHT, data, heads, axes, TIMES.axis(), boxmode="group"),
        HEIGHT,
        note="As Figs. 15 and 16 of Underwood et al.: the constant first, then lognormals of 100, "
        "75, 50 and 25 % of the fitted scale. Boxes are quartiles of the runs, dashed their mean.",
    )
