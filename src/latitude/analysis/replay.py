"""Replay of a recorded run, which keeps the time beyond the model in the graph."""

from dataclasses import replace

from latitude import _core
from latitude.model.links import NOTHING_ADDED, AddedLatency
from latitude.model.network import Network
from latitude.notices import kinds
from latitude.trace.program import Program
from latitude.units.quantities import format_time


def replayed(program: Program, network: Network, added: AddedLatency = NOTHING_ADDED) -> Program:
    """The program with computations lengthened to end no earlier than in the recorded run.

    On `network` T is then the duration of the recorded run, unless the model is slower. The time
    beyond the model stays when L changes: calls' own work beyond o, late messages, late wake-ups.

    Args:
        program: loaded with `traced_times=True`.
        network: the network of the recorded run.
        added: additional latency of the recorded run's messages.

    Raises:
        InputError: the program was loaded without times, or the ranks do not fit the network.
    """
    placed = network.placed_as(program.path)
    links = placed.links(program.ranks).later(added)
    graph = _core.Model(program.graph, placed.core_of(links)).replayed()
    before = program.graph.value[program.graph.kind == _core.Kind.calc].sum()
    longer = float(graph.value[graph.kind == _core.Kind.calc].sum() - before) / program.ranks
    notice = kinds.REPLAYED(
        "computation includes the time of the traced run beyond the model, "
        f"{format_time(longer)} per rank on average"
    )
    return replace(program, graph=graph, warnings=[*program.warnings, notice], run=None)
