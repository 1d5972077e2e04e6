"""The box of parameters over which a page's sliders move, and T over this box in few sweeps."""

from collections.abc import Sequence

from latitude import _core
from latitude.analysis.context import LeftOutError
from latitude.analysis.map.find import COMPUTE, MOST_AXES, Axis, Prices
from latitude.files.progress import Progress
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import theta_of
from latitude.results.answer import PathParts
from latitude.results.map import MapAxis, MapOver, Mapped
from latitude.units.quantities import format_share

SWEEPS = 30
"""Largest number of sweeps per alternative for a page's default sliders."""
_AIM = 0.005
"""Error of T at which the sweeps end."""
_WORST = 0.05
"""Largest error of T; less exact sliders are left out."""
MOST_STEPS = 200_000_000
"""Largest product of sweeps and operations of all alternatives, with 250 MB of recorded steps."""
OPERATION_BYTES = 37
"""Bytes of recorded steps per operation."""
_FACTOR = 4.0
"""The box reaches from a quarter of a parameter to four times its value."""
_SCALE = 2.0
"""The box reaches from half of the factor on computation to twice its value."""


class SliderBox:
    """T of alternatives over a box that contains the networks of all alternatives.

    Args:
        networks: the networks, with the links of their ranks.
        name: the page's own parameter.
        high: the upper end of this parameter.
        progress: the display of the progress.
    """

    def __init__(
        self,
        networks: Sequence[tuple[Network, Links]],
        name: str,
        high: float,
        progress: Progress,
    ) -> None:
        self._boxes = _axes(networks, name, high)
        self._count = len(networks)
        self._progress = progress
        self._shown: list[MapAxis] = []
        self._found: dict[int, Mapped | None] = {}
        self._too_much = ""

    def add(
        self,
        number: int,
        label: str,
        graph: _core.Graph,
        network: Network,
        links: Links,
        path: PathParts,
    ) -> None:
        """Maps one alternative, unless its sweeps would exceed MOST_STEPS.

        `path`: the parts of its critical path.
        """
        work = SWEEPS * self._count * graph.vertices
        if work > MOST_STEPS:
            self._too_much = f"{work:,} sweeps times operations are more than {MOST_STEPS:,}"
        if self._too_much:
            return
        prices = Prices(graph, network, links, [axis.name for axis in self._boxes])
        self._shown = [prices.axis(*pair) for pair in enumerate(self._boxes)]
        found = prices.mapped(label, self._shown, _AIM, SWEEPS, self._progress, path)
        if found is not None and found.error > _WORST:
            self._too_much = (
                f"{len(found.planes)} sweeps give T within {format_share(found.error)}, not "
                f"{format_share(_WORST)}; latitude map takes more"
            )
        self._found[number] = found

    def found(self) -> MapOver | None:
        """T of all alternatives, in order; None if an alternative takes no time.

        LeftOutError: the sweeps exceed MOST_STEPS, or T is not exact enough.
        """
        if self._too_much:
            raise LeftOutError(self._too_much)
        every = [each for _, each in sorted(self._found.items()) if each is not None]
        complete = len(every) == self._count
        return MapOver(axes=self._shown, alternatives=every) if complete else None


def _axes(networks: Sequence[tuple[Network, Links]], name: str, high: float) -> list[Axis]:
    """Up to four parameters with their intervals; parameters that are 0 are left out."""
    axes = [_axis(networks, name, high)]
    if name not in ("L", "l_wire", "d_switch"):
        axes.append(_axis(networks, "L", 0.0))
    axes += [_axis(networks, other, 0.0) for other in ("G", "o") if other != name]
    varied = [axis for axis in axes if axis.low < axis.high][: MOST_AXES - 1]
    scales = [network.compute_scale for network, _ in networks]
    computation = Axis(COMPUTE, min(scales) / _SCALE, max(scales) * _SCALE)
    return [*varied, computation] if max(scales) > 0 else varied


def _axis(networks: Sequence[tuple[Network, Links]], name: str, high: float) -> Axis:
    """The axis from below the parameter's least value to `high` or more; empty at 0."""
    thetas = [theta_of(name, network, links) for network, links in networks]
    bases = [theta.base for theta in thetas]
    least = max(theta.least for theta in thetas)
    return Axis(name, max(least, min(bases) / _FACTOR), max(high, max(bases) * _FACTOR))
