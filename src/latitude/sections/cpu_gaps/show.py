"""What bounds a job's step: its CPUs, its GPUs, or communication."""

import math

from latitude.render.document import Section
from latitude.render.shown import Shown
from latitude.render.tables import table
from latitude.results.analysis import Analysis
from latitude.sections.cpu_gaps.result import Bound
from latitude.units.quantities import format_share, format_time

_BRIEF = 3


def _parts(analysis: Analysis) -> list[Section]:
    found = analysis.cpu_gaps
    if found is None:
        return []

    def share(ns: float, row: Bound) -> str:
        return format_share(ns / (row.T_ns or 1.0))

    shown = table(
        found.bounds,
        ("CPU gaps", lambda row: _name(row.factor)),
        "T_ns",
        ("CPU", lambda row: share(row.cpu_ns, row)),
        ("GPU", lambda row: share(row.gpu_ns, row)),
        ("communication", lambda row: share(row.communication_ns, row)),
        "lambda_L",
        ("1% slower", lambda row: _extra(row.tolerance_ns)),
        kind="bounds",
        brief=_BRIEF,
    )
    chosen = next(row for row in found.bounds if row.factor == found.chosen)
    return [
        Section(
            "What bounds the step",
            [shown],
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
