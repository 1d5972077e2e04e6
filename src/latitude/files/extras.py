"""Packages that only some commands need, and the extra of ours that brings each."""

EXTRAS = {
    "full": ("ClusterShell", "highspy", "otf2", "pandas", "pyarrow", "scipy", "shtab"),
    "plot": ("plotly",),
    "dask": ("dask", "distributed"),
    "xarray": ("xarray",),
}
"""As pyproject.toml has them."""


def install(package: str) -> str:
    """How to install one that is missing: `pip install 'latitude[full]'`; empty if none has it."""
    extra = next((extra for extra, packages in EXTRAS.items() if package in packages), None)
    return f"pip install 'latitude[{extra}]'" if extra else ""
