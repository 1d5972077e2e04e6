"""Messages by communicator, if there are several."""

import numpy as np

from latitude.render.document import Section, code
from latitude.render.shown import Shown, Text
from latitude.render.tables import bar, table
from latitude.results.analysis import Analysis
from latitude.sections.communicators.result import Communicators
from latitude.units.quantities import format_count, format_share

_ROWS = 25
"""Largest number of communicators on the page: those with most latencies on the critical path."""


def _parts(analysis: Analysis) -> list[Section]:
    found = analysis.communicators
    if found is None or len(found) < 2:  # noqa: PLR2004 - one alone has all messages
        return []
    total = float(found.lambda_L.sum()) or 1.0
    order = np.lexsort((-found.messages, -found.lambda_L))
    shown = table(
        found.at(order[:_ROWS]),
        ("communicator", lambda row: code(_name(row.communicator))),
        "messages",
        "bytes",
        "lambda_L",
        ("of all", lambda row: bar(row.lambda_L / total)),
        "network_ns",
        brief=0,
    )
    every = len(found)
    rest = f" {_ROWS} of {every}; communicators.csv has all." if every > _ROWS else ""
    return [
        Section(
            "Messages by communicator",
            [shown],
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
