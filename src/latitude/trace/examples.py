"""The example inputs in the package."""

from importlib.resources import files
from pathlib import Path

from latitude._core import InputError

DEMO = "lulesh-8-s16-i120.tar.xz"
"""LULESH 2.0, 8 ranks with a core each, `-s 16 -i 120`: a real trace by Latitude, 160 kB."""
DEMO_NETWORK = "lulesh-8-s16-i120.toml"
"""The network between the cores of the demo's run, measured by `latitude measure loggps`."""


def example(name: str) -> Path:
    """Path of an example, in the installed package or in the source tree."""
    installed = Path(str(files("latitude"))) / "data" / "examples" / name
    source = Path(__file__).parents[3] / "examples" / name
    for path in (installed, source):
        if path.is_file():
            return path
    raise InputError(f"example '{name}' is not installed; reinstall latitude")
