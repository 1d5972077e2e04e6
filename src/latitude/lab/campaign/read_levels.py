"""Reads levels from a `[[levels]]` table: one level, a sweep, families of equal mean, or loads."""

import os
import re
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.distributions.cells import constant_table
from latitude.distributions.specification import parse_table
from latitude.distributions.table import QuantileTable
from latitude.experiments.planned import LevelPlan
from latitude.files.located import TomlTable
from latitude.results.injection import FLOW, VERBS
from latitude.results.runs import (
    CONSTANT,
    DISTRIBUTION,
    LOAD,
    NONE,
    SWEEP,
)
from latitude.units.quantities import format_share, format_time, parse_fraction, parse_time

_WAYS = ("latency", "sweep", "family", "load")
KEYS = ("name", *_WAYS, "loads", "generator", "unit", "layer", "intra_node")
_FILE = re.compile(r"(empirical|table|netem):([^/].*)", re.DOTALL)
_MOST = 1000
"""Largest number of levels of a sweep; more are probably a mistake."""
_ROUNDING = 1e-9
"""Relative tolerance of a step, so that the end of a sweep counts despite rounding."""


def read_levels(section: TomlTable, folder: Path) -> list[LevelPlan]:
    """The levels of one table; names of files are relative to `folder`."""
    section.known(KEYS)
    given = [way for way in _WAYS if way in section.values]
    if len(given) != 1:
        raise section.error(
            given[1] if given else None,
            f"give one of {', '.join(_WAYS)}" + (f", not {' and '.join(given)}" if given else ""),
        )
    if "loads" in section.values and given[0] != "family":
        raise section.error("loads", "needs family; for real traffic write load = …")
    if "generator" in section.values and given[0] != "load":
        raise section.error("generator", "needs load")
    ways = {"latency": _latency, "sweep": _sweep, "family": _family, "load": _load}
    return ways[given[0]](section, folder)


def _injected(section: TomlTable) -> dict[str, Any]:
    layer = section.choice("layer", FLOW, (FLOW, VERBS))
    intra_node = section.flag("intra_node")
    if intra_node and layer == VERBS:
        raise section.error("intra_node", "shared memory has no verbs; use layer = 'flow'")
    return {"layer": layer, "intra_node": intra_node}


def _not_injected(section: TomlTable, *keys: str) -> None:
    for key in keys:
        if key in section.values:
            raise section.error(key, "nothing is injected here; leave it out")


def _latency(section: TomlTable, folder: Path) -> list[LevelPlan]:
    text = section.text("latency").strip()
    name = section.text("name", text)
    if text == NONE:
        _not_injected(section, "layer", "unit")
        # This level has no delays, but its runs use the same transports as levels with intra_node.
        return [LevelPlan(name, NONE, intra_node=section.flag("intra_node"))]
    if text[:1].isdigit():
        ns = section.checked("latency", lambda each: parse_time(each, "latency", "20us"))
        return [_constant(name, CONSTANT, ns, text, _injected(section))]
    table = _table(section, "latency", folder)
    after = table.after
    if table.values[0] == table.values[-1]:
        return [_constant(name, CONSTANT, after.mean, text, _injected(section))]
    return [
        LevelPlan(
            name,
            DISTRIBUTION,
            latency=text,
            table=table,
            mean_ns=after.mean,
            sd_ns=after.sd,
            **_injected(section),
        )
    ]


def _sweep(section: TomlTable, folder: Path) -> list[LevelPlan]:  # noqa: ARG001 - needs no files
    if isinstance(section.values["sweep"], str):
        times = section.checked("sweep", _range)
    else:
        times = section.each("sweep", lambda text: parse_time(text, "sweep", "100us"))
    if not times or len(set(times)) < len(times):
        raise section.error("sweep", 'give different times, e.g. ["0us", "500us", "1ms"]')
    injected = _injected(section)
    prefix = _prefix(section)
    return [_constant(f"{prefix}{_compact(ns)}", SWEEP, ns, _compact(ns), injected) for ns in times]


def _family(section: TomlTable, folder: Path) -> list[LevelPlan]:
    """Five levels of one mean at each load (Underwood et al. 2018, §5.3).

    The paper prints no fit. The given lognormal is the one at the highest load. At lower loads its
    location, the idle network's latency, stays the same; its scale is proportional to the mean wait
    in a queue.
    """
    # Imported here, because scipy is slow to import.
    from latitude.lab.distributions.family import family_of, lognormal_of  # noqa: PLC0415

    unit = section.text("unit") if "unit" in section.values else None
    text = section.text("family").strip()
    shape, loc, scale = section.checked(
        "family", lambda each: lognormal_of(_beside(each.strip(), folder), unit)
    )
    loads: list[float] | list[None] = [None]
    if "loads" in section.values:
        loads = sorted(_shares(section, "loads"))
    injected = _injected(section)
    levels = []
    for load in loads:
        family = section.text("name", "family")
        if load is not None and len(loads) > 1:
            family = f"{_prefix(section)}{format_share(load)}"
        wait = _wait(load) / _wait(loads[-1])
        constant, *others = family_of(shape, loc, scale * wait)
        # The constant gets the mean of a lognormal's table, which holds whole ns: so the means stay
        # equal.
        mean = others[0].table.after.mean
        name, words = f"{family}-{constant.member.name}", f"constant({mean!r}ns)"
        same = {"family": family, "load": load, **injected}
        levels.append(_constant(name, CONSTANT, mean, words, same))
        levels += [
            LevelPlan(
                f"{family}-{each.member.name}",
                DISTRIBUTION,
                latency=each.member.distribution,
                table=each.table,
                mean_ns=each.table.after.mean,
                sd_ns=each.table.after.sd,
                **same,
            )
            for each in others
        ]
    if not any(level.sd_ns for level in levels):
        raise section.error("family", f"'{text}' does not vary")
    return levels


def _wait(load: float | None) -> float:
    """Mean wait in a queue at this load, in service times; 1 without a load."""
    return 1.0 if load is None else load / (1 - load)


def _load(section: TomlTable, folder: Path) -> list[LevelPlan]:
    _not_injected(section, "layer", "unit", "intra_node")
    prefix = _prefix(section)
    generator = section.words("generator", folder)
    return [
        LevelPlan(f"{prefix}load-{format_share(load)}", LOAD, load=load, generator=generator)
        for load in _shares(section, "load")
    ]


def _constant(name: str, kind: str, ns: float, text: str, injected: dict[str, Any]) -> LevelPlan:
    table = constant_table(ns, text)
    return LevelPlan(name, kind, latency=text, table=table, mean_ns=ns, **injected)


def _table(section: TomlTable, key: str, folder: Path) -> QuantileTable:
    unit = section.text("unit") if "unit" in section.values else None
    return section.checked(key, lambda text: parse_table(_beside(text.strip(), folder), unit))


def _beside(text: str, folder: Path) -> str:
    """The text, with its file name taken relative to the folder of the campaign's file."""
    if match := _FILE.fullmatch(text):
        return f"{match[1]}:{folder / match[2]}"
    return str(folder / text) if os.path.exists(folder / text) else text  # noqa: PTH110 - long words


def _range(text: str) -> list[float]:
    """Parses `0us:2ms:500us`: first, last and step; the steps may end before the last."""
    example = "0us:2ms:500us"
    parts = [parse_time(part, "sweep", example) for part in text.split(":")]
    if len(parts) != 3 or parts[2] <= 0 or parts[1] < parts[0]:  # noqa: PLR2004 - as above
        raise InputError(f"'{text}' is not FIRST:LAST:STEP; write e.g. {example}")
    first, last, step = parts
    count = int((last - first) / step + _ROUNDING) + 1
    if count > _MOST:
        raise InputError(f"'{text}' has {count:,} steps; {_MOST:,} at most")
    return [first + index * step for index in range(count)]


def _shares(section: TomlTable, key: str) -> list[float]:
    """Shares of the bandwidth, one or several."""
    shares = section.each(key, lambda text: parse_fraction(text, key, "40%"))
    if not shares or not all(share < 1 for share in shares) or len(set(shares)) < len(shares):
        raise section.error(key, 'give different shares below 100 %, e.g. ["20%", "70%"]')
    return shares


def _prefix(section: TomlTable) -> str:
    return f"{section.text('name')}-" if "name" in section.values else ""


def _compact(ns: float) -> str:
    """A time without a space, as part of a name: 500us."""
    return format_time(ns, 6).replace(" ", "").replace("µ", "u")
