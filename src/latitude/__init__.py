"""Latitude: how much network latency an MPI program tolerates.

>>> import latitude
>>> program = latitude.load("examples/lulesh-8-i20-s8.tar.xz")
>>> result = latitude.analyze(program, latitude.Network.parse({"L": "3us", "o": "5us"}))
>>> result.tolerance[0].delta_L_ns  # extra latency before the program runs 1 % slower, ns
"""

from typing import TYPE_CHECKING

from latitude import lazily
from latitude._core import InputError
from latitude._version import __version__

if TYPE_CHECKING:
    from latitude.analysis import analyze
    from latitude.comparison import Comparison, compare
    from latitude.io import load, read
    from latitude.links import Link
    from latitude.network import Network
    from latitude.notice import Notice
    from latitude.placement import Placement
    from latitude.program import Program
    from latitude.recording import Recording
    from latitude.results import Analysis
    from latitude.topology import Topology
else:
    __getattr__ = lazily.names(
        __name__,
        {
            "analyze": "analysis",
            "Comparison": "comparison",
            "compare": "comparison",
            "load": "io",
            "read": "io",
            "Link": "links",
            "Network": "network",
            "Notice": "notice",
            "Placement": "placement",
            "Program": "program",
            "Recording": "recording",
            "Analysis": "results",
            "Topology": "topology",
        },
    )

__all__ = [
    "Analysis",
    "Comparison",
    "InputError",
    "Link",
    "Network",
    "Notice",
    "Placement",
    "Program",
    "Recording",
    "Topology",
    "__version__",
    "analyze",
    "compare",
    "load",
    "read",
]
