"""The version, as the installed package states it."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("latitude")
except PackageNotFoundError:  # run from a source tree
    __version__ = "0.1.0+source"
