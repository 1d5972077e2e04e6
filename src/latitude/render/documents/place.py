"""The document of a search for a placement."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from latitude.analysis.place.launchers import Launch
from latitude.render.document import Document, File, Line, Section, Table, code, strong
from latitude.results.place import PlaceResult
from latitude.units.quantities import format_count, format_share, format_size, format_time

JSON_FILE = "place.json"
_SHOWN_NODES = 32


def place_document(
    result: PlaceResult, files: Sequence[Launch], directory: Path | None
) -> Document:
    """The terminal's text and the files of a placement.

    Args:
        result: the placements.
        files: files for launchers.
        directory: directory of these files; None if they are not written.
    """
    machine = result.machine
    took = format_time(result.search.seconds * 1e9, 2)
    ended = "" if result.search.finished else ", stopped before the search was done"
    closing: list[Line] = ["For files that launchers take, add: -o DIR"]
    if directory is not None:
        closing = [
            [
                f"{launch.launcher + ':':<10}",
                code(launch.command.format(file=directory / launch.file)),
            ]
            for launch in files
        ]
    return Document(
        name=result.name,
        facts=[
            f"{result.best.node_of_rank.size:,} ranks",
            f"{machine.nodes:,} nodes with {machine.cores:,} cores",
        ],
        headline=_headline(result),
        answer=[f"{result.search.evaluations:,} placements judged in {took}{ended}"],
        notices=result.warnings,
        parts=[Section("Placements", [_placements(result)]), _ranks(result)],
        files=[
            File(JSON_FILE, result.to_json),
            *(File(launch.file, partial(str, launch.content)) for launch in files),
        ],
        closing=closing,
    )


def _headline(result: PlaceResult) -> str:
    first, *others = [
        f"{format_share(gain)} less than {name}" if gain > 0 else f"as much as {name}"
        for name, gain in result.gain.items()
    ]
    text = f"{', '.join([first, *others[:-1]])} and {others[-1]}" if others else first
    return f"The placement found runs {format_time(result.best.T_ns)}: {text}."


def _placements(result: PlaceResult) -> Table:
    """Runtime of each placement, and its links' part of the critical path."""
    names = [link.link for link in result.best.links]
    rows = []
    for judged in result.placements:
        of = {link.link: link for link in judged.links}
        row = [
            judged.name,
            format_time(judged.T_ns, 5),
            *(format_count(of[name].lambda_L) if name in of else "–" for name in names),
            *(format_size(of[name].bytes) if name in of else "–" for name in names),
        ]
        rows.append([strong(text) for text in row] if judged is result.best else row)
    head = ("placement", "runtime T", *(f"λ {n}" for n in names), *(f"bytes {n}" for n in names))
    return Table(head, rows, brief=len(rows))


def _ranks(result: PlaceResult) -> Section:
    """The ranks on each node."""
    nodes = result.machine.nodes
    rows = []
    for node in range(min(nodes, _SHOWN_NODES)):
        ranks = np.flatnonzero(result.best.node_of_rank == node).tolist()
        rows.append((result.machine.hosts[node], ", ".join(map(str, ranks)) or "none"))
    more = nodes - len(rows)
    return Section(
        "Ranks of each node",
        [Table(("node", "ranks"), rows, brief=len(rows))],
        note=f"… and {more:,} nodes more, in the files" if more else "",
        page=False,
    )
