"""Commands whose clocks are others."""

import os


def in_time_namespace(hours: int, *command: str) -> list[str]:
    """The words that run the command with a monotonic clock these hours ahead; 0 for no change."""
    if hours == 0:
        return list(command)
    words = ["unshare", "--time", "--fork", f"--monotonic={hours * 3600}"]
    if os.geteuid() != 0:
        words.append("--map-root-user")
    return [*words, *command]
