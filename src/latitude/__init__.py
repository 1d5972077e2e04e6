"""Latitude: how much network latency an MPI program tolerates.

Examples:
    >>> import latitude
    >>> program = latitude.load("examples/lulesh-8-i20-s8.tar.xz")
    >>> result = latitude.analyze(program, latitude.Network.parse({"L": "3us", "o": "5us"}))
    >>> result.tolerance[0].delta_L_ns  # extra latency before the program runs 1 % slower, ns
"""

import lazy_loader

# What the package offers stands in __init__.pyi. It is imported when it is first used: SciPy,
# pandas and HiGHS take a second, and most commands need none of them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
