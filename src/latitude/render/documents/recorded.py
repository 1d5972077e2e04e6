"""What an analysis says of the run that was recorded, beside what is predicted of it."""

from latitude.render.document import Part, Section, Table
from latitude.results.analysis import Analysis
from latitude.units.quantities import format_time, signed

_LEAST = 0.001
"""Shares of the run below this are not worth a word."""


def recorded_sentence(analysis: Analysis) -> str:
    """How long the recorded run took, and where its time went; empty of a GOAL file."""
    wall_ns, wall = analysis.trace.wall_ns, analysis.trace.wall
    if wall_ns is None:
        return ""
    took = f"The recorded run took {format_time(wall_ns)}"
    if wall is None:
        return f"{took}."
    parts = (
        (wall.computing_ns, "computing"),
        (wall.without_core_ns, "without a core"),
        (wall.tracer_ns, "tracing"),
        (wall.calls_ns, "in MPI"),
    )
    told = [f"{format_time(ns, 3)} {what}" for ns, what in parts if ns > _LEAST * wall_ns]
    if not told:
        return f"{took}."
    spent = " and ".join(filter(None, [", ".join(told[:-1]), told[-1]]))
    return f"{took}; a rank spent {spent} on average."


def recorded_parts(analysis: Analysis) -> list[Part]:
    """The recorded run beside the predicted one, by where a rank's time goes."""
    wall_ns, wall = analysis.trace.wall_ns, analysis.trace.wall
    if wall_ns is None or wall is None or analysis.efficiency is None:
        return []
    predicted = analysis.efficiency.predicted
    total = wall.computing_ns + wall.without_core_ns + wall.tracer_ns + wall.calls_ns
    rows = [
        _row("computing", wall.computing_ns, predicted.useful_mean_ns),
        _row("without a core", wall.without_core_ns, 0.0),
        _row("tracing", wall.tracer_ns, 0.0),
        _row("in MPI", wall.calls_ns, predicted.T_ns - predicted.useful_mean_ns),
        _row("before or after other ranks", wall_ns - total, 0.0),
        _row("the run", wall_ns, predicted.T_ns),
    ]
    return [
        Section(
            "Recorded and predicted",
            [Table(("", "recorded", "predicted", "more"), rows, brief=len(rows))],
            note="The recorded run lasts from the last rank's return from MPI_Init to the first "
            "one's entry into MPI_Finalize; T is what the same computation takes on this network. "
            "The rows are means of the ranks. Without a core: what computation took by the wall "
            "clock beyond CPU time, where that measures it. In MPI: transfers, waiting, and, of "
            "the recorded run, MPI's own work, and waiting for ranks that had no core.",
        )
    ]


def _row(what: str, recorded_ns: float, predicted_ns: float) -> tuple[str, str, str, str]:
    return (
        what,
        format_time(recorded_ns),
        format_time(predicted_ns),
        signed(recorded_ns - predicted_ns),
    )
