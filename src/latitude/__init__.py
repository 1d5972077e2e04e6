"""Latitude: how much network latency an MPI program tolerates.

>>> import latitude
>>> program = latitude.load("examples/lulesh-8-i20-s8.tar.xz")
>>> result = latitude.analyze(program, latitude.Network.parse({"L": "3us", "o": "5us"}))
>>> result.tolerance[0].delta_L_ns  # extra latency before the program runs 1 % slower, ns
"""

from typing import TYPE_CHECKING

import lazy_loader

from latitude._core import InputError
from latitude._version import __version__

if TYPE_CHECKING:
    from latitude.analysis.analyze import analyze
    from latitude.analysis.compare import compare
    from latitude.model.links import Link
    from latitude.model.network import Network
    from latitude.model.placement import Placement
    from latitude.model.topology import Topology
    from latitude.notices.notice import Notice
    from latitude.results.analysis import Analysis
    from latitude.results.comparison import Comparison
    from latitude.trace.load import load, read
    from latitude.trace.program import Program
    from latitude.trace.recording import Recording
else:
    # SciPy, pandas and HiGHS take a second to import; most commands need none of them.
    __getattr__, __dir__, _ = lazy_loader.attach(
        __name__,
        submod_attrs={
            "analysis.analyze": ["analyze"],
            "analysis.compare": ["compare"],
            "model.links": ["Link"],
            "model.network": ["Network"],
            "model.placement": ["Placement"],
            "model.topology": ["Topology"],
            "notices.notice": ["Notice"],
            "results.analysis": ["Analysis"],
            "results.comparison": ["Comparison"],
            "trace.load": ["load", "read"],
            "trace.program": ["Program"],
            "trace.recording": ["Recording"],
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
