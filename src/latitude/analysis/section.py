"""Finds the sections of a result.

Latitude leaves out a section that fails, and keeps the answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Generic, Literal, TypeVar

from latitude.analysis.context import GraphContext, LeftOutError, PassesContext
from latitude.files.machine import free_memory
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.left_out import LeftOut
from latitude.sections import SECTIONS, check_sections
from latitude.units.quantities import format_size

Held = Literal["curve", "schedule", ""]
_STAGES: tuple[Held, ...] = ("schedule", "curve", "")
"""The engine's data while it finds sections: first the end of each vertex, then compiled T(θ)."""
_OF_CALLS = "a job has no MPI calls and no messages"
_IN_MEMORY = "needs the whole graph in memory (--in-memory)"
_Context = TypeVar("_Context", GraphContext, PassesContext)


class _TooMuchError(Exception):
    """The cost of a section exceeds its bound; the message gives cost and bound."""


@dataclass(frozen=True, slots=True)
class SectionCost:
    """Time and memory that a section of a graph takes, estimated before its computation begins."""

    sweeps: float = 1.0
    """Number of visits of each operation of the graph; each visit is one step."""
    operation_bytes: int = 0
    """Memory per operation, in addition to the graph's, bytes."""
    steps: Callable[[GraphContext], float] | None = None
    """Number of steps, if it does not grow with the operations alone; None means sweeps times
    operations."""
    most_steps: float = 1e11
    """Largest number of steps, which take about an hour."""

    def excess(self, context: GraphContext) -> str | None:
        """The reason why the section would cost too much; None if it stays within its bounds.

        The bound of the memory is the machine's free memory.
        """
        operations = context.model.graph.vertices
        steps = self.sweeps * operations if self.steps is None else self.steps(context)
        if steps > self.most_steps:
            return f"it would take about {steps:,.0f} steps, more than {self.most_steps:,.0f}"
        needed, free = self.operation_bytes * operations, free_memory()
        if free is not None and needed > free:
            return f"it would take about {format_size(needed)}, more than the free memory"
        return None


@dataclass(frozen=True, slots=True)
class Computed:
    """The way to find a section; each `compute.py` declares one as COMPUTED.

    A function raises LeftOutError if the program lacks the data for the section.
    """

    of_graph: Callable[[GraphContext], Any]
    """Finds the section from a graph in memory."""
    cost: SectionCost
    of_passes: Callable[[PassesContext], Any] | None = None
    """Finds the section while the trace is streamed; None if the section needs the whole graph."""
    held: Held = ""
    """The data of the engine that the section needs."""
    after: tuple[str, ...] = ()
    """Sections to find earlier, if they are wanted."""
    of_slack: bool = False
    """Whether the section needs the slack of all messages."""
    of_job: bool = False
    """Whether the section applies to a job, which has no MPI calls and no messages."""


def chosen(sections: Sequence[str] | None, without: Sequence[str]) -> frozenset[str]:
    """The `sections` (None for all) that are not in `without`. InputError: a name is unknown."""
    check_sections([*(sections or ()), *without])
    return frozenset(SECTIONS if sections is None else sections) - frozenset(without)


@dataclass(slots=True)
class Finder(Generic[_Context]):
    """Finds the sections of one analysis, and records which it leaves out, with the reasons."""

    context: _Context
    wanted: frozenset[str]
    found: dict[str, Any] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)
    _tried: set[str] = field(default_factory=set)

    def needs_slack(self: "Finder[GraphContext]") -> bool:
        """Whether a wanted section needs the slack of all messages."""
        if self.context.program.job is not None:
            return False
        sections = [_declared(name) for name in self.wanted]
        return any(each.of_slack and each.cost.excess(self.context) is None for each in sections)

    def find(self) -> None:
        """Finds the wanted sections stage by stage, each stage in the order of the page."""
        for stage in _STAGES:
            self.find_while_held(stage)
        order = [*SECTIONS.values()]
        self.left_out.sort(key=lambda each: order.index(each.what))

    def find_while_held(self, held: Held) -> None:
        """Finds the sections that need this data, which the context frees afterwards."""
        known = {name: _declared(name) for name in SECTIONS}
        for name, section in known.items():
            if section.held == held:
                self._find(name, known)
        self.context.let_go(held)

    def _find(self, name: str, known: dict[str, Computed]) -> None:
        if name in self._tried:
            return
        self._tried.add(name)
        for other in known[name].after:
            self._find(other, known)
        if name not in self.wanted:
            self._leave_out(name, "not asked for")
            return
        try:
            self.found[name] = self._compute(name, known[name])
        except LeftOutError as error:
            self._leave_out(name, str(error))
        except _TooMuchError as error:
            self._fails(name, str(error))
        except MemoryError:
            self._fails(name, "there is not enough memory for it")
        except Exception as error:  # noqa: BLE001 - no section may cost the answer
            self._fails(name, f"{type(error).__name__}: {error}".partition("\n")[0])

    def _compute(self, name: str, section: Computed) -> Any:
        if isinstance(self.context, GraphContext):
            if self.context.program.job is not None and not section.of_job:
                raise LeftOutError(_OF_CALLS)
            excess = section.cost.excess(self.context)
            if excess is not None:
                raise _TooMuchError(excess)
            self.context.progress.stage(f"Finding {SECTIONS[name]}")
            return section.of_graph(self.context)
        if section.of_passes is None:
            raise LeftOutError(_IN_MEMORY)
        return section.of_passes(self.context)

    def _fails(self, name: str, why: str) -> None:
        self._leave_out(name, why)
        self.warnings.append(
            kinds.SECTION_LEFT_OUT(f"{SECTIONS[name]} left out: {why}", section=name)
        )

    def _leave_out(self, name: str, why: str) -> None:
        self.left_out.append(LeftOut(what=SECTIONS[name], why=why))


def _declared(name: str) -> Computed:
    section: Computed = import_module(f"latitude.sections.{name}.compute").COMPUTED
    return section
