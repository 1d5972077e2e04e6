"""What an analysis found. Times are ns, L is a latency in ns, T a runtime in ns."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latitude.callsites import CallSiteShare
from latitude.network import Network
from latitude.notice import Notice
from latitude.path import CallShare, Stay, Steps
from latitude.program import TraceInfo
from latitude.provenance import Provenance

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GraphInfo:
    """Size of the execution graph."""

    vertices: int
    edges: int
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """The program on the network as it is ([S] §II.B, §II.D.1)."""

    L_ns: float
    T_ns: float
    lambda_L: float
    """dT/dL towards higher latency: what one more ns of latency costs. Equals lambda_L_right."""
    lambda_L_left: float
    """dT/dL towards lower latency: what one ns less would save."""
    lambda_L_right: float
    rho_L: float
    """L·λ_L/T: share of the runtime that is latency on the critical path."""
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
class Tolerance:
    """The highest latency at which T stays within a limit ([S] §II.D.2)."""

    degradation: float
    """The limit as a share of the baseline's T: 0.01 is 1 % slower."""
    T_limit_ns: float
    L_ns: float
    """Infinite when no latency reaches the limit."""
    delta_L_ns: float
    """L_ns above the baseline's L."""


@dataclass(frozen=True, slots=True)
class Curve:
    """T and its slope at evenly spaced latencies."""

    L_ns: Floats
    T_ns: Floats
    lambda_L: Floats
    """dT/dL towards higher latency."""
    rho_L: Floats


@dataclass(frozen=True, slots=True)
class Breakpoints:
    """All critical latencies in the interval ([S] §II.B): where λ_L changes."""

    L_ns: Floats
    T_ns: Floats
    lambda_left: Floats
    lambda_right: Floats


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
class Pairs:
    """Messages by source and destination rank."""

    source: Integers
    destination: Integers
    messages: Integers
    bytes: Integers
    lambda_L: Floats
    """Latencies of the pair on the critical path (λ_ij of [S] §VI)."""
    least_slack_ns: Floats
    """Extra latency that the pair's tightest message can take alone before T grows."""
    mean_slack_ns: Floats


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of `latitude.analyze`."""

    provenance: Provenance
    trace: TraceInfo
    graph: GraphInfo
    network: Network
    collectives: str
    reduce_ns_per_byte: float
    interval_ns: tuple[float, float]
    baseline: Baseline
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
    warnings: list[Notice]

    def to_dict(self) -> dict[str, Any]:
        """The result as `latitude.analysis/1` (schema/analysis-1.json)."""
        from latitude.serialise import to_dict  # noqa: PLC0415 - serialise needs this module

        return to_dict(self)

    def to_json(self) -> str:
        """The result as JSON text."""
        from latitude.serialise import to_json  # noqa: PLC0415 - serialise needs this module

        return to_json(self)

    def to_dataframe(self) -> "pd.DataFrame":
        """The curve: one row a latency, with columns L_ns, delta_L_ns, T_ns, lambda_L, rho_L."""
        from latitude.tables import curve_frame  # noqa: PLC0415 - pandas is slow to import

        return curve_frame(self)

    def to_xarray(self) -> "xr.Dataset":
        """The curve over the coordinate L_ns, with units as attributes (needs xarray)."""
        from latitude.tables import curve_dataset  # noqa: PLC0415 - xarray is optional

        return curve_dataset(self)

    def plot(self) -> Any:
        """T against ΔL with the tolerance zones, as a plotly figure ([S] Fig. 1)."""
        from latitude.report.charts.runtime import runtime_figure  # noqa: PLC0415 - plotly is slow

        return runtime_figure(self)

    def report(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """Writes the page: one self-contained HTML file. InputError when it exists already."""
        from latitude.files import write_new  # noqa: PLC0415
        from latitude.report import render  # noqa: PLC0415 - plotly is slow to import

        target = Path(path)
        write_new(target, render(self), force=force)
        return target
