"""Origin of the network of a result, in words."""

from collections.abc import Sequence


def network_sentence(defaults: Sequence[str], source: str | None) -> str:
    """A sentence that names the network if readers might assume another one; else empty.

    Args:
        defaults: parameters that the user did not choose.
        source: the file that describes the network, in words, if any.
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
