"""The version, as the build wrote it into the core.

`importlib.metadata` would take 50 ms.
"""

from latitude._core import version as __version__

__all__ = ["__version__"]
