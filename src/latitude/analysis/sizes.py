"""Efficiencies of one program at several sizes (POP, and Rosas et al. 2014)."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.answer import curve_of
from latitude.analysis.cpu_order import in_order
from latitude.analysis.efficiency import efficiency_of
from latitude.files.provenance import provenance_of
from latitude.model.default_network import network_or_default
from latitude.model.network import Network, warnings_of
from latitude.model.theta import Theta, default_name, theta_of
from latitude.notices.notice import Notice
from latitude.results.scaling import Growth, Projection, Scaling, SizedRun
from latitude.sections.efficiency.result import Efficiency
from latitude.trace.program import Program
from latitude.units.arguments import instance

FITTED = ("load_balance", "serialisation", "transfer", "computation_scaling")
_FARTHER = (2, 4, 8)
"""Sizes of the projections, as multiples of the largest size."""


class Sizes:
    """Runs of one program, added one by one so that only one graph at a time is in memory."""

    def __init__(self, network: Network | None = None, *, weak: bool = False) -> None:
        self._network = network_or_default(network)
        self._weak = weak
        self._found: list[tuple[Program, Efficiency]] = []
        self._warnings: list[Notice] = []
        self._theta: Theta | None = None

    def add(self, program: Program, network: Network | None = None) -> None:
        """Adds the data of one run, on its own `network` if given."""
        instance(program, Program, "programs", 'latitude.load("run")')
        network = (network or self._network).placed_as(program.path)
        program = in_order(program, network)
        links = network.links(program.ranks)
        theta = theta_of(default_name(network), network, links)
        model = _core.Model(program.graph, network.core_of(links))
        dag = theta.along(model)
        runtime = dag.runtime_at(theta.base)
        if runtime == 0:
            raise InputError(f"scaling: {program.path} takes no time; give a run that computes")
        curve = curve_of(dag, theta.default_interval())
        found = efficiency_of(model, model.ideal_runtime(), dag, theta, runtime, curve, program.run)
        self._theta = self._theta or theta
        self._found.append((program, found))
        self._warnings += program.warnings + warnings_of(network)

    def scaling(self) -> Scaling:
        """The results for all sizes. InputError: fewer than two sizes, or two runs of one size."""
        found = sorted(self._found, key=lambda each: each[1].processors)
        sizes = [each.processors for _, each in found]
        if len(sizes) < 2 or self._theta is None:  # noqa: PLR2004 - to grow takes two
            raise InputError("scaling: give two runs or more, of one program at different sizes")
        for (one, first), (other, second) in pairwise(found):
            if first.processors == second.processors:
                raise InputError(
                    f"scaling: {one.path} and {other.path} are both of size "
                    f"{first.processors}; give runs of different sizes"
                )
        runs = [self._sized(program, each, found[0][1]) for program, each in found]
        of = "traced" if all(run.traced for run in runs) else "predicted"
        figures = [run.figures(of) or {} for run in runs]
        return Scaling(
            provenance=provenance_of([program.path for program, _ in found]),
            weak=self._weak,
            runs=runs,
            of=of,
            projection=projected(sizes, figures),
            warnings=list(dict.fromkeys(self._warnings)),
            theta=self._theta,
        )

    def _sized(self, program: Program, own: Efficiency, first: Efficiency) -> SizedRun:
        growth = {of: self._growth(own, first, of) for of in ("traced", "predicted")}
        predicted = growth["predicted"]
        if predicted is None:
            raise ValueError("every run has predicted efficiencies")
        return SizedRun(
            input=str(program.path),
            input_sha256=program.digest.hex(),
            ranks=program.ranks,
            efficiency=own,
            traced=growth["traced"],
            predicted=predicted,
        )

    def _growth(self, own: Efficiency, first: Efficiency, of: str) -> Growth | None:
        """Growth of one run relative to the first, traced or predicted."""
        mine, its = getattr(own, of), getattr(first, of)
        if mine is None or its is None:
            return None
        more = own.processors / first.processors
        work, most = its.useful_mean_ns, mine.useful_mean_ns * (1 if self._weak else more)
        scaling = work / most if most > 0 else 1.0
        speedup = its.T_ns / mine.T_ns if mine.T_ns > 0 else 1.0
        return Growth(
            computation_scaling=scaling,
            global_efficiency=mine.parallel * scaling,
            speedup=speedup * (more if self._weak else 1),
        )


def scaling(
    programs: Sequence[Program], network: Network | None = None, *, weak: bool = False
) -> Scaling:
    """Efficiencies of one program at several sizes, and their projection by Amdahl's law.

    Args:
        programs: programs that `latitude.load` returned, of runs of different sizes.
        network: LogGPS parameters, as in `latitude.analyze`.
        weak: whether each process had the same amount of work at each size.

    Raises:
        InputError: there are fewer than two sizes, or two runs of one size.
    """
    sizes = Sizes(network, weak=weak)
    for program in programs:
        sizes.add(program)
    return sizes.scaling()


def projected(sizes: Sequence[int], figures: Sequence[dict[str, float]]) -> Projection:
    """Efficiencies at larger sizes, by Amdahl's law (Rosas et al. 2014).

    E(p) = 1 / (a + b·p) with b ≥ 0: part of the loss grows with p. The fit is a line through 1/E,
    in which each point has the weight E², so that the errors of E are least.
    """
    p = np.array(sizes, dtype=np.float64)
    ahead = [max(sizes) * times for times in _FARTHER]
    values = {name: _amdahl(p, [each[name] for each in figures], ahead) for name in FITTED}
    parallel = np.prod([values[name] for name in FITTED[:3]], axis=0)
    values["communication"] = (
        np.array(values["serialisation"]) * np.array(values["transfer"])
    ).tolist()
    values["parallel"] = parallel.tolist()
    values["global_efficiency"] = (parallel * values["computation_scaling"]).tolist()
    return Projection(processors=ahead, values=values)


def _amdahl(p: Floats, values: list[float], ahead: list[int]) -> list[float]:
    e = np.maximum(np.array(values), np.finfo(float).tiny)
    weight = e**4  # squares of errors in 1/E times E²
    mean_p, mean = (np.average(each, weights=weight) for each in (p, 1 / e))
    spread = np.average((p - mean_p) ** 2, weights=weight)
    slope = np.average((p - mean_p) * (1 / e - mean), weights=weight) / spread
    b = max(0.0, float(slope))
    return [float(1 / (mean + b * (each - mean_p))) for each in ahead]
