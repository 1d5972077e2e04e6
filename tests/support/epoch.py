"""Paraver traces of the plasma code EPOCH, with what Dimemas made of them."""

from pathlib import Path

from support.needed import need
from support.paths import ROOT


def epoch() -> Path:
    """The folder of them."""
    folder = ROOT / "build" / "epoch-traces"
    need("EPOCH's traces", there=folder.is_dir(), script="need-epoch-traces.sh")
    return folder
