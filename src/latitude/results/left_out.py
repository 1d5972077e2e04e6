"""Parts of an analysis that are not in a result, and why."""

from latitude.results.declared import Part


class LeftOut(Part, frozen=True, kw_only=True):
    """A part that the result does not have."""

    what: str
    why: str
    """Its need, the option that left it out, or its failure."""
