"""What a program meets: no latency, a constant, a distribution, a step of a sweep, real load."""

from dataclasses import dataclass

from latitude.results.injection import Layer

NONE, CONSTANT, DISTRIBUTION, SWEEP, LOAD = "none", "constant", "distribution", "sweep", "load"
KINDS = (NONE, CONSTANT, DISTRIBUTION, SWEEP, LOAD)


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """What a program meets. Times in ns."""

    name: str
    kind: str
    """One of KINDS."""
    family: str | None = None
    """Levels of one family have one mean."""
    layer: Layer | None = None
    """None where nothing is injected."""
    mean_ns: float = 0.0
    sd_ns: float = 0.0
    load: float | None = None
    """Share of the bandwidth: generated when `kind` is load; else the one it stands for."""

    @property
    def rising(self) -> tuple[int, float, float, float]:
        """Sorts levels: by kind, load, mean, sd."""
        load = self.load if self.kind == LOAD and self.load is not None else 0.0
        return KINDS.index(self.kind), load, self.mean_ns, self.sd_ns
