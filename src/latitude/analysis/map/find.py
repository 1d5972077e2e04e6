"""Execution graph × network → few planes that give T over a box of parameters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.cpu_order import in_order
from latitude.analysis.map.sandwich import sandwich
from latitude.files.progress import Progress, Silent
from latitude.model.default_network import network_or_default
from latitude.model.links import Links
from latitude.model.network import Network, warnings_of
from latitude.model.theta import Sweep, Theta, theta_of
from latitude.notices import kinds
from latitude.results.map import AtNetwork, MapAxis, ProgramMap
from latitude.trace.program import Program
from latitude.units.quantities import format_share, parse_number

COMPUTE = "compute"
"""The factor on computation, as an axis."""
ERROR = 0.001
MOST = 200
"""Sweeps, unless more are asked for: each is a pass over the graph."""
MOST_AXES = 4
"""Beyond that the simplices that fill a box are too many."""
_MOST_FACTOR = 1e6
_ROUNDING = 1e-9
_EXAMPLE = "L=1us:100us"


@dataclass(frozen=True, slots=True)
class Axis:
    """A parameter, and the interval in which T is asked for."""

    name: str
    """As in `--sweep`, or `compute`."""
    low: float
    """ns, ns per byte, or a factor."""
    high: float

    @classmethod
    def parse(cls, text: str) -> "Axis":
        """`L=1us:100us`, `G=0.01ns:0.1ns`, `L:intra=0.2us:2us`, `compute=0.5:2`."""
        name, equals, interval = text.partition("=")
        if not equals:
            raise InputError(f"vary: '{text}' has no interval; write e.g. {_EXAMPLE}")
        if name != COMPUTE:
            found = Sweep.parse(text).interval
            assert found is not None  # noqa: S101 - there is an interval
            return cls(name, *found)
        low, _, high = interval.partition(":")
        what = "a factor on computation"
        ends = [parse_number(end, what, 0, _MOST_FACTOR) for end in (low, high)]
        if not ends[0] < ends[1]:
            raise InputError(f"vary: '{interval}' is empty; the first end must be smaller")
        return cls(name, *ends)


def program_map(
    program: Program,
    network: Network | None = None,
    *,
    vary: Sequence[Axis | str],
    error: float = ERROR,
    sweeps: int = MOST,
    progress: Progress | None = None,
) -> ProgramMap:
    """Finds planes that give a program's runtime over a box of parameters.

    T is convex in all of them together: each sweep gives a plane that T is nowhere below, and what
    is interpolated between sweeps T is nowhere above. Sweeps go where these two are furthest apart.

    Args:
        program: what `latitude.load` returned.
        network: parameters that are not varied; defaults are those of [S] §III.B.
        vary: the parameters and their intervals, e.g. `["L=1us:100us", "G=0.01ns:0.1ns"]`.
        error: how far T may be above the planes, as a share of it; 0 for T itself.
        sweeps: at most so many; the corners of the box are swept in any case.
        progress: told how far the work is.

    Raises:
        InputError: a parameter is unknown or given twice, the program takes no time, or operations
            wait in a circle.
    """
    progress = progress or Silent()
    network = network_or_default(network).placed_as(program.path)
    axes = [Axis.parse(each) if isinstance(each, str) else each for each in vary]
    names = [axis.name for axis in axes]
    if not axes or len(set(names)) < len(axes):
        raise InputError(f"vary: give each parameter once, with its interval, e.g. {_EXAMPLE}")
    if len(axes) > MOST_AXES:
        raise InputError(f"vary: at most {MOST_AXES} parameters, not {len(axes)}")
    program = in_order(program, network)
    prices = _Prices(program, network, names)
    for theta, axis in zip(prices.thetas, axes, strict=True):
        if theta is not None:
            theta.refuse_below(axis.low)
    base_ns, slopes = prices.tangent(prices.base)
    if base_ns <= 0:
        raise InputError(f"{program.path}: takes no time; give the trace of a run that computes")
    progress.stage("Sweeping", sweeps)

    def swept(point: Floats) -> tuple[float, Floats]:
        progress.advance(1)
        return prices.tangent(point)

    low, high = [axis.low for axis in axes], [axis.high for axis in axes]
    bounds = sandwich(swept, low, high, error, sweeps)
    within = [
        kinds.MAP_ERROR(
            f"after {len(bounds.planes):,} sweeps T is known within {format_share(bounds.error)}, "
            f"not {format_share(error)}; allow more sweeps, or ask for a smaller box"
        )
    ]
    return ProgramMap(
        provenance=program.provenance(),
        axes=[
            _axis(*each)
            for each in zip(axes, prices.thetas, prices.base.tolist(), slopes.tolist(), strict=True)
        ],
        network=AtNetwork(T_ns=base_ns, parameters=network.describe()),
        error=bounds.error,
        planes=bounds.planes,
        simplices=bounds.simplices,
        warnings=program.warnings
        + warnings_of(network)
        + (within if bounds.error > max(error, _ROUNDING) else []),
    )


class _Prices:
    """The network where parameters have other values, and how its prices follow them."""

    def __init__(self, program: Program, network: Network, names: Sequence[str]) -> None:
        self._graph = program.graph
        self._network = network
        self._links: Links = network.links(program.ranks)
        self.thetas = [
            None if name == COMPUTE else theta_of(name, network, self._links) for name in names
        ]
        self.base = np.array(
            [network.compute_scale if each is None else each.base for each in self.thetas]
        )
        self._rows = np.array([self._row(each) for each in self.thetas])

    def _row(self, theta: Theta | None) -> list[float]:
        """What one more unit adds to a latency and a byte of each class, to o, to computation."""
        none = [0.0] * len(self._links.classes)
        if theta is None:
            return [*none, *none, 0.0, 1.0]
        weight = [*(theta.weight or none)]
        latency, gap = theta.parameter == "L", theta.parameter == "G"
        overhead = float(theta.parameter == "o")
        return [*(weight if latency else none), *(weight if gap else none), overhead, 0.0]

    def tangent(self, point: Floats) -> tuple[float, Floats]:
        """T at a point, ns, and its slope along each parameter there."""
        return _core.Model(self._graph, self._at(point)).tangent(self._rows)

    def _at(self, point: Floats) -> _core.Network:
        change = (point - self.base) @ self._rows
        count = len(self._links.classes)
        classes = tuple(
            replace(link, L=_price(link.L + more), G=_price(link.G + longer))
            for link, more, longer in zip(
                self._links.classes, change[:count], change[count:-2], strict=True
            )
        )
        network = replace(
            self._network,
            o=_price(self._network.o + change[-2]),
            compute_scale=_price(self._network.compute_scale + change[-1]),
        )
        return network.core_of(replace(self._links, classes=classes))


def _price(value: float) -> float:
    """0 where rounding alone makes it negative; the network refuses others."""
    return 0.0 if -_ROUNDING < value < 0 else value


def _axis(axis: Axis, theta: Theta | None, base: float, slope: float) -> MapAxis:
    """An axis as results have it; `theta` is None for computation."""
    return MapAxis(
        name=axis.name,
        meaning="computation" if theta is None else theta.meaning,
        unit="" if theta is None else theta.unit,
        low=axis.low,
        high=axis.high,
        base=base,
        slope=slope,
    )
