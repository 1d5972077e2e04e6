"""Whose network a result is for."""

from collections.abc import Sequence


def network_sentence(defaults: Sequence[str], source: str | None) -> str:
    """Names the network if the reader might assume another one; else nothing.

    Args:
        defaults: parameters that nobody chose.
        source: the file that describes the network, in words, if one does.
    """
    if {"o", "G", "S"} <= set(defaults) and not source and ({"L", "l_wire"} & set(defaults)):
        return (
            "The network is a default one, a ConnectX-3 fat tree’s, not yours: “latitude measure "
            "loggps” measures yours, and “latitude network use” makes it the default."
        )
    of = f"The network is that of {source}" if source else ""
    if not defaults:
        return f"{of}." if of else ""
    *others, last = defaults
    listed = f"{', '.join(others)} and {last} are defaults" if others else f"{last} is a default"
    return f"{of}; its {listed}." if of else f"Of the network, {listed}, not yours."
