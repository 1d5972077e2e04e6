"""Options that name latency samples."""

from dataclasses import dataclass
from pathlib import Path

from latitude.cli.plain_options import unit_option
from latitude.units.options import Options, argument, option


@dataclass(kw_only=True)
class HistoryOptions(Options):
    """A history, and the source of its b."""

    history: Path = argument(
        "past runs: a directory that `around -o` filled, or CSV, Parquet or JSON with columns "
        "latency_us (or _ns, _ms, _s), collective, bytes, placement, b, time",
        "HISTORY",
        Path,
    )
    watched: Path | None = option(
        "samples of b by `watch -o`, for runs with a time but without b",
        "DIR",
        Path,
        topic="history",
    )
    unit: str | None = unit_option(topic="history")
