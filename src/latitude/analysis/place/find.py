"""Program and machine → a good placement, compared with block, round-robin and the present one."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._core import InputError
from latitude._types import Nodes
from latitude.analysis.cpu_order import in_order
from latitude.analysis.place.launchers import host_names
from latitude.analysis.place.machine import Machine
from latitude.analysis.place.search import Effort, PlacementSearch
from latitude.files.progress import Progress, Silent
from latitude.model.network import Network
from latitude.results.place import Judged, LinkShare, PlaceMachine, PlaceResult, PlaceSearch, gains
from latitude.trace.program import Program
from latitude.units.quantities import format_time

BLOCK, ROUND_ROBIN = "block", "round-robin"
PRESENT, FOUND = "present", "found"


def place(
    program: Program,
    network: Network,
    nodes: int,
    cores: int | None = None,
    *,
    effort: Effort | None = None,
    seed: int = 0,
    hosts: str | None = None,
    progress: Progress | None = None,
) -> PlaceResult:
    """Looks for the rank placement with the least predicted runtime.

    Args:
        program: the result of `latitude.load`.
        network: a network with link rules or a topology, so that nodes differ; its own placement is
            compared, too.
        nodes: number of nodes to use.
        cores: largest number of ranks per node; by default the smallest with which the program
            fits.
        effort: limits of the search.
        seed: seed of the search's random numbers.
        hosts: names of the nodes, e.g. `node[001-004]`.
        progress: display of the progress.

    Raises:
        InputError: the ranks do not fit, nothing distinguishes one placement from another, or
            operations wait in a cycle with one of the compared placements.
    """
    effort, progress = effort or Effort(), progress or Silent()
    program.refuse_job("a placement")
    ranks = program.ranks
    names = host_names(hosts, nodes)
    machine = Machine.of(network, nodes, cores or -(-ranks // nodes), ranks)
    given: dict[str, Nodes] = {
        BLOCK: machine.block(ranks),
        ROUND_ROBIN: machine.round_robin(ranks),
    }
    if network.placement is not None:
        given[PRESENT] = machine.present(ranks)
    progress.stage("Compiling graph and model")
    with _named(BLOCK):
        program = in_order(program, machine.placed(given[BLOCK], BLOCK))
    judged = [judge(program, machine, name, at) for name, at in given.items()]
    search = PlacementSearch(program.graph, machine, seed)
    began = monotonic()

    def told(least_ns: float, evaluations: int) -> None:
        progress.stage(f"T = {format_time(least_ns)} after {evaluations:,} placements")

    found = search.run(effort, given, told)
    seconds = monotonic() - began
    candidate = judge(program, machine, FOUND, found.placement)
    least = min(judged, key=lambda j: j.T_ns)
    if least.T_ns <= candidate.T_ns:  # only gains that a fresh evaluation confirms are reported
        candidate = judge(program, machine, FOUND, least.node_of_rank)
    return PlaceResult(
        provenance=program.provenance(),
        machine=PlaceMachine(
            nodes=nodes,
            cores=machine.cores,
            hosts=names,
            network=network.describe(),
            topology=None if network.topology is None else network.topology.spec,
        ),
        search=PlaceSearch(
            start=found.start,
            evaluations=found.evaluations,
            seconds=seconds,
            finished=found.finished,
        ),
        gain=gains(judged, candidate),
        placements=[*judged, candidate],
        warnings=list(program.warnings),
    )


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Adds the placement's name to an error about operations that wait in a cycle."""
    try:
        yield
    except InputError as error:
        raise InputError(f"placement {name}: {error}") from error


def judge(program: Program, machine: Machine, name: str, placement: Nodes) -> Judged:
    """Evaluates a placement as `analyze` does, independently of the search."""
    links = machine.placed(placement, name).links(program.ranks)
    network = machine.network.core_of(links)
    model = _core.Model(program.graph, network)
    with _named(name):
        pairs = model.slack()
    node = network.node_of_rank
    link = network.class_of[node[pairs.pair_source], node[pairs.pair_destination]]

    def total(values: NDArray[np.generic]) -> list[float]:
        return [float(x) for x in np.bincount(link, values, minlength=len(links.classes))]

    shares = zip(
        links.classes,
        total(pairs.pair_lambda_L),
        total(pairs.pair_messages),
        total(pairs.pair_bytes),
        strict=True,
    )
    return Judged(
        name=name,
        node_of_rank=placement,
        T_ns=model.critical_path().T_ns,
        links=[
            LinkShare(
                link=of.name, L_ns=of.L, lambda_L=count, messages=int(messages), bytes=int(size)
            )
            for of, count, messages, size in shares
        ],
    )
