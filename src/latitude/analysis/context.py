"""The input of sections: a program on a network, its critical path, and the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from latitude import _core
from latitude._types import Floats, Integers
from latitude.analysis.ahead import Piece
from latitude.analysis.call_sites import SiteRows, located
from latitude.analysis.messages import rank_pairs
from latitude.analysis.path import steps
from latitude.files.progress import Progress
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import Theta
from latitude.notices.notice import Notice
from latitude.results.answer import Curve
from latitude.results.critical_path import WholePath
from latitude.sections.pairs.result import Pairs
from latitude.trace.nccl_costs import NcclMachine
from latitude.trace.pieces import PieceTrace
from latitude.trace.places import Places, places_of
from latitude.trace.program import Program
from latitude.trace.wrappers import Wrappers

PATHS = 5
"""Number of longest paths to find, including the critical path."""


JOB_COSTS = "a job's costs are those of the network it was recorded on"
"""Reason why a job has no answer on another network."""


class LeftOutError(Exception):
    """A section cannot be found from this input; the message names the missing input."""


@dataclass(kw_only=True, eq=False)
class _Context:
    network: Network
    links: Links
    theta: Theta
    progress: Progress
    T_ns: float = 0.0
    """T at the baseline."""
    curve: Curve = field(init=False)
    site_least_slack_ns: Floats = field(default_factory=lambda: np.array(np.inf))
    """(sites,) least slack of the messages sent or received at each site; one infinite number if
    not known."""
    warnings: list[Notice] = field(default_factory=list)
    """Warnings of the sections found so far."""


@dataclass(kw_only=True, eq=False)
class GraphContext(_Context):
    """A program in memory."""

    program: Program
    """The program, with its order of operations fixed (`cpu_order.in_order`)."""
    model: _core.Model
    compiled: Piece[_core.AffineDag]
    """T(θ), before the engine holds it in memory."""
    slack: Piece[None] = field(init=False)
    """Has the model find the slack of all messages."""
    recorded: _core.Graph | None = None
    """The graph before a job's CPU gaps were scaled."""
    nccl: NcclMachine = field(default_factory=NcclMachine)
    """The machine for which NCCL's cost model compares algorithms of a job."""
    each_call: bool = False
    """Whether the result needs the times of each single call."""
    dag: _core.AffineDag | None = None
    """T(θ), while the engine holds it in memory."""
    schedule: object = None
    """Holds the end of each vertex, from which path, waits and ideal runtime are computed."""
    path: WholePath = field(init=False)
    """The critical path."""
    ideal_ns: float = 0.0
    """T if messages cost nothing."""
    site_of_step: Integers = field(default_factory=lambda: np.array(-1))
    """(steps,) index into by_call_site of each step of the path, −1 if not known."""

    def let_go(self, what: Literal["curve", "schedule", ""]) -> None:
        """Frees the memory that no further section needs."""
        if what == "curve":
            self.dag = None
            self.model.forget_compiled()
        elif what == "schedule":
            self.schedule = None

    def find_path(self) -> None:
        """Finds the critical path and the ideal runtime, and holds the end of each vertex."""
        self.progress.stage("Finding critical path")
        self.schedule = self.model.schedule()
        self.path = steps(self.model.critical_path(), self.model.graph)
        self.ideal_ns = self.model.ideal_runtime()

    @cached_property
    def places(self) -> tuple[Places, SiteRows]:
        """The places where MPI is called, and the place of each call and vertex."""
        return located(self.program)

    @cached_property
    def where(self) -> Mapping[int, str]:
        """Name of the place of each site that calls come from; empty if no place is known."""
        try:
            places, rows = self.places
        except Exception:  # noqa: BLE001 - the section on places reports the error
            return {}
        names = places.names
        return {site: names[row] for site, row in enumerate(rows.of_site.tolist()) if row >= 0}

    @cached_property
    def messages(self) -> _core.MessageSlack:
        """All messages at the network's latency."""
        self.slack.take()  # longest paths come from the same compiled graph
        return self.model.slack(PATHS)

    @cached_property
    def pairs(self) -> Pairs:
        """Pairs of ranks that exchange messages."""
        return rank_pairs(self.messages, self.T_ns)


@dataclass(kw_only=True, eq=False)
class PassesContext(_Context):
    """A trace that is evaluated while it is read."""

    trace: PieceTrace
    followed: _core.StreamPath | None = None
    """The results of the pass along the critical path; None without that pass."""
    slack: _core.StreamSlack | None = None
    """The results of the pass over messages and its way back; None without that pass."""

    def let_go(self, what: Literal["curve", "schedule", ""]) -> None:
        """Frees nothing, because the passes' results are small."""

    @property
    def path(self) -> _core.StreamPath:
        """The results of the pass along the critical path. LeftOutError: without that pass."""
        if self.followed is None:
            raise LeftOutError("left out by --no-path")
        return self.followed

    @property
    def messages(self) -> _core.StreamSlack:
        """The results of the pass over messages. LeftOutError: without that pass."""
        if self.slack is None:
            raise LeftOutError("takes a pass and space on a disk (--scratch FOLDER)")
        return self.slack

    @cached_property
    def site(self) -> Integers:
        """(places,) call site of each of the core's places; the number of sites for none."""
        sites = self.trace.pieces.trace.site_module.size
        return np.minimum(self.path.place_site, sites).astype(np.int64)

    @cached_property
    def places(self) -> tuple[Integers, Places]:
        """The call sites at which calls were made, and their places in the source."""
        sites = self.trace.pieces.trace.site_module.size
        used = np.unique(self.site[(self.site < sites) & (self.path.place_calls > 0)])
        return used, places_of(self.trace.pieces.trace, used, Wrappers([]))

    @property
    def where(self) -> Mapping[int, str]:
        """Name of the place of each site that calls come from."""
        used, places = self.places
        names = places.names
        return {
            site: names[at] for site, at in zip(used.tolist(), places.of_used.tolist(), strict=True)
        }

    @property
    def overhead_ns(self) -> Floats:
        """(places,) time on the critical path that o and O take."""
        overhead: Floats = self.path.place_overhead_ns + self.path.place_copying_ns
        return overhead
