"""Receives from any source that a trace leaves open, matched by a simulation."""

from dataclasses import replace

from latitude import _core
from latitude.model.network import Network
from latitude.notices import kinds
from latitude.trace.program import Program, Wildcards

_LOW, _HIGH = 0.5, 1.5
"""Of all latencies, when it is asked whether another message would come first."""


def matched(program: Program, network: Network) -> Program:
    """The program whose open receives take what comes first on this network, with a warning.

    Any other program is returned as it is.

    Args:
        program: what `latitude.load` returned.
        network: the baseline.

    Raises:
        InputError: a message or a receive is left over when who comes first is matched.
    """
    choices = _core.open_sources(program.graph)
    if not choices:
        return program
    core = network.placed_as(program.path).core(program.ranks)
    chosen, low, high = (
        _core.arrivals(program.graph, core, factor) for factor in (1.0, _LOW, _HIGH)
    )
    otherwise = _core.taken_otherwise(program.graph, chosen, low, high)
    assumed = Wildcards(assumed="arrival", choices=choices, otherwise=otherwise)
    warning = kinds.WILDCARDS_ASSUMED(
        f"the trace does not say what {choices:,} receives from any source got: they take the "
        f"message that comes first at the baseline, and {otherwise:,} of them another rank's with "
        "latencies 50 % lower or higher"
    )
    graph = _core.matched(program.graph, chosen)
    return replace(program, graph=graph, wildcards=assumed, warnings=[*program.warnings, warning])
