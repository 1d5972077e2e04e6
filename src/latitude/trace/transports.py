"""Transports of a run's messages, kept as transports.json in the folder of a trace.

The library `runtime/transports` records them in each process.
"""

import shlex
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from latitude.files.reading import parsing, read_bytes, read_text
from latitude.files.writing import write_new

TRANSPORTS = "transports.json"
_TOLD = ".transports"
"""Folder for the reports of a run's processes."""
_MOST_BYTES = 1 << 20
_LOCAL = frozenset({"self", "cuda_copy", "gdr_copy", "rocm_copy"})
"""Transports within a process."""
_QUIET = ("UCX_LOG", "UCX_PROTO_INFO", "UCX_WARN", "FI_LOG")
"""Beginnings of settings that only change printed output."""


class Transports(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Transports between the ranks of a run, and the settings that choose transports."""

    used: tuple[str, ...] = ()
    """UCX's transports with a connection, or libfabric's providers; sorted. Empty if MPI used
    neither UCX nor libfabric.
    """
    modules: tuple[str, ...] = ()
    """Modules of Open MPI, e.g. `pml ucx`; sorted."""
    library: str = ""
    """The communication library, e.g. `ucx 1.13.1`."""
    ranks: int = 0
    hosts: tuple[str, ...] = ()
    settings: dict[str, str] = {}
    """Variables of the ranks' environment that choose transports and protocols."""

    @property
    def words(self) -> str:
        """The transports in words: `cma, sysv`."""
        if self.used:
            return ", ".join(self.used)
        return ", ".join(self.modules) or "the MPI's own shared memory"

    def otherwise(self, run: "Transports") -> str | None:
        """Compares a run with these transports, which were used to measure a network.

        Returns the difference and the remedy as a sentence, or None without a difference.
        """
        changed = [
            name
            for name in sorted(self.settings.keys() | run.settings.keys())
            if self.settings.get(name) != run.settings.get(name) and not name.startswith(_QUIET)
        ]
        if self.moved_by != run.moved_by:
            what = f"the network was measured over {self.words}, and the run used {run.words}"
        elif changed:
            what = (
                f"the network was measured with {_said(changed, self.settings)}, and the run had "
                f"{_said(changed, run.settings)}"
            )
        else:
            return None
        with_run = _said(changed, run.settings) if changed else "the run's environment"
        or_run = f", or make the run with {_said(changed, self.settings)}" if changed else ""
        return f"{what}; measure the network with {with_run}{or_run}"

    @property
    def moved_by(self) -> frozenset[str]:
        """The transports, or else the modules, which identify a network."""
        return frozenset(self.used) or frozenset(self.modules)


def _said(names: Iterable[str], settings: Mapping[str, str]) -> str:
    """Writes settings for a shell, `UCX_TLS=tcp,self`, or as `no UCX_TLS`."""
    return ", ".join(
        f"{name}={shlex.quote(settings[name])}" if name in settings else f"no {name}"
        for name in names
    )


def told_in(directory: Path) -> Path:
    """The folder in which processes record their transports, for a run with files in `directory`.

    The first process with a record makes the folder.
    """
    return directory / _TOLD


def gathered(directory: Path) -> Transports | None:
    """Reads and removes the folder `told_in(directory)`; None if no process recorded anything."""
    folder = told_in(directory)
    lines: list[list[str]] = []
    ranks = 0
    for path in folder.glob("*.txt"):
        own = [line.split(" ", 1) for line in read_text(path, _MOST_BYTES).splitlines()]
        if own and own[-1] == ["end"]:  # written whole
            ranks += 1
            lines += own
    shutil.rmtree(folder, ignore_errors=True)
    if not ranks:
        return None

    def of(kind: str) -> list[str]:
        return sorted({line[1] for line in lines if line[0] == kind and len(line) > 1})

    return Transports(
        used=tuple(name for name in of("transport") if name not in _LOCAL),
        modules=tuple(of("module")),
        library=", ".join(of("library")),
        ranks=ranks,
        hosts=tuple(of("host")),
        settings=dict(setting.split("=", 1) for setting in of("setting")),
    )


def keep_transports(directory: Path) -> None:
    """Writes transports.json of a traced run, if its processes recorded their transports.

    InputError: the file is not writable.
    """
    found = gathered(directory)
    if found is not None:
        text = msgspec.json.format(msgspec.json.encode(found)).decode()
        write_new(directory / TRANSPORTS, f"{text}\n", force=True)


def kept_transports(trace: Path) -> Transports | None:
    """The content of a trace's transports.json; None without this file.

    InputError: the file is damaged.
    """
    path = trace / TRANSPORTS
    if not path.is_file():
        return None
    with parsing(str(path), "damaged; remove it, or trace again"):
        return msgspec.json.decode(read_bytes(path, _MOST_BYTES), type=Transports)
