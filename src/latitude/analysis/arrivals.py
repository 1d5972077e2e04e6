"""Simulates a program to decide receives and completions that its trace leaves open."""

from dataclasses import replace

from latitude import _core
from latitude.model.network import Network
from latitude.notices import kinds
from latitude.trace.program import Program, Wildcards

_LOW, _HIGH = 0.5, 1.5
"""Factors on all latencies, for counting the choices that would change."""


def matched(program: Program, network: Network) -> Program:
    """The program with its open receives decided by the order of arrival on this network.

    The first call that finds a request done completes the request. Warnings count the decided
    receives and the decided requests. A program without open receives and requests is returned
    unchanged.

    Args:
        program: the result of `latitude.load`.
        network: the baseline.

    Raises:
        InputError: with this matching, a message or a receive is left over.
    """
    if not program.graph.is_open:
        return program
    core = network.placed_as(program.path).core(program.ranks)
    chosen, low, high = (
        _core.arrivals(program.graph, core, factor) for factor in (1.0, _LOW, _HIGH)
    )
    choices = _core.open_choices(program.graph)
    otherwise = _core.chosen_otherwise(program.graph, chosen, low, high)
    assumed = Wildcards(
        assumed="arrival",
        choices=choices.sources,
        otherwise=otherwise.sources,
        completions=choices.requests,
        completions_otherwise=otherwise.requests,
    )
    warnings = [*program.warnings]
    if choices.sources:
        warnings.append(
            kinds.WILDCARDS_ASSUMED(
                f"the trace does not record the messages of {choices.sources:,} receives from any "
                "source: each takes the message that comes first at the baseline. With latencies "
                f"50 % lower or higher, {otherwise.sources:,} of them take another rank's"
            )
        )
    if choices.requests:
        warnings.append(
            kinds.COMPLETIONS_ASSUMED(
                "the trace does not record which of several calls (MPI_Test, MPI_Waitany and "
                f"similar calls) completed {choices.requests:,} requests: the first that can at "
                "the baseline. With latencies 50 % lower or higher, it is another call for "
                f"{otherwise.requests:,} of them"
            )
        )
    graph = _core.matched(program.graph, chosen)
    return replace(program, graph=graph, wildcards=assumed, warnings=warnings)
