"""The document's part on several runs and their differences."""

import math
from collections.abc import Callable

from latitude.render.document import Part, Section, Table
from latitude.render.documents.analysis_charts import slower
from latitude.render.documents.answers import between
from latitude.results.analysis import Analysis
from latitude.results.over_runs import Spread
from latitude.units.quantities import counted, format_count, format_share, format_time


def over_runs_sentence(analysis: Analysis) -> str:
    """A sentence on the range of T and of the first tolerance; empty for one run."""
    over = analysis.over_runs
    if over is None:
        return ""
    text = f"Over {counted(len(over.traces), 'run')} T was {_range(over.T_ns, format_time)}"
    if over.delta:
        limit = slower(analysis.tolerance[0])
        text += f", and the {limit} tolerance {_range(over.delta[0], _extra(analysis))}"
    return f"{text}; all else is of the run with the median T."


def over_runs_parts(analysis: Analysis) -> list[Part]:
    """Median and range of the answers."""
    over = analysis.over_runs
    if over is None:
        return []
    symbol = analysis.theta.symbol
    rows = [
        _row("runtime T", over.T_ns, format_time),
        _row("the recorded run", over.wall_ns, format_time),
        _row(f"λ_{symbol}", over.slope, format_count),
        _row(f"ρ_{symbol}", over.share, format_share),
        *(
            _row(f"{slower(limit)} tolerance", spread, _extra(analysis))
            for limit, spread in zip(analysis.tolerance, over.delta, strict=True)
        ),
    ]
    return [
        Section(
            f"Over {counted(len(over.traces), 'run')}",
            [Table(("", "median", "least", "most"), rows, brief=len(rows))],
            note="The program was run and traced so many times; each answer is of one trace.",
        )
    ]


def _extra(analysis: Analysis) -> Callable[[float], str]:
    def text(delta: float) -> str:
        return "unlimited" if math.isinf(delta) else f"+{analysis.theta.difference(delta)}"

    return text


def _range(spread: Spread, text: Callable[[float], str]) -> str:
    return f"{text(spread.median)} ({between(spread, text)})"


def _row(name: str, spread: Spread, text: Callable[[float], str]) -> tuple[str, str, str, str]:
    return name, text(spread.median), text(spread.low), text(spread.high)
