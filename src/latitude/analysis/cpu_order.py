"""The order in which CPUs take independent operations of GOAL (docs/explanation/model.md)."""

from dataclasses import replace

from latitude import _core
from latitude.analysis.arrivals import matched
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import Theta
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.cpu_order import CpuOrder
from latitude.trace.program import Program
from latitude.units.quantities import format_time


def in_order(program: Program, network: Network) -> Program:
    """The program with every open choice of its file made on this network, and fixed for every θ.

    The choices are the orders of a GOAL file's CPUs. In a trace the choices are unrecorded messages
    of receives from any source, and unrecorded completing calls (`arrivals.matched`). A traced
    program without open choices is returned unchanged, because its calls have an order. A GOAL file
    with `cpu_order="none"` is returned unchanged, too, with a warning if operations of a CPU
    overlap.

    Args:
        program: the program that `latitude.load` returned; a new order replaces an existing one.
        network: the baseline.

    Raises:
        InputError: with `cpu_order="file"`, operations wait for each other in a cycle; or messages
            are left over after matching by arrival.
    """
    if program.cpu_order is None:
        return matched(program, network)
    core = network.placed_as(program.path).core(program.ranks)
    if program.cpu_order == "file":
        ordered = _core.in_file_order(program.graph, core)
        return replace(program, graph=ordered)
    if program.cpu_order == "none":
        return replace(program, warnings=[*program.warnings, *_overlap(program.graph, core)])
    return replace(program, graph=_as_they_come(program.graph, core))


def choices_of(
    program: Program, network: Network, links: Links, theta: Theta, interval: tuple[float, float]
) -> CpuOrder | None:
    """The choices of `in_order`, and the number of choices that differ at the interval's ends.

    None for a traced program.
    """
    if program.cpu_order is None:
        return None
    chosen = _core.choices(program.graph)
    low, high = None, None
    if chosen and program.cpu_order == "baseline":
        model = _core.Model(program.graph, network.core_of(links))
        low, high = (_core.otherwise(program.graph, theta.service(model, at)) for at in interval)
    return CpuOrder(
        order=program.cpu_order, choices=chosen, otherwise_at_low=low, otherwise_at_high=high
    )


def warnings_of_order(
    chosen: CpuOrder | None, theta: Theta, interval: tuple[float, float]
) -> list[Notice]:
    """Warnings about the choices made in `in_order`."""
    if chosen is None or chosen.otherwise_at_low is None:
        return []
    low, high = (theta.text(each) for each in interval)
    return [
        kinds.CPU_ORDER_CHOSEN(
            f"the file leaves {chosen.choices:,} orders of operations on one cpu open; they are "
            f"those of the baseline. {chosen.otherwise_at_low:,} would differ at {theta.name} = "
            f"{low}, and {chosen.otherwise_at_high:,} at {high}",
            theta=theta.name,
        )
    ]


def _as_they_come(graph: _core.Graph, network: _core.Network) -> _core.Graph:
    # Orders `graph`, not the model's graph: if link rules have an S, that graph has this network's
    # rendezvous.
    return _core.in_order_of(graph, _core.Model(graph, network).service(network.L))


def _overlap(graph: _core.Graph, network: _core.Network) -> list[Notice]:
    model = _core.Model(graph, network)
    overlapping = model.overlapping()
    if not overlapping:
        return []
    apart = _core.Model(_as_they_come(graph, network), network)
    together_ns, apart_ns = (format_time(each.runtime()) for each in (model, apart))
    return [
        kinds.CPU_OVERLAP(
            f"{overlapping:,} operations begin while another one holds their cpu: T is "
            f"{together_ns}, and {apart_ns} if each cpu does one after the other"
        )
    ]
