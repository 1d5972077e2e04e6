"""Past runs: latencies with b, collective, size, placement and time.

A run is a set of samples taken together, such as the 1,000 iterations of Salimi Beni and Cosenza
§3.3, and has one b. Any file or store that `latitude.samples` reads is a history if it has a column
b, or times at which b was watched.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.notices import kinds
from latitude.notices.notice import Notice

if TYPE_CHECKING:
    import pandas as pd

LABELS = ("collective", "bytes", "ranks", "placement", "b")
_DEFAULTS: dict[str, Any] = {"collective": "all", "bytes": 0, "ranks": 0, "placement": "unknown"}
_READ = (*LABELS, "time", "source")
KEPT = 4096
"""Largest number of samples kept per run, drawn at random; count and mean are of all samples."""
_KEPT_SEED = 5
SYNTHETIC = "synthetic"
"""`source` of invented samples."""
JOIN = "10min"
"""Longest distance in time between a run and the watched b that it gets."""


@dataclass(frozen=True, slots=True)
class History:
    """Runs in order of time, or in order of reading if they have no times."""

    name: str
    runs: "pd.DataFrame"
    """One row per run: collective, bytes, ranks, placement, b, time (or NaT), samples, mean_ns."""
    samples: list[Floats]
    """Latencies of each run, ns, at most KEPT."""
    warnings: tuple[Notice, ...] = ()
    synthetic: bool = False
    """Whether any of the samples are invented."""

    @property
    def timed(self) -> bool:
        """Whether every run has a time."""
        return bool(self.runs["time"].notna().all())

    def select(self, wanted: "pd.Series") -> "History":
        """A history of the runs for which `wanted` is true."""
        chosen = np.flatnonzero(wanted.to_numpy(dtype=bool))
        return History(
            self.name,
            self.runs.iloc[chosen].reset_index(drop=True),
            [self.samples[index] for index in chosen],
            self.warnings,
            self.synthetic,
        )


@dataclass(slots=True)
class _Run:
    """A run during reading: each sample draws a number, and the KEPT lowest numbers stay."""

    time: Any = None
    count: int = 0
    total: float = 0.0
    kept: Floats = field(default_factory=lambda: np.empty(0))
    lots: Floats = field(default_factory=lambda: np.empty(0))

    def add(self, values: Floats, time: Any, random: np.random.Generator) -> None:
        self.count += values.size
        self.total += float(values.sum())
        if self.time is None or (time is not None and time < self.time):
            self.time = time
        self.kept = np.concatenate([self.kept, values])
        self.lots = np.concatenate([self.lots, random.random(values.size)])
        if self.kept.size > KEPT:
            stay = np.sort(np.argpartition(self.lots, KEPT)[:KEPT])
            self.kept, self.lots = self.kept[stay], self.lots[stay]


def read_history(
    path: str | PathLike[str], *, unit: str | None = None, watched: "pd.DataFrame | None" = None
) -> History:
    """Reads past runs in bounded memory, whatever their number of samples.

    Args:
        path: file or store of samples.
        unit: unit of the latencies if the file does not state one.
        watched: samples of b (`read_watch`), for runs that have a time but no b.
    """
    from latitude.samples import iter_samples  # noqa: PLC0415 - slow to import

    return build_history(iter_samples(path, unit=unit, columns=_READ), str(Path(path)), watched)


def build_history(
    pieces: "Iterable[pd.DataFrame]", name: str, watched: "pd.DataFrame | None" = None
) -> History:
    """The runs in data frames of samples with the columns of `read_samples`."""
    found: dict[tuple[Any, ...], _Run] = {}
    random = np.random.default_rng(_KEPT_SEED)
    for piece in pieces:
        _add(found, piece, random)
    return _history(found, name, watched)


def _add(
    found: dict[tuple[Any, ...], _Run], piece: "pd.DataFrame", random: np.random.Generator
) -> None:
    import pandas as pd  # noqa: PLC0415 - slow to import

    frame = piece.copy(deep=False)
    for label, default in _DEFAULTS.items():
        frame[label] = frame[label].fillna(default) if label in frame else default
    for label in ("b", "source"):
        if label not in frame:
            frame[label] = np.nan if label == "b" else ""
    if "time" in frame:
        frame["time"] = pd.to_datetime(frame["time"], utc=True, format="ISO8601")
    else:
        frame["time"] = pd.Series(pd.NaT, index=frame.index, dtype="datetime64[ns, UTC]")
    key = [*LABELS, "source", *(["time"] if _labels_runs(frame) else [])]
    for labels, group in frame.groupby(key, dropna=False, sort=False):
        values = group["latency_ns"].to_numpy(dtype=np.float64)
        time = group["time"].min()
        # NaN is not equal to itself, and would make a run of every piece.
        plain = tuple(None if pd.isna(cast("float", label)) else label for label in labels)
        run = found.setdefault(plain, _Run())
        run.add(values, None if pd.isna(time) else time, random)


def _labels_runs(frame: "pd.DataFrame") -> bool:
    """Whether times belong to runs, not to single samples."""
    return 2 * frame["time"].nunique() <= len(frame)


def _history(
    found: dict[tuple[Any, ...], _Run], name: str, watched: "pd.DataFrame | None"
) -> History:
    import pandas as pd  # noqa: PLC0415 - slow to import

    rows = [
        {
            **dict(zip(LABELS, labels, strict=False)),
            "time": run.time,
            "samples": run.count,
            "mean_ns": run.total / run.count,
        }
        for labels, run in found.items()
    ]
    frame = pd.DataFrame(rows)
    frame["time"] = pd.to_datetime(frame["time"], utc=True)
    frame["b"] = pd.to_numeric(frame["b"], errors="coerce")
    if watched is not None:
        frame = _with_watched(frame, watched)
    samples = [run.kept for run in found.values()]
    _check(frame, name)
    known = frame["b"].notna()
    order = frame[known].sort_values("time", kind="stable").index
    lost = int((~known).sum())
    notices = (
        ()
        if not lost
        else (
            kinds.RUNS_WITHOUT_B(
                f"{lost:,} of {len(frame):,} runs have no b (none was recorded, or b changed too "
                "much) and are left out"
            ),
        )
    )
    made_up = any(SYNTHETIC in labels for labels in found)
    return History(
        name, frame.loc[order].reset_index(drop=True), [samples[i] for i in order], notices, made_up
    )


def _with_watched(frame: "pd.DataFrame", watched: "pd.DataFrame") -> "pd.DataFrame":
    """Fills in b from the queue's sample nearest in time, at most JOIN away."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    timed = frame["b"].isna() & frame["time"].notna()
    left = frame.loc[timed, ["time"]].reset_index().sort_values("time")
    left["time"] = left["time"].astype("datetime64[ns, UTC]")
    right = watched[["time", "b"]].astype({"time": "datetime64[ns, UTC]"})
    joined = pd.merge_asof(
        left, right, on="time", direction="nearest", tolerance=pd.Timedelta(JOIN)
    )
    frame.loc[joined["index"], "b"] = joined["b"].to_numpy()
    return frame


def _check(frame: "pd.DataFrame", name: str) -> None:
    if frame["b"].isna().all():
        raise InputError(
            f"{name}: no run has a b; record runs with `background around`, add a column b, or "
            "pass --watched DIR with samples of b at their times"
        )
    wrong = frame["b"][(frame["b"] < 0) | (frame["b"] > 1)]
    if len(wrong):
        raise InputError(
            f"{name}: b = {wrong.iloc[0]:g} is not between 0 and 1; percent must be divided by 100"
        )
