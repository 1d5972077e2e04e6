"""Parts of an analysis that are not in a result, and why."""

from latitude.results.declared import Part

SECTIONS = {
    "waits": "waits",
    "slack": "slack",
    "near_paths": "near-critical paths",
    "call_sites": "source lines",
    "iterations": "iterations",
    "link_loads": "loads of links",
}
"""Sections that an analysis can do without, and their names for people."""


class LeftOut(Part, frozen=True, kw_only=True):
    """A part that the result does not have."""

    what: str
    why: str
    """What it needs, the option that left it out, or how it failed."""
