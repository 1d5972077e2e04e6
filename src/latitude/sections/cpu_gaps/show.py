"""Shows whether CPUs, GPUs or communication limit a job's step."""

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


def _sentence(analysis: Analysis) -> str:
    """A sentence about the limit of the step, also without the time between launches."""
    found = analysis.cpu_gaps
    if found is None:
        return ""
    chosen = next(row for row in found.bounds if row.factor == found.chosen)
    ns, what = max(
        (chosen.cpu_ns, "its CPUs' launches" if len(found.bounds) > 1 else "its CPUs"),
        (chosen.gpu_ns, "its GPUs' computation"),
        (chosen.communication_ns, "communication"),
    )
    text = f"The step is bound by {what}: {format_share(ns / (chosen.T_ns or 1.0))} of its runtime."
    least = found.bounds[-1]
    if least.factor < found.chosen and ns == chosen.cpu_ns:
        text += (
            f" Without the time between launches it would run {format_time(least.T_ns)}, bound by "
            f"{_bounding(least)}."
        )
    return text


SHOWN = Shown(_parts, sentence=_sentence)
