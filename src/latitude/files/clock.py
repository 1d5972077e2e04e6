"""Stored times, which are in UTC."""

import os
import socket
from datetime import datetime, timezone


def now() -> datetime:
    """The present time, UTC."""
    return datetime.now(timezone.utc)


def stamp(time: datetime) -> str:
    """A time, the host and the process id, as a unique part of a file name."""
    return f"{time:%Y%m%dT%H%M%S.%fZ}-{socket.gethostname()}-{os.getpid()}"
