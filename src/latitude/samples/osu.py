"""Output of the OSU micro-benchmarks: `osu_latency`, `osu_allreduce`.

Comments hold the test's title and the columns' names; each line is a message size and the mean of
many iterations.
"""

import re
from pathlib import Path

import pandas as pd

from latitude._core import InputError
from latitude.files.reading import lines_of
from latitude.notices import kinds
from latitude.samples.checks import as_latencies
from latitude.samples.columns import LATENCY, one_unit, size_of

_TITLE = re.compile(r"# OSU \S+ (.+?)(?: Latency)? Test\b.*")
_LATENCY = re.compile(r"(?:avg )?(?:latency|lat|overall) ?\((\w+)\)", re.IGNORECASE)

_MOST_BYTES = 32 << 20

AVERAGES = kinds.OSU_AVERAGES(
    "OSU benchmarks print the mean of many iterations, not samples: their spread is not the "
    "latency's"
)


def is_osu(head: str) -> bool:
    """Whether a file begins like OSU output."""
    return any(line.startswith("# OSU ") for line in head.splitlines())


def read_osu(path: Path, unit: str | None) -> pd.DataFrame:
    """One row per message size; several outputs may follow each other."""
    test, column, sized, found = "", 0, False, ""
    cells: list[str] = []
    lines: list[int] = []
    labels: list[tuple[str, int | None]] = []
    for number, line in enumerate(lines_of(path, errors="replace", most=_MOST_BYTES), 1):
        if match := _TITLE.match(line):
            test = match[1].lower()
        elif line.startswith("#"):
            names = re.split(r"\s{2,}", line[1:].strip())
            for index, name in enumerate(names):
                if unit_match := _LATENCY.fullmatch(name):
                    column, sized = index, names[0].lower() == "size"
                    found = _same(path, found, unit_match[1], number)
                    break
        elif found and (row := line.split()) and row[0][0].isdigit():
            if len(row) <= column:
                raise InputError(f"{path}: line {number}: the latency is missing")
            cells.append(row[column])
            lines.append(number)
            labels.append((test, size_of(path, number, row[0]) if sized else None))
    if not cells:
        raise InputError(f"{path}: no latencies in it; is it the output of a bandwidth test?")
    scale = one_unit(path, [("--unit", unit), ("the file", found)])
    values = as_latencies(path, pd.Series(cells), scale, lambda index: f"line {lines[index]}")
    frame = pd.DataFrame({LATENCY: values, "collective": [label[0] for label in labels]})
    sizes = [label[1] for label in labels]
    if None not in sizes:
        frame["bytes"] = sizes
    frame.attrs["notices"] = [AVERAGES.to_json()]
    return frame


def _same(path: Path, before: str, unit: str, line: int) -> str:
    one_unit(path, [("the first header", before), (f"line {line}", unit)])
    return unit
