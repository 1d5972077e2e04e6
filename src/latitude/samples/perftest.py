"""Dumps of linux-rdma/perftest's latency tests: `ib_write_lat -U`.

After a banner, each message size prints `#, usec` and one line `index, latency` per sample. The
option -U prints the samples in the order of measurement, and -H, which -U implies, again in sorted
order. A summary line follows the samples.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from latitude._core import InputError
from latitude.files.reading import lines_of
from latitude.samples.checks import as_latencies
from latitude.samples.columns import LATENCY, one_unit, size_of

_LIST = re.compile(r"#, (\w+)\s*")
_MOST_BYTES = 32 << 20
_TITLE = re.compile(r"\s*(\S.*Latency Test)\s*")


def is_perftest(head: str) -> bool:
    """Whether a file begins like a perftest dump."""
    return any(_LIST.fullmatch(line) or _TITLE.fullmatch(line) for line in head.splitlines())


@dataclass(slots=True)
class _Block:
    """The samples of one message size."""

    unit: str
    samples: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    lists: int = 1
    bytes: int | None = None


def read_perftest(path: Path, unit: str | None) -> pd.DataFrame:
    """All samples, in the order of measurement if known."""
    title, blocks = _blocks(path)
    if not blocks:
        raise InputError(
            f"{path}: perftest's summary without its samples; run it again with -U, e.g. "
            "ib_write_lat -U"
        )
    frames = []
    for block in blocks:
        if block.unit == "cycles":
            raise InputError(f"{path}: latencies in CPU cycles; run perftest without -C")
        scale = one_unit(path, [("--unit", unit), ("the file", block.unit)])
        values = as_latencies(
            path,
            pd.Series(block.samples, dtype=object),
            scale,
            lambda index, lines=block.lines: f"line {lines[index]}",  # type: ignore[misc]
        )
        frame = pd.DataFrame({LATENCY: values, "source": title})
        if block.bytes is not None:
            frame["bytes"] = block.bytes
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _blocks(path: Path) -> tuple[str, list[_Block]]:
    title, blocks = "perftest", list[_Block]()
    block: _Block | None = None
    for number, line in enumerate(lines_of(path, errors="replace", most=_MOST_BYTES), 1):
        if match := _LIST.fullmatch(line):
            if block is None:
                block = _Block(match[1])
                blocks.append(block)
            else:
                block.lists += 1
        elif match := _TITLE.fullmatch(line):
            title = match[1]
        elif block is not None:
            cells = line.replace(",", " ").split()
            if "," in line and len(cells) == 2:  # noqa: PLR2004 - index, latency
                if block.lists == 1:
                    block.samples.append(cells[1])
                    block.lines.append(number)
            elif len(cells) > 2 and cells[0].isdecimal():  # noqa: PLR2004 - the summary
                block.bytes = size_of(path, number, cells[0])
                block = None
    return title, [each for each in blocks if each.samples]
