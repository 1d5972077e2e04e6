"""Expected latency on the cluster now, from a history of measured latencies."""

from pathlib import Path

import numpy as np

from latitude._core import InputError
from latitude.distributions.cells import table_of_samples
from latitude.distributions.table import QuantileTable
from latitude.lab.cluster.advice import expected_latency
from latitude.lab.cluster.advice.expected import like
from latitude.lab.cluster.history import read_history
from latitude.lab.cluster.slurm import live_jobs, live_nodes
from latitude.lab.cluster.utilization import background
from latitude.lab.results.background import TailQuestion
from latitude.units.quantities import format_time, parse_fraction

_QUIET = 0.01
"""Quantile of all past latencies of this kind that represents the quiet network."""


def latency_table(
    history: Path, at: str | None, collective: str | None, size: int, placement: str | None
) -> tuple[str, QuantileTable]:
    """Excess of past runs' latencies at this b over the quiet network: in words, and as a table.

    Each message gets the latency of the whole collective, which consists of many successive
    messages. So choose a point-to-point test (ping-pong) if the history has one.
    """
    past = read_history(history)
    kinds = sorted(map(str, set(past.runs["collective"])))
    if collective is None:
        if len(kinds) != 1:
            raise InputError(
                f"{history}: has {', '.join(kinds)}; choose with --of, e.g. --of {kinds[0]}"
            )
        collective = kinds[0]
    b = _b(at)
    asked = TailQuestion(b=b, collective=collective, bytes=size, placement=placement)
    expected = expected_latency(past, asked)
    quiet = float(np.quantile(np.concatenate(list(like(past, asked).samples)), _QUIET))
    text = (
        f"{asked.name} at b = {b:.2f} ({expected.runs} past runs at b {expected.b_low:.2f} to "
        f"{expected.b_high:.2f}) beyond the quietest {format_time(quiet)}"
    )
    return text, table_of_samples(np.maximum(expected.samples_ns - quiet, 0.0), text)


def _b(at: str | None) -> float:
    if at is None:
        raise InputError("--background needs --at; give a value of b such as 0.42, or now")
    if at != "now":
        return parse_fraction(at, "at", "0.42, 42% or now")
    return background(live_jobs(), live_nodes()).b
