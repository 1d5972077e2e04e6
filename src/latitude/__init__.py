"""Latitude: how much network latency an MPI program tolerates.

>>> import latitude
>>> program = latitude.load("examples/lulesh-8-i20-s8.tar.xz")
>>> result = latitude.analyze(program, latitude.Network.parse({"L": "3us", "o": "5us"}))
>>> result.tolerance[0].delta_L_ns  # extra latency before the program runs 1 % slower, ns
"""

from latitude._core import InputError
from latitude._version import __version__
from latitude.analysis import analyze
from latitude.compare import Comparison, compare
from latitude.io import load, read
from latitude.links import Link
from latitude.network import Network
from latitude.notice import Notice
from latitude.placement import Placement
from latitude.program import Program
from latitude.recording import Recording
from latitude.results import Analysis
from latitude.topology import Topology

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
