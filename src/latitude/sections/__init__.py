"""The sections of an analysis, in the order of the page.

A section is a folder: `result.py` declares its result, `compute.py` finds the result, and `show.py`
has its part of the page and the terminal, and its files. A field of `Sections` with the folder's
name and a title makes the section part of every analysis.
"""

from collections.abc import Iterable
from typing import Annotated, get_args, get_type_hints

from msgspec import Meta, field

from latitude._core import InputError
from latitude.results.answer import AnalysisAnswer
from latitude.sections.by_call.result import CallShare
from latitude.sections.by_call_site.result import CallSiteShare
from latitude.sections.by_rank.result import ByRank
from latitude.sections.communicators.result import Communicators
from latitude.sections.cpu_gaps.result import CpuGaps
from latitude.sections.critical_path.result import Stay
from latitude.sections.efficiency.result import Efficiency
from latitude.sections.iterations.result import Iterations
from latitude.sections.job_algorithms.result import FasterAlgorithm
from latitude.sections.job_collectives.result import Collectives
from latitude.sections.job_modules.result import ModuleShare
from latitude.sections.link_loads.result import LinkLoads
from latitude.sections.link_rules.result import LinkRule
from latitude.sections.near_paths.result import NearPath
from latitude.sections.pairs.result import MessagePairs
from latitude.sections.slack.result import Slack
from latitude.sections.sliders.result import Sliders
from latitude.sections.waits.result import Waits


class Sections(AnalysisAnswer, frozen=True, kw_only=True):
    """An answer with its sections. A section that is left out is null or empty."""

    sliders: Annotated[Sliders | None, Meta(title="sliders of the parameters")] = None
    """T over several parameters; null if the section was left out, or the program takes no time."""
    efficiency: Annotated[Efficiency | None, Meta(title="efficiencies")] = None
    critical_path: Annotated[list[Stay], Meta(title="the critical path in time")] = field(
        default_factory=list
    )
    """Stays of the critical path on ranks, in time order; paths of more than 20,000 stays are
    merged evenly."""
    cpu_gaps: Annotated[CpuGaps | None, Meta(title="what bounds a job's step")] = None
    """Null if the section was left out, or the input is not a job."""
    job_collectives: Annotated[Collectives | None, Meta(title="collectives of a job")] = None
    """Null if the section was left out, or the input is not a job."""
    job_algorithms: Annotated[list[FasterAlgorithm], Meta(title="algorithms of a job")] = field(
        default_factory=list
    )
    """Values of θ at which another algorithm of NCCL becomes faster, in ascending order. Empty if
    the section was left out, no other algorithm becomes faster, or the input is not a job.
    """
    job_modules: Annotated[list[ModuleShare], Meta(title="modules of a job")] = field(
        default_factory=list
    )
    """Modules, those with most latency first. Empty if the section was left out, or the input names
    no modules.
    """
    near_paths: Annotated[list[NearPath], Meta(title="near-critical paths")] = field(
        default_factory=list
    )
    """The longest paths that differ in the messages for which they wait; the critical path is
    first.
    """
    iterations: Annotated[Iterations | None, Meta(title="iterations")] = None
    """Null if the section was left out, the ranks' calls do not repeat, or no calls are recorded.
    """
    by_call_site: Annotated[list[CallSiteShare], Meta(title="source lines")] = field(
        default_factory=list
    )
    """Lines, those with most latency first. Empty if the section was left out, or the input records
    no call sites (liballprof, GOAL).
    """
    waits: Annotated[Waits | None, Meta(title="waits")] = None
    pairs: Annotated[MessagePairs | None, Meta(title="pairs of ranks")] = None
    slack: Annotated[Slack | None, Meta(title="slack of messages")] = None
    communicators: Annotated[Communicators | None, Meta(title="communicators")] = None
    """Null if the section was left out, the input records no communicators (GOAL), or no message
    has a communicator.
    """
    link_rules: Annotated[list[LinkRule], Meta(title="link rules")] = field(default_factory=list)
    """Empty if the section was left out, or all links cost the same."""
    link_loads: Annotated[LinkLoads | None, Meta(title="loads of links")] = None
    """Null if the section was left out, no message leaves its node, or the cables of messages are
    not known. They are not known if neither topology nor placement is given, or if a matrix only
    gives the distances of nodes.
    """
    by_call: Annotated[list[CallShare], Meta(title="MPI calls")] = field(default_factory=list)
    """Time and latencies of the critical path by MPI call, costliest first."""
    by_rank: Annotated[ByRank | None, Meta(title="ranks")] = None


def _titles() -> dict[str, str]:
    hints = get_type_hints(Sections, include_extras=True)
    own = Sections.__struct_fields__[len(AnalysisAnswer.__struct_fields__) :]
    titled = {name: next(m for m in get_args(hints[name]) if isinstance(m, Meta)) for name in own}
    return {name: str(meta.title) for name, meta in titled.items()}


SECTIONS = _titles()
"""Each section's key (name of its folder and of its field) → its title, in the order of the page.
"""


def check_sections(names: Iterable[str]) -> None:
    """Raises InputError if a name is not a section."""
    for name in names:
        if name not in SECTIONS:
            raise InputError(f"unknown section '{name}'; use {', '.join(SECTIONS)}")
