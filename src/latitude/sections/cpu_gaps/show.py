"""What bounds a job's step: its CPUs, its GPUs, or communication."""

import math

from latitude.render.document import Section, Table
from latitude.render.shown import Shown
from latitude.results.analysis import Analysis
from latitude.sections.cpu_gaps.result import Bound
from latitude.units.quantities import format_count, format_share, format_time

_BRIEF = 3


def _parts(analysis: Analysis) -> list[Section]:
    found = analysis.cpu_gaps
    if found is None:
        return []
    rows = [
        (
            _name(row.factor),
            format_time(row.T_ns),
            *(
                format_share(ns / (row.T_ns or 1.0))
                for ns in (row.cpu_ns, row.gpu_ns, row.communication_ns)
            ),
            format_count(row.lambda_L),
            _extra(row.tolerance_ns),
        )
        for row in found.bounds
    ]
    head = ("CPU gaps", "runtime T", "CPU", "GPU", "communication", "latencies λ", "1% slower")
    chosen = next(row for row in found.bounds if row.factor == found.chosen)
    return [
        Section(
            "What bounds the step",
            [Table(head, rows, "bounds", brief=_BRIEF)],
            reading=f"With CPU gaps {_name(found.chosen)}, {_bounding(chosen)} bounds the step.",
            note="Profiling slows the CPU down, so that a profiled step may take several times as "
            "long. CPU gaps are the time between launches. --step TIME scales them to the time of "
            "the step without the profiler. CPU, GPU and communication are shares of the critical "
            "path.",
        )
    ]


def _name(factor: float) -> str:
    return {1.0: "recorded", 0.0: "none"}.get(factor, f"× {factor:.4g}")


def _extra(ns: float) -> str:
    return f"+{format_time(ns)}" if math.isfinite(ns) else "unlimited"


def _bounding(row: Bound) -> str:
    parts = {"the CPU": row.cpu_ns, "the GPU": row.gpu_ns, "communication": row.communication_ns}
    return max(parts, key=lambda name: parts[name])


SHOWN = Shown(_parts)
