"""The document's part on what-if questions."""

import math
from collections.abc import Sequence

from latitude.render.document import Line, Section, Table, strong
from latitude.render.documents.analysis_charts import slower
from latitude.results.analysis import Analysis
from latitude.results.answer import Tolerance, WhatIf
from latitude.units.quantities import counted, format_count, format_share, format_time

_NOTE = (
    "Durations of computation change; messages, matches and the network stay. `balanced` "
    "multiplies the computation of each rank by a factor, so that all ranks that compute do this "
    "equally long. A function or line means the computation before its MPI calls. In a job, a "
    "factor applies to the GPUs, the CPUs or a module."
)
_NOTE_OF_COLLECTIVES = (
    " Another algorithm has other latencies and bytes. At the baseline its time is the recorded "
    "time multiplied by a ratio of NCCL's published cost model (--nccl). Other nodes change the "
    "prices of links."
)


def otherwise_parts(analysis: Analysis) -> list[Section]:
    """A row for the unchanged program and one per question; empty without questions."""
    if not analysis.what_if:
        return []
    theta, base, of = analysis.theta, analysis.baseline, analysis.efficiency
    shares = {t.degradation for t in analysis.what_if[0].tolerance}
    own = [t for t in analysis.tolerance if t.degradation in shares]
    head = (
        "change",
        "T",
        "change",
        f"λ_{theta.symbol}",
        "parallel",
        *(f"{slower(t)} at" for t in own),
    )
    as_it_is = (
        "as recorded",
        format_time(base.T_ns),
        "",
        format_count(analysis.sensitivity.slope),
        "–" if of is None else format_share(of.predicted.parallel),
        *_tolerated(analysis, own),
    )
    rows = [as_it_is] + [
        (
            _name(found),
            format_time(found.T_ns),
            _change(found.T_ns, base.T_ns),
            format_count(found.slope),
            format_share(found.parallel),
            *_tolerated(analysis, found.tolerance),
        )
        for found in analysis.what_if
    ]
    shown: list[list[Line]] = [[strong(name), *figures] for name, *figures in rows]
    return [
        Section(
            "What if",
            [Table(head, shown, brief=len(shown))],
            reading=_sentence(analysis, analysis.what_if[0], own),
            note=_NOTE + _NOTE_OF_COLLECTIVES * any(row.collectives for row in analysis.what_if),
            terminal=True,
        )
    ]


def _name(found: WhatIf) -> str:
    many = found.collectives
    return f"{found.computation} ({counted(many, 'collective')})" if many else found.computation


def _tolerated(analysis: Analysis, tolerance: Sequence[Tolerance]) -> list[str]:
    return [
        "any" if math.isinf(t.delta) else f"+{analysis.theta.difference(t.delta)}"
        for t in tolerance
    ]


def _change(new: float, old: float) -> str:
    share = new / old - 1 if old else 0.0
    return f"{'−' if share < 0 else '+'}{format_share(abs(share))}"


def _sentence(analysis: Analysis, first: WhatIf, own: Sequence[Tolerance]) -> str:
    how = (
        "Were computation perfectly balanced, it"
        if first.computation == "balanced"
        else f"With {first.computation} the program"
    )
    text = (
        f"{how} would run {format_time(first.T_ns)} in place of "
        f"{format_time(analysis.baseline.T_ns)}"
    )
    if own and first.tolerance:
        now, then = _tolerated(analysis, own[:1]), _tolerated(analysis, first.tolerance[:1])
        text += (
            f", and tolerate {then[0].removeprefix('+')} of extra {analysis.theta.meaning} before "
            f"it is {slower(own[0])} slower, not {now[0].removeprefix('+')}"
        )
    return text + "."
