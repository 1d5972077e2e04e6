"""Execution graph × network → few planes that give T over a box of parameters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.answer import path_parts
from latitude.analysis.cpu_order import in_order
from latitude.analysis.map.follows import exchanges, tolerances_over, turns
from latitude.analysis.map.sandwich import sandwich
from latitude.analysis.path import steps
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import Provenance, provenance_of
from latitude.model.default_network import network_or_default
from latitude.model.links import Links
from latitude.model.network import Network, warnings_of
from latitude.model.theta import Sweep, Theta, theta_of
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.answer import PathParts
from latitude.results.map import MapAxis, Mapped, ProgramMap
from latitude.trace.program import Program
from latitude.units.arguments import instance
from latitude.units.quantities import format_share, parse_number

COMPUTE = "compute"
"""Name of the axis for the factor on computation."""
ERROR = 0.001
MOST = 200
"""Default number of sweeps, each of which is a pass over the graph."""
MOST_AXES = 4
"""Largest number of axes; a box with more axes needs too many simplices."""
_MOST_FACTOR = 1e6
_VARIED = ("L", "G", "o", "g")
"""Parameters of each link class, in the core's order."""
_ROUNDING = 1e-9
_EXAMPLE = "L=1us:100us"


@dataclass(frozen=True, slots=True)
class Axis:
    """A parameter and its interval."""

    name: str
    """Name as in `--sweep`, or `compute`."""
    low: float
    """Lower end, in ns, ns per byte, or as a factor."""
    high: float

    @classmethod
    def parse(cls, text: str) -> "Axis":
        """Parses `L=1us:100us`, `G=0.01ns:0.1ns`, `L:intra=0.2us:2us`, `compute=0.5:2`."""
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


@dataclass(frozen=True, slots=True)
class OnNetwork:
    """A program on a network, and the label of this alternative."""

    label: str
    program: Program
    network: Network


def map(  # noqa: A001 - the name that users see
    program: Program | Mapping[str, Program],
    network: Network | Mapping[str, Network] | None = None,
    *,
    vary: Sequence[Axis | str],
    error: float = ERROR,
    sweeps: int = MOST,
    progress: Progress | None = None,
) -> ProgramMap:
    """Finds planes that give a program's runtime over a box of parameters.

    T is convex in all parameters together. So T is nowhere below the plane that each sweep gives,
    and nowhere above the interpolation between sweeps. The next sweep is made where these two
    bounds are furthest apart.

    Args:
        program: the program that `latitude.load` returned, or several by label for a comparison.
        network: parameters that are not varied, or several networks by label; by default as in
            `latitude.analyze`. Every program is mapped on every network.
        vary: the parameters and their intervals, e.g. `["L=1us:100us", "G=0.01ns:0.1ns"]`.
        error: largest distance of T above the planes, as a share of T; 0 gives T itself.
        sweeps: largest number of sweeps per alternative; the corners of the box are swept in any
            case.
        progress: display of the progress.

    Raises:
        InputError: a parameter is unknown or given twice, a program takes no time, or operations
            wait in a cycle.
    """
    programs = program if isinstance(program, Mapping) else {"": program}
    networks = network if isinstance(network, Mapping) else {"": network_or_default(network)}
    several = (
        OnNetwork(" · ".join(filter(None, (one, other))), each, on)
        for one, each in programs.items()
        for other, on in networks.items()
    )
    return map_of(several, vary, error, sweeps, progress or Silent())


def map_of(
    alternatives: Iterable[OnNetwork],
    vary: Sequence[Axis | str],
    error: float,
    sweeps: int,
    progress: Progress,
) -> ProgramMap:
    """The map of alternatives that are built one after the other; see `map`."""
    axes = [Axis.parse(each) if isinstance(each, str) else each for each in vary]
    names = [axis.name for axis in axes]
    if not axes or len(set(names)) < len(axes):
        raise InputError(f"vary: give each parameter once, with its interval, e.g. {_EXAMPLE}")
    if len(axes) > MOST_AXES:
        raise InputError(f"vary: at most {MOST_AXES} parameters, not {len(axes)}")
    found: list[Mapped] = []
    warnings: list[Notice] = []
    shown: list[MapAxis] = []
    inputs: dict[Path, Provenance] = {}
    for each in alternatives:
        instance(each.program, Program, "program", 'latitude.load("run")')
        network = each.network.placed_as(each.program.path)
        if each.program.job is not None:
            raise InputError(
                f"{each.program.path} is a job, and its costs are those of the recorded network; "
                "vary one parameter with latitude analyze --sweep"
            )
        program = in_order(each.program, network)
        prices = Prices(program.graph, network, network.links(program.ranks), names)
        prices.refuse_below([axis.low for axis in axes])
        shown = shown or [prices.axis(*pair) for pair in enumerate(axes)]
        progress.stage(f"Sweeping {each.label}".rstrip(), sweeps)
        mapped = prices.mapped(each.label, shown, error, sweeps, progress)
        if mapped is None:
            raise InputError(
                f"{program.path}: takes no time; give the trace of a run that computes"
            )
        found.append(mapped)
        inputs[program.path] = program.provenance()
        warnings += [*program.warnings, *warnings_of(network), *_too_far(mapped, error)]
    if len({each.label for each in found}) < len(found):
        raise InputError("two inputs of the map have the same name; rename one input")
    return ProgramMap(
        provenance=next(iter(inputs.values())) if len(inputs) == 1 else provenance_of([*inputs]),
        axes=shown,
        alternatives=found,
        exchange=[row for each in found for row in exchanges(shown, each)],
        turns=[row for each in found for row in turns(shown, each)],
        tolerance=[row for each in found for row in tolerances_over(shown, each)],
        warnings=list(dict.fromkeys(warnings)),
    )


def _too_far(found: Mapped, error: float) -> list[Notice]:
    """A warning if the sweeps ran out before the error was reached."""
    if found.error <= max(error, _ROUNDING):
        return []
    of = f"{found.label}: " if found.label else ""
    return [
        kinds.MAP_ERROR(
            f"{of}after {len(found.planes):,} sweeps T is known within "
            f"{format_share(found.error)}, not {format_share(error)}; allow more sweeps, or ask "
            "for a smaller box"
        )
    ]


class Prices:
    """A graph on a network, with prices that are functions of the varied parameters."""

    def __init__(
        self, graph: _core.Graph, network: Network, links: Links, names: Sequence[str]
    ) -> None:
        self._graph, self._network, self._links = graph, network, links
        self.thetas = [
            None if name == COMPUTE else theta_of(name, network, links) for name in names
        ]
        self.base = np.array(
            [network.compute_scale if each is None else each.base for each in self.thetas]
        )
        self._rows = np.array([self._row(each) for each in self.thetas])

    def axis(self, index: int, axis: Axis) -> MapAxis:
        """An axis for results."""
        theta = self.thetas[index]
        return MapAxis(
            name=axis.name,
            meaning="computation" if theta is None else theta.meaning,
            unit="" if theta is None else theta.unit,
            low=axis.low,
            high=axis.high,
        )

    def refuse_below(self, lows: Sequence[float]) -> None:
        """Raises InputError if a link would have a negative cost at the lower ends."""
        for theta, low in zip(self.thetas, lows, strict=True):
            if theta is not None:
                theta.refuse_below(low)

    def mapped(
        self,
        label: str,
        axes: Sequence[MapAxis],
        error: float,
        sweeps: int,
        progress: Progress,
        path: PathParts | None = None,
    ) -> Mapped | None:
        """T over the box, in at most `sweeps` sweeps, or one per corner; None if T is 0.

        `path`: the parts of the critical path on the network itself, if they are known.
        """
        model = self.at(self.base)
        planes = model.planes()
        base_ns, slopes = planes.at(self._network_at(self.base), self._rows)
        if base_ns <= 0:
            return None

        def swept(point: Floats) -> tuple[float, Floats]:
            progress.advance(1)
            return planes.at(self._network_at(point), self._rows)

        low, high = [axis.low for axis in axes], [axis.high for axis in axes]
        bounds = sandwich(swept, low, high, error, sweeps)
        if path is None:
            core_path = model.critical_path()
            path = path_parts(core_path, steps(core_path, self._graph), self._links)
        return Mapped(
            label=label,
            T_ns=base_ns,
            base=self.base,
            slope=slopes,
            path=path,
            parameters=self._network.describe(),
            error=bounds.error,
            planes=bounds.planes,
            simplices=bounds.simplices,
        )

    def _row(self, theta: Theta | None) -> list[float]:
        """Slopes along θ of each of _VARIED by class, and of computation."""
        none = [0.0] * len(self._links.classes)
        found: list[float] = []
        for parameter in _VARIED:
            found += none if theta is None or theta.parameter != parameter else theta.weight
        return [*found, 1.0 if theta is None else 0.0]

    def at(self, point: Floats) -> _core.Model:
        """The graph with these values of the parameters."""
        return _core.Model(self._graph, self._network_at(point))

    def _network_at(self, point: Floats) -> _core.Network:
        change = (point - self.base) @ self._rows
        L, G, o, g = change[:-1].reshape(len(_VARIED), -1)
        classes = tuple(
            replace(
                link,
                L=_price(link.L + L[i]),
                G=_price(link.G + G[i]),
                o=_price(link.o + o[i]),
                g=_price(link.g + g[i]),
            )
            for i, link in enumerate(self._links.classes)
        )
        network = replace(
            self._network, compute_scale=_price(self._network.compute_scale + change[-1])
        )
        return network.core_of(replace(self._links, classes=classes))


def _price(value: float) -> float:
    """The price, or 0 if rounding made it negative, because networks reject negative prices."""
    return 0.0 if -_ROUNDING < value < 0 else float(value)
