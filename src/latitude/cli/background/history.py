"""Reads the history that the options name."""

from typing import TYPE_CHECKING

from latitude.cli.background.samples import HistoryOptions

if TYPE_CHECKING:
    from latitude.lab.cluster.history import History


def history_of(arguments: HistoryOptions) -> "History":
    """Past runs; runs without b get b from the watched samples."""
    from latitude.lab.cluster.history import read_history  # noqa: PLC0415 - pandas is slow to import
    from latitude.lab.cluster.watch import read_watch  # noqa: PLC0415 - pandas is slow to import

    watched = None if arguments.watched is None else read_watch(arguments.watched)
    return read_history(arguments.history, unit=arguments.unit, watched=watched)
