"""The curve as a pandas data frame or an xarray data set."""

from typing import TYPE_CHECKING

import pandas as pd

from latitude.results.analysis import Analysis
from latitude.results.analysis_data import curve_columns

if TYPE_CHECKING:
    import xarray as xr


def curve_frame(analysis: Analysis) -> pd.DataFrame:
    """One row a value of θ."""
    frame: pd.DataFrame = pd.DataFrame(curve_columns(analysis))
    return frame


def curve_dataset(analysis: Analysis) -> "xr.Dataset":
    """Variables over the coordinate θ, each with its unit."""
    import xarray as xr  # noqa: PLC0415 - optional

    theta = analysis.theta
    value, *names = columns = curve_columns(analysis)
    per_theta = "1" if theta.unit == "ns" else "B"
    described = (
        (theta.unit, f"{theta.meaning} above the baseline's"),
        ("ns", "runtime"),
        (per_theta, f"dT/d{theta.symbol} towards higher {theta.symbol}"),
        ("1", f"share of the runtime that is {theta.symbol}'s on the critical path"),
    )
    return xr.Dataset(
        {
            name: (value, columns[name], {"units": unit, "long_name": meaning})
            for name, (unit, meaning) in zip(names, described, strict=True)
        },
        coords={value: (value, columns[value], {"units": theta.unit, "long_name": theta.meaning})},
        attrs={"input": analysis.provenance.input, "latitude_version": analysis.provenance.version},
    )
