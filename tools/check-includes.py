#!/usr/bin/env python3
"""Checks what the files of core/ and fuzz/ include of each other.

No file includes itself by way of others, and rooms include only those below them (tests may look
further). Prints each fault as file: what; exit status 1 when there is one.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEST = re.compile(r"_(test|for_tests)\.[ch]pp$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
ROOMS = (
    "core/trace", "core/graph", "core/model", "core/solve", "core/exact", "core/bindings", "fuzz",
)  # fmt: skip
"""From the lowest to the highest; files directly in core/ may be included by all, and include
none of them."""
APART = {
    ("core/model", "core/trace"),
    ("core/model", "core/graph"),
    *(("core/exact", room) for room in ("core/trace", "core/graph", "core/model", "core/solve")),
}
"""A network knows no program; what proves results knows nothing of what computes them."""
SHARED = ("runtime/tracer/calls.def",)
"""Lists that the C of runtime/ and the C++ of core/ have in common."""


def room_of(name: str) -> int:
    """The index of a file's room; -1 of one directly in core/."""
    return next((i for i, room in enumerate(ROOMS) if name.startswith(room + "/")), -1)


def circles(includes: dict[str, list[str]]) -> list[list[str]]:
    """The circles found by going through all files once, each as the files on it."""
    found: list[list[str]] = []
    done: set[str] = set()
    for start, first in includes.items():
        if start in done:
            continue
        path = [start]
        stack = [(start, iter(first))]
        while stack:
            name, rest = stack[-1]
            below = next(rest, None)
            if below is None:
                stack.pop()
                path.pop()
                done.add(name)
            elif below in path:
                found.append([*path[path.index(below) :], below])
            elif below not in done:
                path.append(below)
                stack.append((below, iter(includes[below])))
    return found


def main() -> int:
    """Checks the tree; the exit status."""
    files = sorted(
        path.relative_to(ROOT).as_posix()
        for folder in ("core", "fuzz")
        for suffix in ("*.hpp", "*.cpp", "*.def")
        for path in (ROOT / folder).rglob(suffix)
    ) + list(SHARED)
    known = set(files)
    includes: dict[str, list[str]] = {}
    faults: list[str] = []
    for name in files:
        named = INCLUDE.findall((ROOT / name).read_text())
        faults += [f"{name}: includes {n}, which does not exist" for n in named if n not in known]
        includes[name] = [n for n in named if n in known]
        for below in includes[name]:
            if TEST.search(name):
                continue
            upward = room_of(below) > room_of(name)
            apart = {ROOMS[i] for i in (room_of(name), room_of(below)) if i >= 0}
            if upward or tuple(sorted(apart)) in {tuple(sorted(pair)) for pair in APART}:
                faults.append(f"{name}: includes {below}, of another room that it may not know")
    faults += ["circle: " + " -> ".join(circle) for circle in circles(includes)]
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
