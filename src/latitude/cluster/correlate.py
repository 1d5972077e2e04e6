"""How latency follows b, by collective and size ([B] §5.2, §5.3, Fig. 4 and 5)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.cluster.history import History
from latitude.notices.notice import Notice

if TYPE_CHECKING:
    from latitude.statistics.correlation import Correlation
    from latitude.statistics.modes import Modes

LEAST = 4
"""Runs; Fisher's interval of a correlation needs more than 3."""
LEAST_SAMPLES = 20
"""Samples of a run below which its distribution is not drawn."""
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Panel:
    """One collective at one size: a panel of Fig. 4."""

    collective: str
    bytes: int
    b: Floats
    mean_ns: Floats
    """Mean latency of each run."""
    pearson: "Correlation | None"
    """None, with `reason`, when it cannot be computed."""
    spearman: "Correlation | None"
    pearson_adjusted: float | None
    """p after Benjamini and Hochberg, over all panels and both coefficients."""
    spearman_adjusted: float | None
    slope_ns: float | None
    """Least squares: mean latency gained from b = 0 to b = 1."""
    at_zero_ns: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """The latencies of one run: a curve of Fig. 5."""

    collective: str
    bytes: int
    b: float
    samples_ns: Floats
    modes: "Modes"


@dataclass(frozen=True, slots=True)
class Study:
    """All of it for one placement."""

    history: str
    placement: str
    ranks: int
    runs: int
    synthetic: bool
    panels: tuple[Panel, ...]
    shapes: tuple[Shape, ...]
    warnings: tuple[Notice, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "history": self.history,
            "synthetic": self.synthetic,
            "placement": self.placement,
            "ranks": self.ranks,
            "runs": self.runs,
            "panels": [_panel(panel) for panel in self.panels],
            "distributions": [
                {
                    "collective": shape.collective,
                    "bytes": shape.bytes,
                    "b": shape.b,
                    "samples": int(shape.samples_ns.size),
                    "mean_ns": float(shape.samples_ns.mean()),
                    "modes_ns": list(shape.modes.locations_ns),
                    "dip": shape.modes.dip,
                    "dip_p_value": shape.modes.p_value,
                    "multimodal": bool(shape.modes.multimodal),
                }
                for shape in self.shapes
            ],
            "warnings": [notice.to_json() for notice in self.warnings],
        }


def _panel(panel: Panel) -> dict[str, Any]:
    def coefficient(found: "Correlation | None", adjusted: float | None) -> dict[str, Any] | None:
        if found is None:
            return None
        return {
            "r": found.r,
            "low": found.low,
            "high": found.high,
            "p": found.p,
            "p_adjusted": adjusted,
        }

    return {
        "collective": panel.collective,
        "bytes": panel.bytes,
        "runs": int(panel.b.size),
        "pearson": coefficient(panel.pearson, panel.pearson_adjusted),
        "spearman": coefficient(panel.spearman, panel.spearman_adjusted),
        "slope_ns": panel.slope_ns,
        "at_zero_ns": panel.at_zero_ns,
        "reason": panel.reason or None,
        "points": [
            {"b": b, "mean_ns": mean}
            for b, mean in zip(panel.b.tolist(), panel.mean_ns.tolist(), strict=True)
        ],
    }


def correlate(history: History, *, placement: str | None = None) -> Study:
    """Correlates b with latency in the runs of one placement (the one with most runs)."""
    if history.runs.empty:
        raise InputError(f"{history.name}: no runs in it")
    ranks = int(history.runs["ranks"].mode().iloc[0])
    there = sorted(map(str, history.runs["placement"].unique()))
    chosen = placement or str(history.runs["placement"].mode().iloc[0])
    if chosen not in there:
        raise InputError(
            f"{history.name}: no runs with placement '{chosen}'; it has {', '.join(there)}"
        )
    part = history.select((history.runs["placement"] == chosen) & (history.runs["ranks"] == ranks))
    return Study(
        history=history.name,
        placement=chosen,
        ranks=ranks,
        runs=len(part.runs),
        synthetic=history.synthetic,
        panels=_adjusted(list(_panels(part))),
        shapes=tuple(_shapes(part)),
        warnings=(*history.warnings, *_others(history, part, chosen, ranks)),
    )


def _others(history: History, part: History, placement: str, ranks: int) -> Iterable[Notice]:
    left = len(history.runs) - len(part.runs)
    if left:
        yield Notice(
            "other-runs",
            f"{left:,} runs with another placement or number of ranks are not shown: mixed, they "
            f"would hide what b does (shown: {placement}, {ranks} ranks)",
            "choose with --placement",
        )


def _panels(part: History) -> Iterable[Panel]:
    from latitude.statistics.correlation import pearson, spearman  # noqa: PLC0415 - scipy is slow

    for (collective, size), runs in part.runs.groupby(["collective", "bytes"]):
        b, mean = runs["b"].to_numpy(np.float64), runs["mean_ns"].to_numpy(np.float64)
        try:
            linear, monotone = pearson(b, mean), spearman(b, mean)
        except InputError as error:
            reason = f"only {b.size} runs" if b.size < LEAST else str(error)
            yield Panel(
                str(collective), int(str(size)), b, mean, None, None, None, None, None, None, reason
            )
            continue
        slope, at_zero = np.polyfit(b, mean, 1)
        yield Panel(
            str(collective),
            int(str(size)),
            b,
            mean,
            linear,
            monotone,
            None,
            None,
            float(slope),
            float(at_zero),
        )


def _adjusted(panels: list[Panel]) -> tuple[Panel, ...]:
    """With p-values adjusted for their number."""
    from dataclasses import replace  # noqa: PLC0415

    from scipy.stats import false_discovery_control  # noqa: PLC0415 - slow to import

    tested = [panel for panel in panels if panel.pearson and panel.spearman]
    if not tested:
        return tuple(panels)
    raw = [p.pearson.p for p in tested if p.pearson] + [p.spearman.p for p in tested if p.spearman]
    adjusted = iter(np.split(false_discovery_control(raw), 2))
    linear, monotone = (iter(half.tolist()) for half in adjusted)
    return tuple(
        replace(panel, pearson_adjusted=next(linear), spearman_adjusted=next(monotone))
        if panel.pearson
        else panel
        for panel in panels
    )


def _shapes(part: History) -> Iterable[Shape]:
    """Of the largest size of each collective: the runs with the lowest, middle and highest b."""
    from latitude.statistics.modes import modes  # noqa: PLC0415 - scipy is slow to import

    for collective, runs in part.runs.groupby("collective"):
        largest = runs[(runs["bytes"] == runs["bytes"].max()) & (runs["samples"] >= LEAST_SAMPLES)]
        if largest.empty:
            continue
        order = largest.sort_values("b").index
        for index in dict.fromkeys([order[0], order[len(order) // 2], order[-1]]):
            values = np.sort(part.samples[index])
            yield Shape(
                str(collective),
                int(runs["bytes"].max()),
                float(part.runs.loc[index, "b"]),
                values,
                modes(values),
            )
