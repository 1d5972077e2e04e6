"""The distributions of the experiment: levels of mean × levels of variation at equal mean.

[U] §5.3 fits a lognormal to the latency under each background load, and puts beside it four others
of the same mean: a constant, and lognormals with 75, 50 and 25 % of its scale. Its fits are not
printed. Here the lognormal of the highest load is given, and those of lower loads follow from it:
the location, which is the idle network's latency, stays, and the scale goes as the mean wait in a
queue under that load, ρ/(1 − ρ).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.distributions import QuantileTable, parse_distribution, parse_table
from latitude.distributions.fitting.family import SCALES, family_of, with_mean
from latitude.distributions.fitting.lognormal import fit_lognormal
from latitude.distributions.names import in_words
from latitude.distributions.specification import parameters_of
from latitude.distributions.table import SIZE
from latitude.random.forecast import LatencySource
from latitude.results.levels import CONSTANT, DISTRIBUTION, Level

LOADS = tuple(tenth / 10 for tenth in range(1, 9))
"""Shares of the network's bandwidth; [U] §5.2 stops at 80 %, over which latency is chaotic."""
NAMES = ("constant", *(f"lognormal-{round(share * 100)}" for share in SCALES))
"""By rising variation."""
FITTED = NAMES[1]


@dataclass(frozen=True, slots=True)
class Lognormal:
    """A lognormal with a location: `loc + scale·exp(shape·z)`; loc and scale are ns."""

    text: str
    """What it was asked for as."""
    shape: float
    loc: float
    scale: float
    fitted: bool = False
    """To something that is not itself a lognormal."""

    def in_words(self) -> str:
        """What `--latency` reads."""
        return in_words("lognorm", {"s": self.shape, "loc": self.loc, "scale": self.scale})


PUBLISHED = Lognormal("lognorm(s=1.5,loc=6us,scale=11us)", 1.5, 6_000.0, 11_000.0)
"""For lack of [U]'s fits: its idle latency of 6 µs (Fig. 4), and a widest sd over 400 µs (§7)."""


@dataclass(frozen=True, slots=True, eq=False)
class Treatment:
    """One distribution of the design."""

    load: float
    name: str
    """constant, lognormal-100, …"""
    latency: LatencySource

    @property
    def level(self) -> Level:
        """Its place in the table of runs."""
        mean, sd = self.latency.mean, self.latency.sd
        kind = DISTRIBUTION if sd else CONSTANT
        return Level(self.name, kind, mean_ns=mean, sd_ns=sd, load=self.load)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """All distributions, by rising load and in it by rising variation."""

    base: Lognormal
    """Of the highest load."""
    treatments: tuple[Treatment, ...]

    @property
    def loads(self) -> list[float]:
        """Rising."""
        return sorted({treatment.load for treatment in self.treatments})


def design(base: Lognormal = PUBLISHED, loads: Sequence[float] = LOADS) -> Design:
    """The family of equal means at each load, `base` being the lognormal of the highest one.

    Raises:
        InputError: fewer than two loads, or one that is not between 0 and 1.
    """
    if len(set(loads)) < 2 or not all(0 < load < 1 for load in loads):  # noqa: PLR2004
        raise InputError("loads: give two or more different ones between 0 and 1, e.g. 0.2 and 0.7")
    highest = _wait(max(loads))
    found = []
    for load in sorted(set(loads)):
        constant, *others = family_of(base.shape, base.loc, base.scale * _wait(load) / highest)
        # The mean that the fitted one's table of whole ns has; a table would mix two neighbours.
        ns = float(others[0].table.values.mean())
        found.append(
            Treatment(
                load, constant.member.name, LatencySource(f"constant({ns!r}ns)", np.full(SIZE, ns))
            )
        )
        found += [
            Treatment(
                load, each.member.name, LatencySource.of(each.member.distribution, each.table)
            )
            for each in others
        ]
    return Design(base, tuple(found))


def lognormal_of(text: str, unit: str | None = None) -> Lognormal:
    """The lognormal of these words; of anything else the one that is most likely to give it."""
    found = parse_distribution(text, unit)
    if isinstance(found, QuantileTable) or found.dist.name != "lognorm":
        return fitted_to(parse_table(text, unit).values.astype(np.float64), text)
    parameters = parameters_of(found)
    if parameters["loc"] < 0:
        raise InputError(f"{text}: its location is below 0, but latencies are not; give loc=0us")
    return Lognormal(text, parameters["s"], parameters["loc"], parameters["scale"])


def fitted_to(values: Floats, text: str) -> Lognormal:
    """The lognormal of these latencies' mean (ns), most likely but for that, as in [U] §5.3."""
    if values.min() == values.max():
        raise InputError(
            f"suite: '{text}' does not vary; give the lognormal of the highest load, e.g. "
            f"--latency '{PUBLISHED.text}'"
        )
    found = fit_lognormal(np.sort(values))
    (shape,), loc = found.shapes, max(found.loc, 0.0)
    kept = with_mean(shape, loc, found.scale, float(values.mean()))
    return Lognormal(text, *kept, fitted=True)


def _wait(load: float) -> float:
    return load / (1 - load)
