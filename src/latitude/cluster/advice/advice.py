"""Run now or wait, and why."""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from latitude.cluster.advice.expected import Expected, expected_latency, neighbours
from latitude.cluster.advice.model import Model, NotEnoughHistoryError, train
from latitude.cluster.advice.question import Question, kind_name, like
from latitude.cluster.advice.score import LEAST_TAIL_TESTED, LEAST_TESTED, Score, score, split
from latitude.cluster.advice.tail import LEAST_RUNS
from latitude.cluster.history import History

if TYPE_CHECKING:
    import pandas as pd

RUN, WAIT, CANNOT_SAY, NOT_ENOUGH = "run now", "wait", "cannot say", "not enough history"
WAIT_ABOVE = 0.30
"""Twice the 15 % of runs that lie over the 85th percentile at any time."""
_OUTSIDE = 0.05
"""How far b may lie outside what the history has seen."""
QUANTILES = (0.5, 0.85, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Past runs of the same kind nearest in b, and how many of them lay in the tail."""

    runs: int
    tail: int
    b_low: float
    b_high: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """The tail's probability, and what it rests on."""

    probability: float
    low: float
    high: float
    """95 % interval."""
    base_rate: float
    """Share of all past runs in the tail."""
    threshold_ns: float
    """Mean latency of a run over which it is in the tail."""
    wait_until_b: float | None
    """Highest b seen at which the advice would be to run; None when there is none."""
    near: Neighbours
    expected: Expected
    score: Score

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        values = self.expected.quantiles(QUANTILES).tolist()
        score = {**asdict(self.score), "skill": self.score.skill, "useful": self.score.useful}
        for end in ("gain_low", "gain_high"):
            score[end] = score[end] if math.isfinite(score[end]) else None
        return {
            "probability": self.probability,
            "low": self.low,
            "high": self.high,
            "base_rate": self.base_rate,
            "threshold_ns": self.threshold_ns,
            "wait_until_b": self.wait_until_b,
            "near": asdict(self.near),
            "expected": {
                "runs": self.expected.runs,
                "b_low": self.expected.b_low,
                "b_high": self.expected.b_high,
                "quantiles_ns": {
                    f"p{100 * s:g}": v for s, v in zip(QUANTILES, values, strict=True)
                },
            },
            "score": score,
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """The answer."""

    question: Question
    history: str
    runs: int
    answer: str
    """RUN, WAIT, CANNOT_SAY or NOT_ENOUGH."""
    reasons: tuple[str, ...]
    """Sentences; for NOT_ENOUGH what is missing."""
    wait_above: float
    forecast: Forecast | None = None
    """None when there is not enough history."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "question": asdict(self.question),
            "history": self.history,
            "runs": self.runs,
            "answer": self.answer,
            "reasons": list(self.reasons),
            "wait_above": self.wait_above,
            "forecast": None if self.forecast is None else self.forecast.to_dict(),
        }


def advise(history: History, question: Question, *, wait_above: float = WAIT_ABOVE) -> Advice:
    """Whether to run now, from past runs; says so when they do not suffice."""
    try:
        _require(history, question)
        model = train(history.runs)
        scored = _tested(history, wait_above)
    except NotEnoughHistoryError as error:
        return Advice(
            question,
            history.name,
            len(history.runs),
            NOT_ENOUGH,
            error.missing,
            wait_above,
        )
    return _answer(history, question, model, scored, wait_above)


def _tested(history: History, wait_above: float) -> Score:
    """The score on the newest runs: an untested forecast gives no advice."""
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


def _require(history: History, question: Question) -> None:
    """NotEnoughHistoryError with what this question needs and the history lacks."""
    if not history.timed:
        raise NotEnoughHistoryError(
            "times of the runs (column time): without them nothing can be tested on the future"
        )
    of_kind = like(history, Question(question.b, question.collective, question.bytes))
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
    history: History, question: Question, model: Model, scored: Score, wait_above: float
) -> Advice:
    asked = _placements(history, question)
    p, low, high = _forecast(model, asked)
    near = _near(history, question, model)
    until = _wait_until(history, question, model, wait_above)
    reasons = _reasons(question, model, scored, near, asked)
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
    forecast = Forecast(
        p,
        low,
        high,
        model.base_rate,
        model.thresholds.ns[question.collective, question.bytes],
        until,
        near,
        expected_latency(history, question),
        scored,
    )
    return Advice(
        question, history.name, len(history.runs), answer, tuple(reasons), wait_above, forecast
    )


def _placements(history: History, question: Question) -> "pd.DataFrame":
    """The asked run, once for each past run's placement: one when the placement is given."""
    part = like(history, question).runs
    if question.placement is not None:
        part = part[:1]
    asked: pd.DataFrame = part.assign(b=question.b)
    return asked


def _forecast(model: Model, asked: "pd.DataFrame") -> tuple[float, float, float]:
    """Mean over the placements it may get, each as often as it was got before."""
    low, high = model.interval(asked)
    return float(model.probability(asked).mean()), float(low.mean()), float(high.mean())


def _near(history: History, question: Question, model: Model) -> Neighbours:
    known, inside = model.thresholds.of(like(history, question).runs)
    b = known["b"].to_numpy(np.float64)
    nearest = np.argsort(np.abs(b - question.b), kind="stable")[: neighbours(len(b))]
    return Neighbours(
        int(nearest.size),
        int(inside[nearest].sum()),
        float(b[nearest].min()),
        float(b[nearest].max()),
    )


def _wait_until(
    history: History, question: Question, model: Model, wait_above: float
) -> float | None:
    """The highest b seen at which the probability is under the limit."""
    seen = like(history, question).runs["b"]
    for b in np.arange(float(seen.max()), float(seen.min()) - 0.01, -0.01):
        moved = _placements(history, question).assign(b=float(b))
        if _forecast(model, moved)[0] < wait_above:
            return round(float(b), 2)
    return None


def _reasons(
    question: Question, model: Model, scored: Score, near: Neighbours, asked: "pd.DataFrame"
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
        f"alone, had a Brier score of {scored.brier:.3f}; the best that can be said without b "
        f"has {scored.baseline:.3f}"
    )
    verdict = "." if scored.useful else ": no better than chance, so b says nothing here."
    return [nearest, learnt, tested + verdict]
