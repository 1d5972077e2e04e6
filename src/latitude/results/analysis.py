"""What an analysis found. Times are ns; T is a runtime; θ the parameter that was varied.

θ is the latency L unless something else was asked for; what is a function of θ has attributes
that bear L's name too.
"""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude.analysis.call_sites import CallSiteShare
from latitude.analysis.near_paths import NearPath
from latitude.analysis.pairs import Integers, Pairs
from latitude.analysis.path import CallShare, Stay, Steps
from latitude.analysis.slack import Slack
from latitude.files.provenance import Provenance
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import Theta
from latitude.notices.notice import Notice
from latitude.trace.program import TraceInfo

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GraphInfo:
    """Size of the execution graph."""

    vertices: int
    edges: int
    messages: int
    bytes: int

    @classmethod
    def of(cls, graph: _core.Graph) -> "GraphInfo":
        """Of a graph."""
        return cls(graph.vertices, graph.edges, graph.messages, graph.bytes)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The program on the network as it is ([S] §II.B, §II.D.1)."""

    L_ns: float
    """Latency of a message; where links differ, between the nearest nodes."""
    T_ns: float
    lambda_L: float
    """dT/dL towards higher latency: what one more ns of latency on every message between nodes
    costs. Equals lambda_L_right."""
    lambda_L_left: float
    """dT/dL towards lower latency: what one ns less would save."""
    lambda_L_right: float
    rho_L: float
    """Share of the runtime that is latency on the critical path: L·λ_L/T with one latency."""
    lambda_G: float
    """Bytes on the critical path (dT/dG), of one critical path where several tie."""
    lambda_o: float
    """Overheads on the critical path (dT/do), of one critical path where several tie."""
    calc_ns: float
    overhead_ns: float
    latency_ns: float
    bandwidth_ns: float
    """The four parts of T on that critical path."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How T depends on θ at the baseline; λ_L and ρ_L where θ is L."""

    slope: float
    """λ = dT/dθ towards higher θ. Equals slope_right."""
    slope_left: float
    slope_right: float
    share: float
    """ρ = θ·λ/T: share of the runtime that is θ's."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The highest θ at which T stays within a limit ([S] §II.D.2)."""

    degradation: float
    """The limit as a share of the baseline's T: 0.01 is 1 % slower."""
    T_limit_ns: float
    value: float
    """Of θ; infinite when no value reaches the limit."""
    delta: float
    """`value` above the baseline's."""

    @property
    def L_ns(self) -> float:
        """`value`, by its name where θ is L."""
        return self.value

    @property
    def delta_L_ns(self) -> float:
        """`delta`, by its name where θ is L."""
        return self.delta


@dataclass(frozen=True, slots=True)
class Curve:
    """T and its slope at evenly spaced values of θ."""

    value: Floats
    """Of θ."""
    T_ns: Floats
    slope: Floats
    """λ = dT/dθ towards higher θ."""
    share: Floats
    """ρ = θ·λ/T."""

    @property
    def L_ns(self) -> Floats:
        """`value`, by its name where θ is L."""
        return self.value

    @property
    def lambda_L(self) -> Floats:
        """`slope`, by its name where θ is L."""
        return self.slope

    @property
    def rho_L(self) -> Floats:
        """`share`, by its name where θ is L."""
        return self.share


@dataclass(frozen=True, slots=True)
class Breakpoints:
    """All critical values of θ in the interval ([S] §II.B): where λ changes."""

    value: Floats
    """Of θ."""
    T_ns: Floats
    lambda_left: Floats
    lambda_right: Floats

    @property
    def L_ns(self) -> Floats:
        """`value`, by its name where θ is L."""
        return self.value


@dataclass(frozen=True, slots=True)
class Ranks:
    """Where each rank's time goes at the baseline; index is the rank."""

    calc_ns: Floats
    overhead_ns: Floats
    wait_ns: Floats
    end_ns: Floats
    path_ns: Floats
    """Time the critical path spends on the rank."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of `latitude.analyze`."""

    provenance: Provenance
    trace: TraceInfo
    graph: GraphInfo
    network: Network
    links: Links
    """The network's links between this program's ranks."""
    theta: Theta
    """What was varied: L unless something else was asked for."""
    collectives: str
    reduce_ns_per_byte: float
    interval: tuple[float, float]
    """Values of θ that curve and breakpoints cover."""
    baseline: Baseline
    sensitivity: Sensitivity
    tolerance: list[Tolerance]
    curve: Curve
    breakpoints: Breakpoints
    path: Steps
    critical_path: list[Stay]
    by_rank: Ranks
    by_call: list[CallShare]
    by_call_site: list[CallSiteShare]
    """Most latency first. Empty when the input records no call sites (liballprof, GOAL)."""
    path_call_site: Integers
    """Of each step of `path`: index into by_call_site, −1 where no call site is known."""
    pairs: Pairs
    slack: Slack
    near_paths: list[NearPath]
    """The longest paths, the critical one first."""
    warnings: list[Notice]

    @property
    def interval_ns(self) -> tuple[float, float]:
        """`interval`, by its name where θ is a time."""
        return self.interval

    def to_dict(self) -> dict[str, Any]:
        """The result as `latitude.analysis/1` (schema/analysis-1.json)."""
        from latitude.results.analysis_data import to_dict  # noqa: PLC0415 - serialise needs this module

        return to_dict(self)

    def to_json(self) -> str:
        """The result as JSON text."""
        from latitude.results.analysis_data import to_json  # noqa: PLC0415 - serialise needs this module

        return to_json(self)

    def to_dataframe(self) -> "pd.DataFrame":
        """The curve: one row a value of θ.

        Columns are L_ns, delta_L_ns, T_ns, lambda_L and rho_L, or those of another θ.
        """
        from latitude.results.frames import curve_frame  # noqa: PLC0415 - pandas is slow to import

        return curve_frame(self)

    def to_xarray(self) -> "xr.Dataset":
        """The curve over θ (L_ns), with units as attributes (needs xarray)."""
        from latitude.results.frames import curve_dataset  # noqa: PLC0415 - xarray is optional

        return curve_dataset(self)

    def plot(self) -> Any:
        """T against ΔL with the tolerance zones, as a plotly figure ([S] Fig. 1)."""
        from latitude.render.analysis.charts.runtime import runtime_figure  # noqa: PLC0415 - plotly is slow

        return runtime_figure(self)

    def report(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """Writes the page: one self-contained HTML file. InputError when it exists already."""
        from latitude.files.writing import write_new  # noqa: PLC0415
        from latitude.render.analysis.page import render  # noqa: PLC0415 - plotly is slow to import

        target = Path(path)
        write_new(target, render(self), force=force)
        return target
