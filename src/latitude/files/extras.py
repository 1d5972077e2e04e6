"""Packages that only some commands need, and the extra of Latitude that installs each."""

EXTRAS = {
    "full": ("ClusterShell", "highspy", "otf2", "pandas", "pyarrow", "scipy", "shtab"),
    "plot": ("plotly",),
    "dask": ("dask", "distributed"),
    "xarray": ("xarray",),
}
"""The extras of pyproject.toml, with their packages."""


def install(package: str) -> str:
    """The command that installs a missing package; empty if no extra has this package."""
    extra = next((extra for extra, packages in EXTRAS.items() if package in packages), None)
    return f"pip install 'latitude[{extra}]'" if extra else ""
