"""Parts of an analysis that a result lacks, with reasons."""

from latitude.results.declared import Part


class LeftOut(Part, frozen=True, kw_only=True):
    """A part that the result does not have."""

    what: str
    why: str
    """The part's unmet need, the option that left it out, or its failure."""
