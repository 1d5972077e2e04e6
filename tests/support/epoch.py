"""Paraver traces of the plasma code EPOCH, with Dimemas' results."""

from pathlib import Path

from support.needed import need
from support.paths import ROOT


def epoch() -> Path:
    """The folder of the traces."""
    folder = ROOT / "build" / "epoch-traces"
    need("EPOCH's traces", there=folder.is_dir(), script="need-epoch-traces.sh")
    return folder
