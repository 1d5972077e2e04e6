"""Source places from which MPI is called, and their names."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from latitude import _core
from latitude._types import Integers
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.trace import symbols
from latitude.trace.symbols import Frame, Given, Location, Module
from latitude.trace.wrappers import Wrappers, before_main, of_interpreter

_SYSTEM = "/usr/"
"""Path of libraries' headers, which do not tell where the program's own sources are."""
_UNKNOWN = Frame(None, None, None)
_PYTHON_EXTENSION = re.compile(r"\.(?:cpython-\d|abi3\b)[^/]*\.?so$")


@dataclass(frozen=True, slots=True)
class Place:
    """Call sites that are one place: on the same line, inlined in the same way."""

    name: str
    """Name for people: `comm.c:88`, `exchange+0x1f`, `libcomm.so+0x5a10`."""
    frame: Frame
    inlined_into: tuple[Frame, ...]
    """Functions into which the call was inlined, innermost first."""
    module: str
    """Path of the executable or library; empty if the trace gives places without addresses."""
    offsets: tuple[int, ...]
    """Return addresses in the module's own numbering, rising; empty without a module."""


@dataclass(frozen=True, slots=True)
class Places:
    """The places of some call sites."""

    shown: list[Place] = field(default_factory=list)
    of_used: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The place of each requested site: the place of the MPI call. If a layer over MPI makes the
    call and callers were recorded, the place of the layer's call.
    """
    paths: list[tuple[str, ...]] = field(default_factory=list)
    """The MPI call and its callers, outermost last, for each requested site; empty if callers were
    not recorded.
    """
    warnings: list[Notice] = field(default_factory=list)
    """Problems of the search."""

    @property
    def names(self) -> list[str]:
        """The name of each place, for people."""
        return [place.name for place in self.shown]


def places_of(sites: _core.Trace | _core.Graph, used: Integers, wrappers: Wrappers) -> Places:
    """The places of some of the call sites, by their indices."""
    if not used.size:
        return Places()
    stacks = _Stacks(sites, used)
    chains = [list(stacks.steps(site)) for site in used.tolist()]
    short = _short(step.frame.file for chain in chains for step in chain if step.frame.file)
    merged: dict[Any, list[_Step]] = {}
    number: dict[Any, int] = {}
    of_used = np.zeros(used.size, dtype=np.int64)
    for i, chain in enumerate(chains):
        step = _shown(chain, wrappers)
        merged.setdefault(step.key, []).append(step)
        of_used[i] = number.setdefault(step.key, len(number))
    shown = [_place(steps, short) for steps in merged.values()]
    paths = [
        tuple(step.described(short) for step in chain) if stacks.has_caller(site) else ()
        for site, chain in zip(used.tolist(), chains, strict=True)
    ]
    modules = {place.module for place in shown}
    behind = stacks.hidden_by_python(modules)
    warnings = stacks.problems.notices(modules - behind)
    if behind:
        names = ", ".join(sorted(Path(module).name for module in behind))
        warnings.append(
            kinds.CALLS_FROM_PYTHON(
                f"call sites are in {names}, an extension of Python: its callers were not recorded"
            )
        )
    return Places(shown, of_used, paths, warnings)


def look_up(trace: _core.Trace) -> list[Notice]:
    """Gives the call sites of a trace their source places.

    Conversion to formats without addresses needs these places. Returns warnings about call sites
    without a line.
    """
    sites = np.arange(trace.site_module.size, dtype=np.int64)
    if not sites.size or all(trace.site_frames or [[]]):
        return []  # no sites, or the format gives their places
    stacks = _Stacks(trace, sites)
    trace.set_frames([stacks.frames(site) for site in sites.tolist()])
    return stacks.problems.notices(set(trace.module_path))


@dataclass(frozen=True, slots=True)
class _Step:
    """A frame of a stack: the code at a return address, or a function into which it was inlined."""

    location: Location
    index: int
    """Index into the location's frames."""

    @property
    def frame(self) -> Frame:
        return self.location.frames[self.index] if self.location.frames else _UNKNOWN

    @property
    def key(self) -> Any:
        """A key, equal for return addresses on one source line that are inlined in the same way."""
        has_line = self.frame.line is not None
        return self.location.module, (
            self.location.frames[self.index :] if has_line else (self.location.offset, self.index)
        )

    def name(self, short: dict[str, str]) -> str:
        frame, location = self.frame, self.location
        if frame.file and frame.line:
            return f"{short[frame.file]}:{frame.line}"
        if not location.module:
            return frame.function or "?"
        if frame.function and location.into_function is not None:
            return f"{frame.function}+{location.into_function:#x}"
        return f"{Path(location.module).name}+{location.offset:#x}"

    def described(self, short: dict[str, str]) -> str:
        """The place and its function."""
        name, function = self.name(short), self.frame.function
        return f"{name} in {function}" if function and self.frame.line else name


class _Stacks:
    """Call sites and their callers, all looked up at once."""

    def __init__(self, sites: _core.Trace | _core.Graph, used: Integers) -> None:
        self._caller = sites.site_caller
        numbers = used
        while (callers := self._caller[numbers][self._caller[numbers] != _core.NO_SITE]).size:
            grown = np.union1d(numbers, callers.astype(np.int64))
            if grown.size == numbers.size:
                break
            numbers = grown
        modules = list(map(Module, sites.module_path, sites.module_build_id))
        frames = sites.site_frames
        self._location: dict[int, Location] = {}
        unknown: dict[int, tuple[int, int]] = {}
        for site in numbers.tolist():
            module, offset = int(sites.site_module[site]), int(sites.site_offset[site])
            named = module == _core.NO_MODULE
            if named or (frames and frames[site]):
                path = "" if named else modules[module].path
                self._location[site] = Location.given(path, offset, frames[site])
            else:
                unknown[site] = module, offset
        has_line: dict[str, bool] = {}
        for location in self._location.values():
            has_line[location.module] = has_line.get(location.module, False) or location.has_line
        found, self.problems = symbols.symbolise(modules, list(unknown.values()))
        self.problems.lineless.extend(path for path, has in has_line.items() if path and not has)
        self._location.update(zip(unknown, found, strict=True))

    def hidden_by_python(self, modules: set[str]) -> set[str]:
        """Python extensions among the modules, if no caller of any call was recorded."""
        if bool((self._caller != _core.NO_SITE).any()):
            return set()
        return {module for module in modules if _PYTHON_EXTENSION.search(module)}

    def has_caller(self, site: int) -> bool:
        return bool(self._caller[site] != _core.NO_SITE)

    def frames(self, site: int) -> list[Given]:
        """Frames in the form of the core; each has at least some name."""
        location = self._location[site]
        steps = [_Step(location, index) for index in range(max(1, len(location.frames)))]
        return [
            (step.frame.function or "", step.frame.file or "", step.frame.line)
            if step.frame.line
            else (step.name({}), step.frame.file or "", 0)
            for step in steps
        ]

    def steps(self, site: int) -> Iterator[_Step]:
        """Steps from the MPI call outwards, without the code that starts programs."""
        first = True
        while site != _core.NO_SITE:
            location = self._location[site]
            for index in range(max(1, len(location.frames))):
                step = _Step(location, index)
                if not first and before_main(location.module, step.frame):
                    return
                yield step
                first = False
            site = int(self._caller[site])


def _shown(chain: list[_Step], wrappers: Wrappers) -> _Step:
    """The innermost step outside of wrappers and interpreters, or else the MPI call itself."""
    return next(
        (
            step
            for step in chain
            if not wrappers.hold(step.location.module, step.frame)
            and not of_interpreter(step.location.module)
        ),
        chain[0],
    )


def _place(steps: list[_Step], short: dict[str, str]) -> Place:
    first = steps[0]
    return Place(
        name=first.name(short),
        frame=first.frame,
        inlined_into=first.location.frames[first.index + 1 :],
        module=first.location.module,
        offsets=tuple(sorted({step.location.offset for step in steps if step.location.module})),
    )


def _short(files: Iterable[str]) -> dict[str, str]:
    """Paths without the directory that all of the program's sources have in common."""
    every = set(files)
    own = [file for file in every if not file.startswith(_SYSTEM)] or list(every)
    absolute = [os.path.dirname(file) for file in own if file.startswith("/")]  # noqa: PTH120
    shared = os.path.commonpath(absolute).rstrip("/") + "/" if absolute else "/"
    if shared == "/":
        return {file: file for file in every}
    return {file: file.removeprefix(shared) for file in every}
