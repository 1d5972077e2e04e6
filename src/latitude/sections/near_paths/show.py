"""Shows the longest paths next to the critical path."""

from itertools import count

from latitude.render.document import Section, strong
from latitude.render.shown import Shown
from latitude.render.tables import table
from latitude.results.analysis import Analysis
from latitude.sections.near_paths.result import NearPath
from latitude.units.quantities import format_share, format_time

_TIED = 1e-6
"""Share of T within which a path counts as equally long as the critical path."""
_WAYPOINTS = 2
"""Largest number of messages per path in the text."""


def _near_paths(analysis: Analysis) -> list[Section]:
    """The near-critical paths, if there are any."""
    if len(analysis.near_paths) < 2:  # noqa: PLR2004 - one alone is the critical path
        return []
    first, *_ = analysis.near_paths
    number = count(1)
    shown = table(
        analysis.near_paths,
        ("path", lambda _: strong(f"{next(number)}.")),
        "length_ns",
        ("shorter by", lambda path: "critical" if path is first else _shorter(path)),
        "messages",
        "others",
        "skipped",
        ("through", _through),
        kind="near",
        brief=0,
    )
    return [
        Section(
            "Next in line",
            [shown],
            reading=near_sentence(analysis),
            note="The longest paths that differ in the messages they wait for; “other” and "
            "“without” compare them to the critical path's. Making the critical path faster gains "
            "no more than the distance to the next one; then that one is critical.",
        )
    ]


def near_sentence(analysis: Analysis) -> str:
    """A sentence about the second longest path: its distance, and its messages."""
    _, second, *_ = analysis.near_paths
    tied = sum(path.shorter_ns <= _TIED * analysis.T_ns for path in analysis.near_paths)
    if tied > 1:
        many = f"{tied} or more" if tied == len(analysis.near_paths) else f"{tied}"
        return (
            f"{many} paths are equally long: all must get shorter before the program runs faster."
        )
    share = second.shorter_ns / analysis.baseline.T_ns
    where = f"goes through {_via(second, 1)}" if second.others else "waits for fewer messages"
    return (
        f"The second path is {_shorter(second)} shorter ({format_share(share)} of "
        f"the runtime); it {where}."
    )


def _shorter(path: NearPath) -> str:
    return format_time(path.shorter_ns, 3)


def _through(path: NearPath) -> str:
    return _via(path, _WAYPOINTS) + (", …" if path.others > _WAYPOINTS else "") or "–"


def _via(path: NearPath, most: int) -> str:
    """The first messages that distinguish a path from the critical path."""
    return ", ".join(f"rank {w.source} → {w.destination} ({w.call})" for w in path.through[:most])


SHOWN = Shown(_near_paths)
