"""The version, as the build wrote it into the core: `importlib.metadata` takes 50 ms to tell."""

from latitude._core import version as __version__

__all__ = ["__version__"]
