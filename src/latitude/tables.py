"""The curve as a pandas data frame or an xarray data set."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from latitude.results import Analysis

if TYPE_CHECKING:
    import xarray as xr

_UNITS = {"delta_L_ns": "ns", "T_ns": "ns", "lambda_L": "1", "rho_L": "1"}
_MEANING = {
    "delta_L_ns": "latency above the baseline's",
    "T_ns": "runtime",
    "lambda_L": "dT/dL towards higher latency",
    "rho_L": "share of the runtime that is latency on the critical path",
}


def _columns(analysis: Analysis) -> dict[str, Any]:
    curve = analysis.curve
    return {
        "L_ns": curve.L_ns,
        "delta_L_ns": curve.L_ns - analysis.baseline.L_ns,
        "T_ns": curve.T_ns,
        "lambda_L": curve.lambda_L,
        "rho_L": curve.rho_L,
    }


def curve_frame(analysis: Analysis) -> pd.DataFrame:
    """One row a latency."""
    frame: pd.DataFrame = pd.DataFrame(_columns(analysis))
    return frame


def curve_dataset(analysis: Analysis) -> "xr.Dataset":
    """Variables over the coordinate L_ns, each with its unit."""
    import xarray as xr  # noqa: PLC0415 - optional

    columns = _columns(analysis)
    latency = columns.pop("L_ns")
    return xr.Dataset(
        {
            name: ("L_ns", values, {"units": _UNITS[name], "long_name": _MEANING[name]})
            for name, values in columns.items()
        },
        coords={"L_ns": ("L_ns", latency, {"units": "ns", "long_name": "latency L"})},
        attrs={"input": analysis.provenance.input, "latitude_version": analysis.provenance.version},
    )
