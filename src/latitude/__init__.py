"""Latitude: how much network latency an MPI program tolerates.

Examples:
    >>> import latitude
    >>> program = latitude.load("examples/lulesh-8-i20-s8.tar.xz")
    >>> result = latitude.analyze(program, latitude.Network.parse({"L": "3us", "o": "5us"}))
    >>> result.tolerance[0].delta  # extra latency before the program runs 1 % slower, ns
"""


# __init__.pyi lists the package's names, each imported at its first use, because SciPy, pandas and
# HiGHS take a second, and most commands need none of them. The list itself is read at its first
# use, because the command line has to answer Ctrl-C before that.
def __getattr__(name: str) -> object:
    import lazy_loader  # noqa: PLC0415 - see above

    attached = lazy_loader.attach_stub(__name__, __file__)
    here = globals()
    here["__getattr__"], here["__dir__"], here["__all__"] = attached
    return here[name] if name in here else here["__getattr__"](name)


def __dir__() -> object:
    return __getattr__("__all__")
