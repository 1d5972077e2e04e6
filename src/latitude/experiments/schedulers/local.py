"""Runs one after the other on this machine (or in this allocation), beside other runners."""

import time

from latitude.experiments.campaign.directory import Directory
from latitude.experiments.campaign.perform import perform
from latitude.experiments.progress import Show
from latitude.launch.child import terminated_like_interrupted

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
