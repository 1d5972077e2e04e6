"""Result of `latitude analyze`: the answer, its sections, and warnings."""

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from msgspec import field

from latitude._core import InputError
from latitude._types import Floats, Integers
from latitude.files.text import csv_text
from latitude.model.links import Links
from latitude.notices.notice import Notice
from latitude.results.answer import WhatIf
from latitude.results.critical_path import WholePath
from latitude.results.declared import Hidden
from latitude.results.left_out import LeftOut
from latitude.results.over_runs import OverRuns
from latitude.sections import Sections
from latitude.sections.waits.result import Waits
from latitude.units.quantities import format_count, format_time

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


class Analysis(Sections, frozen=True, kw_only=True):
    """Result of `latitude analyze`.

    Times are ns and sizes bytes. null means infinite (no latency reaches the limit) or not
    recorded.
    """

    SCHEMA: ClassVar[str] = "latitude.analysis/1"
    DOCUMENT: ClassVar[str] = "latitude.render.documents.analysis:analysis_document"

    what_if: list[WhatIf] = field(default_factory=list)
    """Answers to the requested what-if questions."""
    left_out: list[LeftOut]
    """Sections that this result lacks; their keys are null or empty."""
    warnings: list[Notice]
    over_runs: OverRuns | None = None
    """Spread of the answers over the runs of `latitude run --traces N`."""

    links: Annotated[Links | None, Hidden] = None
    """The network's links between this program's ranks; None if the result was read from a file."""
    path: Annotated[WholePath | None, Hidden] = None
    """The whole critical path; None if the graph was not in memory, or the result was read from a
    file."""
    path_call_site: Annotated[Integers | None, Hidden] = None
    """Index into by_call_site of each step of `path`, −1 if no call site is known."""

    def stated_waits(self) -> Waits:
        """The waits. InputError: the analysis has left out the waits."""
        if self.job_collectives is not None:
            raise InputError(
                f"{self.provenance.input}: a job has no waits in MPI calls to compare. Take "
                "collectives.csv and modules.csv of both results"
            )
        if self.waits is None:
            raise InputError(
                f"{self.provenance.input}: this result has no waits; analyse the run without "
                "--without waits and --no-path"
            )
        return self.waits

    def curve_columns(self) -> dict[str, Floats]:
        """The curve by column: L_ns, delta_L_ns, T_ns, lambda_L, rho_L, or those for another θ."""
        curve, theta = self.curve, self.theta
        return {
            theta.column: curve.value,
            f"delta_{theta.column}": curve.value - theta.base,
            "T_ns": curve.T_ns,
            f"lambda_{theta.symbol}": curve.slope,
            f"rho_{theta.symbol}": curve.share,
        }

    def to_dataframe(self) -> "pd.DataFrame":
        """The curve: one row per value of θ.

        Columns are L_ns, delta_L_ns, T_ns, lambda_L and rho_L, or those for another θ.
        """
        import pandas as pd  # noqa: PLC0415 - takes half a second to import

        return pd.DataFrame(self.curve_columns())

    def to_xarray(self) -> "xr.Dataset":
        """The curve over θ (L_ns), with units as attributes (needs xarray)."""
        import xarray as xr  # noqa: PLC0415 - optional

        theta = self.theta
        value, *names = columns = self.curve_columns()
        described = (
            (theta.unit, f"{theta.meaning} above the baseline's"),
            ("ns", "runtime"),
            ("1" if theta.unit == "ns" else "B", f"dT/d{theta.symbol} towards higher values"),
            ("1", f"share of the runtime that is {theta.symbol}'s on the critical path"),
        )
        about = {"units": theta.unit, "long_name": theta.meaning}
        return xr.Dataset(
            {
                name: (value, columns[name], {"units": unit, "long_name": meaning})
                for name, (unit, meaning) in zip(names, described, strict=True)
            },
            coords={value: (value, columns[value], about)},
            attrs={"input": self.provenance.input, "latitude_version": self.provenance.version},
        )

    def plot(self) -> Any:
        """T against ΔL with the tolerance zones, as a plotly figure (Shen et al. 2024, Fig. 1)."""
        return resolve_name("latitude.render.documents.analysis:runtime_figure")(self)

    def __repr__(self) -> str:
        base, theta = self.baseline, self.theta
        limits = "".join(
            f", {t.degradation:.3g} slower at +{theta.difference(t.delta)}" for t in self.tolerance
        )
        at = f"{theta.symbol}={theta.text(theta.base)}"
        slope = format_count(self.sensitivity.slope)
        return f"<Analysis of {self.name}: T={format_time(base.T_ns)} at {at}, λ={slope}{limits}>"


def curve_csv(analysis: Analysis) -> str:
    """The curve as CSV: one row per value of θ."""
    columns = analysis.curve_columns()
    return csv_text(tuple(columns), zip(*(c.tolist() for c in columns.values()), strict=True))
