"""Topics: parts of the help that several commands have."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """A part of the help that several commands have, in full with `--help WORD`."""

    title: str
    description: str | None = None


TOPICS = {
    "questions": Topic("questions"),
    "network": Topic(
        "network (LogGPS)",
        "Values carry a unit. Defaults: L=3us G=0.018ns/B S=256KiB, the ConnectX-3 fat tree\n"
        "of Shen et al., SC'24, §III.B, and o=5us; results name the defaults they used.",
    ),
    "nodes": Topic(
        "nodes",
        "With any of these, messages inside a node and between nodes differ "
        "(docs/reference/networks.md).",
    ),
    "trace": Topic("trace"),
    "streaming": Topic(
        "streaming", "For traces that do not fit into memory (docs/how-to/huge-traces.md)."
    ),
    "results": Topic("results"),
}
"""Topics by their word, in the order of the help, after a command's own parts."""
