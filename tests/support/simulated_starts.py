"""Starts of the program of `latitude measure loggps` on a network whose parameters are known.

Each start has its own parameters, normal about the true values. Its samples differ from their ideal
values by noise, in rounds of one value. Half round trips are linear in what differs, so that the
mean of all possible starts has the true parameters.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from latitude.measure.loggps.fitting import READINGS
from latitude.measure.results import BenchResults, Series
from latitude.results.measurement import Reading

MESSAGES = 2
SIZES = (1, 64, 1024)


@dataclass(frozen=True)
class Truth:
    """Parameters, ns and ns per byte; spreads are shares."""

    L: float = 1_500.0
    send: float = 300.0
    receive: float = 500.0
    g: float = 2_000.0
    slope: float = 0.8
    O: float = 0.2
    S: int = 8192
    spread: float = 0.05
    """Relative spread of each parameter from start to start."""
    noise: float = 0.02
    samples: int = 25
    reading: Reading = "handshake"
    between: float = 0.0
    """Position of messages above S on the way to the reading `llamp`, as a share."""

    def of(self) -> Mapping[str, float]:
        """The true values by the names of replicates."""
        o = (self.send + self.receive) / 2
        both = {"send": self.send, "receive": self.receive}
        return {"L": self.L, "o": o, **both, "g": self.g, "slope": self.slope, "O": self.O}


def simulated(truth: Truth, starts: int, random: np.random.Generator) -> list[BenchResults]:
    """The results of a measurement with this number of starts."""
    return [_start(truth, random) for _ in range(starts)]


def _start(truth: Truth, random: np.random.Generator) -> BenchResults:
    names = ("L", "send", "receive", "g", "slope", "O")
    here = {
        name: truth.of()[name] * (1 + truth.spread * random.standard_normal()) for name in names
    }
    o = (here["send"] + here["receive"]) / 2
    found = [
        _series("pair", 0, np.array([1.0, truth.samples, 0, truth.S, truth.S, truth.S]), inside="0")
    ]

    def timed(name: str, size: int, *times: float) -> None:
        shape = (truth.samples, len(times))
        values = np.array(times) * (1 + truth.noise * random.standard_normal(shape))
        messages = {"ping": 1, "recvs": 1, "held": 1}.get(name, MESSAGES)
        rounds = np.full(truth.samples, float(len(times)))
        found.append(_series("rounds", size, rounds, of=name))
        found.append(_series(name, size, values.ravel(), messages=str(messages)))

    def rendezvous(end: int, size: int) -> float:
        counts = zip(READINGS[truth.reading][end], READINGS["llamp"][end], strict=True)
        parts = [(1 - truth.between) * own + truth.between * other for own, other in counts]
        return parts[0] * here["L"] + parts[1] * o + (size - 1) * here["slope"]

    def half(size: int) -> float:
        if size > truth.S:
            return rendezvous(0, size)
        return here["L"] + 2 * o + (size - 1) * here["slope"]

    late = (truth.S + 1, 4 * truth.S, 16 * truth.S)
    for size in (*SIZES, truth.S, *late):
        timed("ping", size, half(size))
    for size in late:
        timed("held", size, rendezvous(1, size))
    for size in (*SIZES, truth.S):
        whole = 2 * half(size) + (MESSAGES - 1) * here["g"]
        each = here["send"] + here["O"] * (size - 1)
        timed("stream", size, whole)
        timed("sends", size, *([each] * (MESSAGES - 1)), 2 * half(size) + (MESSAGES - 1) * each)
        timed("recvs", size, here["receive"] + here["O"] * (size - 1))
    return BenchResults("loggps", (), tuple(found))


def _series(name: str, size: int, values: np.ndarray, **labels: str) -> Series:
    return Series(name, {"a": "0", "b": "1", "bytes": str(size), **labels}, values)
