"""Runs one after the other on this machine (or in this allocation), beside other runners."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from latitude.experiments.campaign.directory import Directory
from latitude.experiments.campaign.perform import perform
from latitude.experiments.campaign.show import Show

_POLL_S = 0.5
"""How often runs of others are looked at."""


def run_local(directory: Directory, show: Show) -> None:
    """Until every run is done; what others have claimed is waited for."""
    with terminated_like_interrupted():
        while pending := directory.pending():
            idle = True
            for planned in pending:
                run = perform(directory, planned)
                if run is not None:
                    idle = False
                    again = directory.next_attempt(planned.id) is not None
                    show.ran(run, again=again)
            show.done(len(directory.plan.runs) - len(directory.pending()))
            if idle and (left := directory.pending()):
                show.waits(f"{len(left):,} runs are being made by other runners")
                time.sleep(_POLL_S)


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM and SIGHUP end the work inside as Ctrl-C does: cleanly, by KeyboardInterrupt."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {
        number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
