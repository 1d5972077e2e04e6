"""Times as they are stored: UTC."""

import os
import socket
from datetime import datetime, timezone


def now() -> datetime:
    """Now, UTC."""
    return datetime.now(timezone.utc)


def stamp(time: datetime) -> str:
    """A time and a process as a part of a file name that nobody else uses."""
    return f"{time:%Y%m%dT%H%M%S.%fZ}-{socket.gethostname()}-{os.getpid()}"
