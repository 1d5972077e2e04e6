"""Shows the latencies at which other algorithms of NCCL become faster."""

from latitude.render.document import Section, code
from latitude.render.shown import Shown, Text
from latitude.render.tables import table
from latitude.results.analysis import Analysis
from latitude.results.declared import parts_csv
from latitude.sections.job_algorithms.result import FasterAlgorithm
from latitude.sections.job_collectives.show import collectives_in
from latitude.units.quantities import format_count, format_size, format_time

_ROWS = 25
"""Largest number of rows on the page."""
_BRIEF = 6
"""Largest number of rows on the terminal."""


def _parts(analysis: Analysis) -> list[Section]:
    found = analysis.job_algorithms
    if not found:
        return []
    symbol = analysis.theta.symbol
    shown = table(
        found[:_ROWS],
        ("collective", lambda row: code(_name(row))),
        "collectives",
        "bytes",
        ("from", lambda row: row.algorithm),
        ("to", lambda row: row.faster),
        (f"λ_{symbol} of one", _slopes),
        ("faster above", lambda row: _above(analysis, row)),
        "T_ns",
        kind="algorithms",
        title="Where another algorithm is faster",
        brief=_BRIEF,
    )
    return [
        Section(
            "Where another algorithm is faster",
            [shown],
            reading=_reading(analysis, found[0]),
            note=_note(found),
        )
    ]


def _note(found: list[FasterAlgorithm]) -> str:
    """The origin of the crossings."""
    text = (
        "NCCL does not know the network's latency, and keeps its algorithm. NCCL_ALGO, or "
        "--what-if all_reduce=tree for an answer, chooses another one. "
    )
    if any(row.published for row in found):
        text += (
            "At the baseline, the time of another algorithm is the recorded time multiplied by a "
            "ratio of NCCL's published cost model (--nccl). From there on, the crossing is exact."
        )
    else:
        text += "The times follow from the network's L and G, and the crossings are exact."
    return text


def _name(row: FasterAlgorithm) -> str:
    return collectives_in(row.kind, row.groups, row.group, row.ranks)


def _slopes(row: FasterAlgorithm) -> str:
    return f"{format_count(row.slope)} → {format_count(row.faster_slope)}"


def _above(analysis: Analysis, row: FasterAlgorithm) -> str:
    return f"+{analysis.theta.difference(row.delta)}" if row.delta else "always"


def _reading(analysis: Analysis, first: FasterAlgorithm) -> str:
    what = f"{_name(first)} of {format_size(int(first.bytes))}"
    if not first.delta:
        return f"At the baseline already, {first.faster} is faster than {first.algorithm}: {what}."
    return (
        f"Above {analysis.theta.difference(first.delta)} of extra {analysis.theta.meaning}, "
        f"{first.faster} is faster than {first.algorithm}: {what}. There T is "
        f"{format_time(first.T_ns)}."
    )


def _csv(analysis: Analysis) -> Text | None:
    found = analysis.job_algorithms
    return (lambda: parts_csv(found, FasterAlgorithm)) if found else None


SHOWN = Shown(_parts, {"algorithms.csv": _csv})
"""The values of θ at which other algorithms of NCCL become faster."""
