"""Documents about b: its present value, and its relation to past latencies."""

from pathlib import Path

import numpy as np

from latitude.lab.documents.background_charts import (
    SIGNIFICANT,
    calibration_chart,
    coefficient,
    panels_chart,
    shapes_chart,
)
from latitude.lab.results.background import (
    AdjustedCorrelation,
    BackgroundAdvice,
    BackgroundCorrelation,
    BackgroundNow,
    BackgroundPanel,
    JobLocality,
    TailScore,
)
from latitude.render.document import (
    Bullets,
    Card,
    Cell,
    Document,
    File,
    Line,
    Origin,
    Part,
    Section,
    Table,
    Warned,
    code,
    strong,
)
from latitude.render.tables import table
from latitude.units.quantities import counted, format_count, format_share, format_time, signed

_METHOD = (
    "Method: Salimi Beni and Cosenza, “An Analysis of Long-tailed Network Latency Distribution and "
    "Background Traffic on Dragonfly+”, Bench’22, §5 and Fig. 4 and 5."
)
_SYNTHETIC = (
    "The latencies and the b shown here were made up by “latitude background synthetic”. Nothing "
    "here was measured."
)


def correlation_document(result: BackgroundCorrelation) -> Document:
    """Document about b's effect on latency, its distributions, and the forecast of the tail."""
    shapes, score = shapes_chart(result), result.forecast
    tested = calibration_chart(score) if score is not None else None
    parts: list[Part] = [Warned("Synthetic data.", _SYNTHETIC)] if result.synthetic else []
    parts += [panels_chart(result), _correlations(result)]
    parts += [each for each in (shapes, _modes(result), tested) if each is not None]
    if score is not None:
        parts.append(_score_table(score))
    return Document(
        kind="background traffic",
        name=Path(result.history).name or result.history,
        title="background traffic and latency",
        facts=_facts(result),
        headline=panels_chart(result).reading,
        answer=[f"{tested.title} {tested.reading}" if tested else result.forecast_untested or ""],
        cards=_cards(result),
        parts=[*parts, _MEANING],
        notices=result.warnings,
        files=[File("correlation.json", result.to_json)],
        origin=[
            Origin("command", code(result.provenance.command)),
            Origin("history", code(result.history)),
            Origin("date", result.provenance.date),
            Origin("Latitude", result.provenance.version),
        ],
        method=_METHOD,
    )


_MEANING = Section(
    "Meaning and limits of b",
    [
        Bullets(
            (
                (
                    "b counts nodes, not bytes: a job that computes for hours without a message "
                    "counts like one that never stops sending."
                ),
                (
                    "b is one number for the whole cluster: traffic close to the job and far from "
                    "the job weigh the same."
                ),
                ("A correlation is not a cause: other changes over the same weeks are not in b."),
            )
        )
    ],
    reading="b = N_c/N_t · N′_c/N_a: the share of the cluster’s nodes that run jobs of two or more "
    "nodes, weighted by the share of such jobs in all allocated nodes.",
)


def _facts(result: BackgroundCorrelation) -> list[str]:
    facts = ["synthetic data"] if result.synthetic else []
    facts += [counted(result.runs, "run"), result.placement]
    if result.ranks:
        facts.append(counted(result.ranks, "rank"))
    return [*facts, f"{counted(len(result.panels), 'combination')} of collective and size"]


def _cards(result: BackgroundCorrelation) -> list[Card]:
    b = np.concatenate([panel.points.b for panel in result.panels])
    cards = [
        Card(
            "b seen",
            f"{format_share(float(b.min()))} – {format_share(float(b.max()))}",
            "of the cluster's nodes",
        ),
        Card("runs", f"{result.runs:,}", result.placement),
    ]
    found = [panel.spearman.r for panel in result.panels if panel.spearman]
    if found:
        strongest = f"ρ = {coefficient(max(found, key=abs))}"
        cards.append(Card("strongest correlation", strongest, "Spearman, b with latency"))
    if result.forecast is not None:
        better = f"{100 * result.forecast.skill:.0f}%"
        cards.append(Card("forecast", better, "better than without b (Brier)"))
    return cards


def _correlations(result: BackgroundCorrelation) -> Table:
    return table(
        result.panels,
        "name",
        "runs",
        ("Pearson r (95 % interval)", lambda panel: panel.reason or _interval(panel.pearson)),
        ("Spearman ρ (95 % interval)", lambda panel: _interval(panel.spearman)),
        ("adjusted p of ρ", _adjusted),
        ("10 points of b cost", _cost),
    )


def _interval(found: AdjustedCorrelation | None) -> str:
    if found is None:
        return ""
    return f"{coefficient(found.r)} ({coefficient(found.low)} to {coefficient(found.high)})"


def _adjusted(panel: BackgroundPanel) -> Line:
    if panel.spearman is None:
        return ""
    p = panel.spearman.p_adjusted
    shown = f"{p:.2g}" if p >= 1e-4 else "< 0.0001"  # noqa: PLR2004 - four digits are plenty
    return strong(shown) if p < SIGNIFICANT else shown


def _cost(panel: BackgroundPanel) -> str:
    return "" if panel.spearman is None else signed((panel.slope_ns or 0.0) / 10, 3, "")


def _modes(result: BackgroundCorrelation) -> Section | None:
    """Runs whose latencies have two modes, and the latencies of these modes, for the terminal."""
    double = [shape for shape in result.distributions if shape.multimodal]
    if not double:
        return None
    shown = table(double, "name", "b", "at", "dip_p_value")
    return Section("Two modes", [shown], page=False)


def _score_table(score: TailScore) -> Table:
    """The forecast next to its baselines."""
    return Table(
        ("said of each new run", "Brier score", "precision", "recall"),
        [
            (
                "forecast from b, placement and size",
                f"{score.brier:.4f}",
                _share(score.precision),
                _share(score.recall),
            ),
            ("base rate of the placement", f"{score.brier_placement:.4f}", "", ""),
            ("base rate of all runs", f"{score.brier_base:.4f}", "", ""),
        ],
    )


def _share(value: float | None) -> str:
    return "none called" if value is None else format_share(value)


def now_document(result: BackgroundNow) -> Document:
    """The present b and its parts, for the terminal."""
    parts = (
        ("N_c", result.N_c, "different nodes in running jobs of two or more nodes"),
        ("N_t", result.N_t, "nodes of the cluster"),
        ("N'_c", result.N_c_repeated, "as N_c, each node once for each of these jobs"),
        ("N_a", result.N_a, "nodes of all running jobs, once for each job"),
    )
    jobs = result.jobs
    counts = (
        (jobs.communicating, "on two or more nodes"),
        (jobs.one_node, "on one node (left out)"),
        (jobs.pending, "pending (left out)"),
        (jobs.other, "neither running nor pending (left out)"),
        (jobs.unknown, "in an unknown state (left out)"),
        (jobs.excluded, "excluded on request"),
    )
    said = ", ".join(f"{format_count(count)} {what}" for count, what in counts if count)
    rows = [(name, format_count(count), Cell(meaning)) for name, count, meaning in parts]
    return Document(
        name="b of the queue",
        facts=[f"from {result.source}"],
        headline=f"b = {result.b:.3f} ({format_share(result.b)})",
        parts=[Table(("", "", ""), rows, brief=len(rows))],
        closing=[
            f"Jobs: {said or 'none'}. Nodes shared: {format_count(result.shared)}.",
            f"Without shared nodes' weight, eq. (1): b = {result.b_unique:.3f}.",
        ],
        notices=result.warnings,
        files=[File("now.json", result.to_json)],
    )


def locality_document(result: JobLocality) -> Document:
    """The distance between the nodes, for the terminal."""
    groups, islands = (
        f"{counted(len(names), what)} ({', '.join(names)})" if names else f"no {what}"
        for what, names in (("group", result.groups), ("island", result.islands))
    )
    return Document(
        name="locality",
        headline=f"{result.level}: {counted(result.nodes, 'node')} in {groups}, {islands}",
        files=[File("locality.json", result.to_json)],
    )


def advice_document(result: BackgroundAdvice) -> Document:
    """The advice to run now or to wait, with numbers and reasons, for the terminal."""
    found, question = result.forecast, result.question
    head = result.answer[:1].upper() + result.answer[1:]
    parts: list[Part] = []
    if result.synthetic:
        parts.append(Warned("Synthetic history:", "nothing in it was measured."))
    if found is None:
        lacks = f"The history ({counted(result.runs, 'run')}) lacks:"
        parts.append(Section(lacks, [Bullets(result.reasons)], terminal=True))
        answer = []
    else:
        answer = [
            (
                f"Probability of the long tail: {format_share(found.probability)} "
                f"({format_share(found.low)} to {format_share(found.high)}); "
                f"{format_share(found.base_rate)} of all runs land there, with a mean latency over "
                f"{format_time(found.threshold_ns)}."
            )
        ]
        parts.append(Section("Why", [Bullets(result.reasons)], terminal=True))
        latencies = found.expected.quantiles_ns.plain()
        named = ", ".join(f"{name} {format_time(ns)}" for name, ns in latencies.items())
        runs = found.expected.runs
        closing = [f"Expected latency, from the {runs} runs nearest in b: {named}."]
        score = found.score
        if score.precision is not None and score.recall is not None:
            closing.append(
                f"Tested on {score.tested:,} newer runs: of those it would have held back, "
                f"{format_share(score.precision)} landed in the tail; it would have held back "
                f"{format_share(score.recall)} of the tail."
            )
    return Document(
        name=question.name,
        facts=[f"b = {question.b:.2f}"],
        headline=f"{head}: {question.name} at b = {question.b:.2f}",
        answer=answer,
        parts=parts,
        closing=closing if found is not None else (),
        files=[File("advice.json", result.to_json)],
    )
