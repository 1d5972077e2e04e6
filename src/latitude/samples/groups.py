"""Samples by group: one group per file, or one per value of a label."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from latitude._core import InputError
from latitude._types import Floats
from latitude.files.progress import Progress, Silent
from latitude.samples.columns import LATENCY, our_name
from latitude.samples.reading import iter_samples
from latitude.samples.sizes import SIZE
from latitude.statistics.sample import Sample, sample_of
from latitude.statistics.stream import Stream

_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
MOST = 1 << 23
"""Largest number of samples that a group keeps (64 MiB); a `Stream` replaces more samples."""


@dataclass(slots=True)
class SampleGroup:
    """Latencies of one group, in the order of the file."""

    name: str
    _pieces: list[Floats] = field(default_factory=list)
    _stream: Stream | None = None
    _count: int = 0

    def add(self, values_ns: Floats) -> None:
        """Adds samples."""
        self._count += values_ns.size
        if self._stream is None:
            self._pieces.append(values_ns)
            if self._count > MOST:
                self._stream = Stream()
                for piece in self._pieces:
                    self._stream.add(piece)
                self._pieces.clear()
        else:
            self._stream.add(values_ns)

    def cells(self) -> tuple[Floats, NDArray[np.int64] | None]:
        """All latencies (ns), or the means of a sketch's cells with their counts."""
        if self._stream is not None:
            return self._stream.sketch.cells()
        return np.concatenate(self._pieces), None

    def sample(self, threshold_ns: float | None = None) -> Sample:
        """All samples, for statistics. InputError: there are too few samples."""
        try:
            if self._stream is not None:
                return self._stream.sample(threshold_ns)
            values = np.concatenate(self._pieces) if self._pieces else np.empty(0)
            return sample_of(values, threshold_ns)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from error


def read_groups(
    paths: Sequence[Path],
    *,
    unit: str | None = None,
    by: Sequence[str] = (),
    progress: Progress | None = None,
) -> list[SampleGroup]:
    """One group per file, or, with labels, one per file and combination of their values.

    Message sizes are never pooled: a group with several sizes is split. InputError: a file lacks
    the label.
    """
    progress = progress or Silent()
    names = _names(paths)
    groups: dict[str, dict[str, SampleGroup]] = {}
    for path, name in zip(paths, names, strict=True):
        progress.stage(f"Reading {path.name}")
        for frame in iter_samples(path, unit=unit, columns=[*by, *map(our_name, by), SIZE]):
            for label, part in _parts(frame, by, path):
                key = _joined(name if len(paths) > 1 else "", label)
                for size, values in _by_size(part):
                    whole = _joined(key, size) or name
                    sizes = groups.setdefault(key or name, {})
                    sizes.setdefault(whole, SampleGroup(whole)).add(values)
    found: list[SampleGroup] = []
    for key in _in_order(groups) if by else groups:
        sizes = groups[key]
        if len(sizes) == 1:
            (group,) = sizes.values()
            group.name = key
        found += [sizes[whole] for whole in _in_order(sizes)]
    return found


def _joined(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _by_size(frame: pd.DataFrame) -> Iterable[tuple[str, Floats]]:
    """Latencies by message size, named `bytes 4`; all latencies if the frame has no sizes."""
    if SIZE not in frame.columns:
        yield "", frame[LATENCY].to_numpy(dtype=np.float64)
        return
    for size, part in frame.groupby(SIZE, sort=False, dropna=False):
        text = _text(size)
        named = "" if text == "nan" else f"{SIZE} {text}"
        yield named, part[LATENCY].to_numpy(dtype=np.float64)


def _parts(
    frame: pd.DataFrame, by: Sequence[str], path: Path
) -> Iterable[tuple[str, pd.DataFrame]]:
    if not by:
        yield "", frame
        return
    labels = [label if label in frame.columns else our_name(label) for label in by]
    missing = [name for name, label in zip(by, labels, strict=True) if label not in frame.columns]
    if missing:
        others = ", ".join(str(name) for name in frame.columns if name != LATENCY)
        raise InputError(
            f"{path}: no label '{missing[0]}' to group by; "
            + (f"its labels are {others}" if others else "it has no labels")
        )
    for values, part in frame.groupby(labels, sort=False, observed=True, dropna=False):
        label = ", ".join(
            f"{name} {_text(value)}" for name, value in zip(labels, values, strict=True)
        )
        yield label, part


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _in_order(names: Iterable[str]) -> list[str]:
    """The names, sorted with their numbers by value: bytes 4 before bytes 1024."""

    def key(name: str) -> list[tuple[int, float, str]]:
        words = name.replace(",", " ").split()
        return [(0, float(w), "") if _NUMBER.fullmatch(w) else (1, 0.0, w) for w in words]

    return sorted(names, key=key)


def _names(paths: Sequence[Path]) -> list[str]:
    """Short unique names: file names, or paths if file names are equal."""
    stems = [path.stem or str(path) for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    names = [path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    whole = [str(path) for path in paths]
    if len(set(whole)) < len(whole):
        raise InputError(f"{paths[0]}: given twice; a sample cannot be compared with itself")
    return whole
