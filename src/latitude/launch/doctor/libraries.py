"""Finds libraries for source lines and for trace formats, and optional Python packages."""

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from latitude.files import extras
from latitude.results.doctor import MISSING, OK, Finding
from latitude.trace.formats import formats

_SYMBOLS = "pyelftools"
_OPTIONAL = {
    "scipy": "forecast, fit, stats, measure, inject, campaign and lp do not work",
    "pandas": "tables of samples and runs cannot be read, and results have no data frames",
    "pyarrow": "tables of samples and runs are neither read nor kept",
    "highspy": "the linear program of an analysis cannot be solved (`latitude lp`)",
    "ClusterShell": "Slurm's lists of hosts cannot be read (`background`, `place`)",
    "plotly": "`Analysis.plot()` does not work; pages do",
    "xarray": "`Analysis.to_xarray()` does not work",
}


def symbols() -> Iterator[Finding]:
    """A finding about call sites as file and line."""
    yield _package(
        "symbols", _SYMBOLS, "call sites are shown as module and offset, not file and line"
    )


def trace_formats() -> Iterator[Finding]:
    """Findings about trace formats that need a library of their own."""
    for form in formats():
        if not form.needs_library:
            continue
        problem = form.problem()
        yield Finding(
            area="traces",
            name=form.name,
            state=MISSING if problem else OK,
            found="cannot be read" if problem else "can be read",
            costs=f"Latitude rejects traces of the format {form.name}" if problem else "",
            remedy=problem,
            facts={"problem": problem or None},
        )


def packages() -> Iterator[Finding]:
    """Findings about packages that only some commands need."""
    for name, costs in _OPTIONAL.items():
        yield _package("Python", name, costs)


def _package(area: str, name: str, costs: str) -> Finding:
    try:
        found = version(name)
    except PackageNotFoundError:
        return Finding(
            area=area,
            name=name,
            state=MISSING,
            found="not installed",
            costs=costs,
            remedy=extras.install(name) or f"pip install {name}",
            facts={"version": None},
        )
    return Finding(area=area, name=name, state=OK, found=found, facts={"version": found})
