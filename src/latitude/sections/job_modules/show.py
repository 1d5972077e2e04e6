"""The critical path of a job by parts of its program."""

from collections.abc import Sequence

from latitude.render.document import Cell, Content, Section, Table, code
from latitude.render.shown import Shown, Text
from latitude.results.analysis import Analysis
from latitude.results.declared import parts_csv
from latitude.sections.job_modules.result import ModuleShare
from latitude.units.quantities import format_count, format_share, format_time

_ROWS = 25
"""Largest number of modules on the page."""
_BRIEF = 6
"""Largest number of modules on the terminal."""


def _parts(analysis: Analysis) -> list[Section]:
    found = analysis.job_modules
    if not found:
        return []
    latencies = sum(row.lambda_L for row in found)
    rows = [_row(row, analysis) for row in found[:_ROWS]]
    head = ("module", "latencies λ", "CPU", "GPU", "communication", "of T")
    columns = (0, 1, 2, 3, 4)
    return [
        Section(
            "Modules",
            [
                Table(
                    head,
                    rows,
                    "modules",
                    "The critical path by module",
                    brief=_BRIEF,
                    columns=columns,
                )
            ],
            reading=_reading(found[0], latencies, analysis),
            note="A module is the innermost annotation around a call (record_function, nn.Module); "
            "a call of the backward pass belongs to that of its forward operator.",
        )
    ]


def _row(row: ModuleShare, analysis: Analysis) -> Sequence[Content]:
    share = _share(row, analysis)
    times = (format_time(ns) for ns in (row.cpu_ns, row.gpu_ns, row.communication_ns))
    name = code(row.module or "elsewhere")
    return (name, format_count(row.lambda_L), *times, Cell(format_share(share), share=share))


def _share(row: ModuleShare, analysis: Analysis) -> float:
    return (row.cpu_ns + row.gpu_ns + row.communication_ns) / (analysis.T_ns or 1.0)


def _reading(top: ModuleShare, latencies: float, analysis: Analysis) -> str:
    where = f"“{top.module}”" if top.module else "Code outside all modules"
    if latencies:
        share = format_share(top.lambda_L / latencies)
        return f"{where} has most latencies on the critical path: {share}."
    return f"{where} takes most time on the critical path: {format_share(_share(top, analysis))}."


def _csv(analysis: Analysis) -> Text | None:
    found = analysis.job_modules
    return (lambda: parts_csv(found, ModuleShare)) if found else None


SHOWN = Shown(_parts, {"modules.csv": _csv})
