"""Messages by communicator, where there are several."""

from latitude.render.document import Cell, Section, Table, code
from latitude.render.shown import Shown, Text
from latitude.results.analysis import Analysis
from latitude.sections.communicators.result import Communicators
from latitude.units.quantities import format_count, format_share, format_size, format_time

_ROWS = 25
"""Communicators on the page: those with most latencies on the critical path."""


def _parts(analysis: Analysis) -> list[Section]:
    found = analysis.communicators
    if found is None or len(found) < 2:  # noqa: PLR2004 - one alone has all messages
        return []
    total = float(found.lambda_L.sum())
    every = [*found.rows()]
    rows = [
        (
            code(_name(number)),
            f"{messages:,}",
            format_size(size),
            format_count(latencies),
            Cell(format_share(latencies / (total or 1.0)), share=latencies / (total or 1.0)),
            format_time(network),
        )
        for number, messages, size, latencies, network in sorted(
            every, key=lambda row: (-row[3], -row[1])
        )[:_ROWS]
    ]
    head = ("communicator", "messages", "sent", "latencies λ", "of all", "network")
    rest = f" {len(rows)} of {len(every)}; communicators.csv has all." * (len(rows) < len(every))
    return [
        Section(
            "Messages by communicator",
            [Table(head, rows)],
            reading=_reading(found),
            note="A message belongs to the communicator of the call that receives it. Latencies "
            f"and network: on the critical path.{rest}",
        )
    ]


def _reading(found: Communicators) -> str:
    total = float(found.lambda_L.sum())
    if not total:
        return "No message of a communicator lies on the critical path."
    top = int(found.lambda_L.argmax())
    share = format_share(float(found.lambda_L[top]) / total)
    name = _name(int(found.communicator[top]))
    return f"{name} has {share} of the {format_count(total)} latencies on the critical path."


def _name(number: int) -> str:
    return f"communicator {number}" if number else "MPI_COMM_WORLD"


def _csv(analysis: Analysis) -> Text | None:
    return None if analysis.communicators is None else analysis.communicators.to_csv


SHOWN = Shown(_parts, {"communicators.csv": _csv})
