"""The random quantities, and the graph compiled for their draws."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from latitude import _core
from latitude._core import InputError
from latitude.distributions.table import ENDS_AT
from latitude.model.network import Network
from latitude.random.forecast.source import LatencySource, NoiseSource, Source
from latitude.units.arguments import flag, whole

Where = Literal["flow", "sender"]
Per = Literal["message", "pair", "rank"]
NoisePer = Literal["vertex", "rank"]


@dataclass(frozen=True, slots=True)
class Random:
    """The place of random latency and noise in the model."""

    latency: LatencySource
    where: Where = "flow"
    """Place of the latency: on the wire, or on the CPU that posts the message."""
    per: Per = "message"
    """Messages that share a draw in a sample: none, those of a pair of ranks, or of a sending rank.
    """
    total: bool = False
    """Whether draws replace L; otherwise they are added to L."""
    noise: NoiseSource | None = None
    noise_per: NoisePer = "vertex"
    """Computations that share a factor: none, or all of a rank."""
    seed: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.latency, LatencySource):
            raise InputError("latency: give times, of parse_latency, not factors of parse_noise")
        if self.noise is not None and not isinstance(self.noise, NoiseSource):
            raise InputError("noise: give factors, of parse_noise, not times of parse_latency")
        for name, known in (("where", Where), ("per", Per), ("noise_per", NoisePer)):
            if getattr(self, name) not in get_args(known):
                raise InputError(
                    f"{name}: '{getattr(self, name)}' is unknown; use {', '.join(get_args(known))}"
                )
        flag(self.total, "total")
        whole(self.seed, "seed")
        if self.total and self.where == "sender":
            raise InputError(
                "latency on the sender's CPU comes on top of L: use --latency-is added"
            )

    @property
    def known_to(self) -> float:
        """The quantile beyond which runtimes are unknown, because the tables of draws end."""
        return ENDS_AT if any(source.varies for source in self.sources) else 1.0

    @property
    def sources(self) -> list[Source]:
        """The sources of all draws."""
        return [self.latency, *([] if self.noise is None else [self.noise])]

    def network(self, network: Network) -> Network:
        """The network to whose latency the draws are added."""
        if not self.total:
            return network
        if network.topology is not None or network.rules:
            raise InputError(
                "--latency-is total replaces one L for all messages: with a topology or link "
                "rules use --latency-is added"
            )
        return replace(network, L=0.0)


def compile_random(
    graph: _core.Graph,
    network: Network,
    random: Random,
    bounds: tuple[float, float] | None = None,
) -> _core.RandomDag:
    """The graph ready for sampling; `bounds` (ns) contain the values of later tables."""
    return _core.Model(graph, random.network(network).core(graph.ranks)).random(
        random.latency.values,
        where=random.where,
        per=random.per,
        noise=None if random.noise is None else random.noise.values,
        noise_per=random.noise_per,
        bounds=bounds,
    )
