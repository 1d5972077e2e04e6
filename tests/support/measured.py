"""Values of measured networks."""

from typing import Any


def half_trip(kind: dict[str, Any], kibibytes: int) -> float:
    """Half a round trip of a size, ns; of one class of pairs in loggps.json."""
    (size,) = (size for size in kind["sizes"] if size["bytes"] == kibibytes << 10)
    return size["half_round_trip_ns"]["value"]
