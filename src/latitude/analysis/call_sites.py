"""Places in the source where MPI is called."""

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Integers
from latitude.notices.notice import Notice
from latitude.trace.places import Places, places_of
from latitude.trace.program import Program
from latitude.trace.wrappers import Wrappers


def names_of_call_sites(
    program: Program, vertex: Integers
) -> tuple[list[str], NDArray[np.int32], list[Notice]]:
    """Names of the places in the source where messages are sent or received.

    Returns:
        names of the places (none if the input records no call sites); index of each vertex's place,
        −1 for none; warnings.
    """
    places, rows = located(program)
    return places.names, rows.of_vertices(program.graph.origin[vertex]), places.warnings


def located(program: Program) -> tuple[Places, "SiteRows"]:
    """The places where MPI is called, and the place of each call and vertex."""
    graph = program.graph
    known = graph.site_module.size > 0  # otherwise its calls need no search
    used = np.unique(graph.call_site) if known else np.empty(0, np.uint32)
    used = used[used != _core.NO_SITE].astype(np.int64)
    places = places_of(graph, used, Wrappers(program.through))
    return places, SiteRows(graph, used, places)


class SiteRows:
    """Sites, calls and vertices → index of their place, −1 for none."""

    def __init__(self, graph: _core.Graph, used: Integers, places: Places) -> None:
        sites = graph.site_module.size
        self.of_site = np.full(sites + 1, -1, dtype=np.int32)
        self.of_site[used] = places.of_used
        self.path_of_site = dict(zip(used.tolist(), places.paths, strict=True))
        calls = graph.call_site.size
        self.of_call = np.full(calls + 1, -1, dtype=np.int32)
        self.of_call[:calls] = self.of_site[np.minimum(graph.call_site, sites)]

    def of_vertices(self, origin: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Places of vertices, by their `origin`."""
        return self.of_call[np.minimum(origin, self.of_call.size - 1)]
