"""Distributions of equal mean and rising variation ([U] §5.3).

A constant, and lognormals with 100, 75, 50 and 25 % of the fitted scale whose shape keeps the mean.
"""

import math
from dataclasses import dataclass
from typing import Any

import scipy

from latitude.distributions.cells import constant_table, table_of_distribution
from latitude.distributions.names import in_words
from latitude.distributions.table import QuantileTable
from latitude.results.fit import FamilyMember, FittedDistribution, TableFigures

SCALES = (1.0, 0.75, 0.5, 0.25)
"""Of the fitted scale."""
_NARROWEST, _WIDEST = 1e-9, 37.0
"""Shapes: no double is nearer to 1 than exp(s²/2), and none as large."""


@dataclass(frozen=True, slots=True)
class Sibling:
    """A member with its table."""

    member: FamilyMember
    table: QuantileTable


def equal_mean_family(lognormal: FittedDistribution) -> list[Sibling]:
    """The constant first, then by rising variation."""
    return family_of(*(lognormal.parameters[name] for name in ("s", "loc", "scale")))


def family_of(shape: float, loc: float, scale: float) -> list[Sibling]:
    """Of a lognormal with these parameters; loc and scale are ns."""
    mean = float(scipy.stats.lognorm.mean(shape, loc, scale))
    constant = f"constant({mean!r}ns)"
    found = [_sibling("constant", constant, mean, 0.0, constant_table(mean, constant))]
    for share in SCALES:
        parameters = {
            "s": shape_for_mean(mean - loc, share * scale),
            "loc": loc,
            "scale": share * scale,
        }
        frozen: Any = scipy.stats.lognorm(parameters["s"], loc, share * scale)
        words = in_words("lognorm", parameters)
        table = table_of_distribution(frozen, words)
        name = f"lognormal-{round(share * 100)}"
        found.append(_sibling(name, words, float(frozen.mean()), float(frozen.std()), table))
    return found


def shape_for_mean(mean: float, scale: float) -> float:
    """The shape s with which a lognormal of this scale and location 0 has this mean."""
    ratio = mean / scale
    if math.log(ratio) <= _NARROWEST**2:
        return 0.0

    def error(shape: float) -> float:
        return math.log(float(scipy.stats.lognorm.mean(shape))) - math.log(ratio)

    widest = min(_WIDEST, 2 * math.sqrt(2 * math.log(ratio)) + 1)
    return float(scipy.optimize.brentq(error, _NARROWEST, widest, xtol=1e-15, rtol=1e-14))


def _sibling(name: str, words: str, mean: float, sd: float, table: QuantileTable) -> Sibling:
    held = table.after
    figures = TableFigures(mean_ns=held.mean, sd_ns=held.sd, p999_ns=held.p999)
    member = FamilyMember(name=name, distribution=words, mean_ns=mean, sd_ns=sd, table=figures)
    return Sibling(member, table)
