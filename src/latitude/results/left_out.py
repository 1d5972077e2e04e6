"""Sections of an analysis that are not in a result, and why."""

from typing import Annotated

from msgspec import Meta

from latitude.results.declared import Part

SECTIONS = {
    "waits": "waits",
    "slack": "slack",
    "near_paths": "near-critical paths",
    "call_sites": "source lines",
    "iterations": "iterations",
    "link_loads": "loads of links",
}
"""What can be left out of an analysis, and how people read it; T, λ and tolerances always stand."""


class LeftOut(Part, frozen=True, kw_only=True):
    """A section that the result does not have."""

    section: Annotated[str, Meta(extra_json_schema={"enum": list(SECTIONS)})]
    reason: str
