"""Advice to run now or to wait, with the reasons."""

from typing import TYPE_CHECKING

import numpy as np

from latitude.files.provenance import made_now
from latitude.lab.cluster.advice.expected import expected_latency, like, neighbours
from latitude.lab.cluster.advice.model import Model, NotEnoughHistoryError, train
from latitude.lab.cluster.advice.score import LEAST_TAIL_TESTED, LEAST_TESTED, score, split
from latitude.lab.cluster.advice.tail import LEAST_RUNS
from latitude.lab.cluster.history import History
from latitude.lab.results.background import (
    CANNOT_SAY,
    NOT_ENOUGH,
    RUN,
    WAIT,
    Answer,
    BackgroundAdvice,
    ExpectedRuns,
    LatencyQuantiles,
    NearestRuns,
    TailForecast,
    TailQuestion,
    TailScore,
    kind_name,
)

if TYPE_CHECKING:
    import pandas as pd

WAIT_ABOVE = 0.30
"""Probability of the tail above which to wait: twice the average 15 %."""
_OUTSIDE = 0.05
"""Largest distance of b from the history's range at which Latitude makes a forecast."""


def advise(
    history: History, question: TailQuestion, *, wait_above: float = WAIT_ABOVE
) -> BackgroundAdvice:
    """Advises to run now or to wait, or reports that the past runs do not suffice."""
    try:
        _require(history, question)
        model = train(history.runs)
        scored = _tested(history, wait_above)
    except NotEnoughHistoryError as error:
        return _advice(history, question, wait_above, NOT_ENOUGH, error.missing, None)
    return _answer(history, question, model, scored, wait_above)


def _tested(history: History, wait_above: float) -> TailScore:
    """The score on the newest runs, because an untested forecast gives no advice."""
    try:
        found = score(*split(history.runs), wait_above)
    except NotEnoughHistoryError as error:
        older = "among the older 70 % of the runs, from which the forecast is tested: "
        raise NotEnoughHistoryError(*(older + text for text in error.missing)) from error
    if found is None:
        raise NotEnoughHistoryError(
            f"newer runs to test the forecast on: at least {LEAST_TESTED}, "
            f"{LEAST_TAIL_TESTED} of them in the tail"
        )
    return found


def _require(history: History, question: TailQuestion) -> None:
    """Raises NotEnoughHistoryError if the history lacks data that this question needs."""
    if not history.timed:
        raise NotEnoughHistoryError(
            "times of the runs (column time): without them nothing can be tested on the future"
        )
    of_kind = like(
        history, TailQuestion(b=question.b, collective=question.collective, bytes=question.bytes)
    )
    kind = kind_name(question.collective, question.bytes)
    if of_kind.runs.empty:
        there = sorted(map(str, set(history.runs["collective"])))
        raise NotEnoughHistoryError(
            f"{kind}: 0 runs of at least {LEAST_RUNS}; it has runs of {', '.join(there)}"
        )
    if len(of_kind.runs) < LEAST_RUNS:
        raise NotEnoughHistoryError(f"{kind}: {len(of_kind.runs)} runs of at least {LEAST_RUNS}")
    same = like(history, question)
    if len(same.runs) < LEAST_RUNS:
        raise NotEnoughHistoryError(
            f"{question.name}: {len(same.runs)} runs of at least {LEAST_RUNS}"
        )
    b = same.runs["b"]
    if not b.min() - _OUTSIDE <= question.b <= b.max() + _OUTSIDE:
        raise NotEnoughHistoryError(
            f"{question.name}: runs at b near {question.b:.2f}; it has been run at "
            f"{b.min():.2f} to {b.max():.2f}"
        )


def _answer(
    history: History, question: TailQuestion, model: Model, scored: TailScore, wait_above: float
) -> BackgroundAdvice:
    asked = _placements(history, question)
    p, low, high = _forecast(model, asked)
    near = _near(history, question, model)
    until = _wait_until(history, question, model, wait_above)
    reasons = _reasons(question, model, scored, near, asked)
    answer: Answer
    if not scored.useful:
        answer = CANNOT_SAY
    elif p >= wait_above:
        answer = WAIT
        reasons.append(
            f"At b of {until:.2f} or less the probability falls under {wait_above:.0%}."
            if until is not None
            else f"At no b seen so far does the probability fall under {wait_above:.0%}; "
            "nodes closer together would help more than waiting."
        )
    else:
        answer = RUN
    latencies = expected_latency(history, question)
    p50, p85, p95, p99 = latencies.quantiles((0.5, 0.85, 0.95, 0.99)).tolist()
    forecast = TailForecast(
        probability=p,
        low=low,
        high=high,
        base_rate=model.base_rate,
        threshold_ns=model.thresholds.ns[question.collective, question.bytes],
        wait_until_b=until,
        near=near,
        expected=ExpectedRuns(
            runs=latencies.runs,
            b_low=latencies.b_low,
            b_high=latencies.b_high,
            quantiles_ns=LatencyQuantiles(p50=p50, p85=p85, p95=p95, p99=p99),
        ),
        score=scored,
    )
    return _advice(history, question, wait_above, answer, tuple(reasons), forecast)


def _advice(
    history: History,
    question: TailQuestion,
    wait_above: float,
    answer: Answer,
    reasons: tuple[str, ...],
    forecast: TailForecast | None,
) -> BackgroundAdvice:
    return BackgroundAdvice(
        provenance=made_now(),
        question=question,
        history=history.name,
        runs=len(history.runs),
        answer=answer,
        reasons=reasons,
        wait_above=wait_above,
        forecast=forecast,
        synthetic=history.synthetic,
    )


def _placements(history: History, question: TailQuestion) -> "pd.DataFrame":
    """One row per past run: the requested run with the placement of the past run.

    Only one row if the question gives the placement.
    """
    part = like(history, question).runs
    if question.placement is not None:
        part = part[:1]
    asked: pd.DataFrame = part.assign(b=question.b)
    return asked


def _forecast(model: Model, asked: "pd.DataFrame") -> tuple[float, float, float]:
    """Mean forecast over the placements that the run may get, weighted by their past frequency."""
    low, high = model.interval(asked)
    return float(model.probability(asked).mean()), float(low.mean()), float(high.mean())


def _near(history: History, question: TailQuestion, model: Model) -> NearestRuns:
    known, inside = model.thresholds.of(like(history, question).runs)
    b = known["b"].to_numpy(np.float64)
    nearest = np.argsort(np.abs(b - question.b), kind="stable")[: neighbours(len(b))]
    return NearestRuns(
        runs=int(nearest.size),
        tail=int(inside[nearest].sum()),
        b_low=float(b[nearest].min()),
        b_high=float(b[nearest].max()),
    )


def _wait_until(
    history: History, question: TailQuestion, model: Model, wait_above: float
) -> float | None:
    """The highest b of the past range at which the probability is below the limit, or None."""
    seen = like(history, question).runs["b"]
    for b in np.arange(float(seen.max()), float(seen.min()) - 0.01, -0.01):
        moved = _placements(history, question).assign(b=float(b))
        if _forecast(model, moved)[0] < wait_above:
            return round(float(b), 2)
    return None


def _reasons(
    question: TailQuestion,
    model: Model,
    scored: TailScore,
    near: NearestRuns,
    asked: "pd.DataFrame",
) -> list[str]:
    ratio = model.odds_ratio(asked[:1], 0.1)
    nearest = (
        f"{near.tail} of the {near.runs} past runs of {question.name} nearest to b = "
        f"{question.b:.2f} (b {near.b_low:.2f} to {near.b_high:.2f}) landed in the tail."
    )
    learnt = (
        f"In {model.runs:,} runs of all kinds, 0.10 more b multiplies the odds of the tail "
        f"by {ratio:.2g} for this one."
    )
    tested = (
        f"Forecasts for the newest {scored.tested} runs, made from the older {scored.trained} "
        f"alone, had a Brier score of {scored.brier:.3f}; the best forecast without b has "
        f"{scored.baseline:.3f}"
    )
    verdict = "." if scored.useful else ": no better than chance, so b does not help here."
    return [nearest, learnt, tested + verdict]
