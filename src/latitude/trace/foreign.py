"""Recognises files of other tools that Latitude cannot read, and gives the remedy."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

_OWN = "record the program with latitude trace"
_SCOREP = "record it with Score-P as OTF2 (SCOREP_ENABLE_TRACING=true), or with latitude trace"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A kind of file that Latitude cannot read."""

    what: str
    """The tool's name for the file, with an article."""
    advice: str
    name: re.Pattern[str]
    """Pattern of the file's name."""
    begins: re.Pattern[bytes] | None = None
    """Pattern of the first bytes, or None if the name suffices."""


def _kind(what: str, advice: str, name: str, begins: bytes | None = None) -> Foreign:
    head = None if begins is None else re.compile(begins, re.DOTALL)
    return Foreign(what, advice, re.compile(name), head)


_JSON = r"\.json(?:\.gz)?$"
_KINDS = (
    _kind(
        "an execution trace of PyTorch or Chakra",
        "it holds no times; give the traces of PyTorch's profiler (Kineto) of the same steps",
        _JSON,
        rb'^\s*\{\s*"schema"\s*:\s*"[\d.a-z-]*chakra|'
        rb'^\s*\{(?!\s*"schema"\s*:\s*"latitude\.).*?"(?:pytorch_schema|ctrl_deps|nodes)"',
    ),
    _kind("a report of Nsight Systems", _OWN, r"\.(?:nsys-rep|qdrep|qdstrm)$"),
    _kind("a profile of Caliper", f"it holds sums and no messages; {_SCOREP}", r"\.cali$"),
    _kind(
        "a measurement of HPCToolkit",
        f"it holds samples and no messages; {_SCOREP}",
        r"\.(?:hpcrun|hpctrace|hpcstruct)$|^hpctoolkit-.*-(?:measurements|database)|"
        r"^(?:experiment\.xml|meta\.db|profile\.db|trace\.db|cct\.db)$",
    ),
    _kind("a profile of Score-P", f"it holds sums and no messages; {_SCOREP}", r"\.cubex$"),
    _kind("a profile of mpiP", f"it holds sums and no messages; {_SCOREP}", r"\.mpiP$"),
    _kind("a trace of Intel Trace Collector", _SCOREP, r"\.stf$"),
    _kind(
        "a profile of TAU", f"it holds sums and no messages; {_SCOREP}", r"^profile\.\d+\.\d+\.\d+$"
    ),
    _kind(
        "a trace of TAU",
        "convert it with tau2otf2 (TAU_TRACE_FORMAT=otf2 records OTF2 at once) and give the .otf2 "
        "file",
        r"^(?:tautrace\.\d+\.\d+\.\d+\.trc|events\.\d+\.edf|tau\.(?:trc|edf))$",
    ),
)


def recognised(name: str, head: bytes) -> str | None:
    """The format of a file and the remedy, for a message; None if no known tool has written it.

    Args:
        name: name of the file.
        head: first bytes of the file, decompressed.
    """
    for kind in _KINDS:
        if kind.name.search(PurePath(name).name) and (
            kind.begins is None or kind.begins.search(head)
        ):
            return f"this is {kind.what}: {kind.advice}"
    return None


def among(names: Iterable[str]) -> str | None:
    """As `recognised`, for the first file in a folder that its name alone identifies."""
    return next((what for name in sorted(names) if (what := recognised(name, b""))), None)
