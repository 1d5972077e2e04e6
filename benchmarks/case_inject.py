"""What the injector costs where it injects nothing: ns a message. The bars are this project's aims.

An 8-byte ping-pong of two ranks through UCX's shared memory, where a message takes least and so the
cost shows most; a half round trip is one message.
"""

import os
import shutil
import statistics
import subprocess
from pathlib import Path

from harness import Report, median
from inputs import Inputs

_ROOT = Path(__file__).resolve().parents[1]
_INJECT = _ROOT / "runtime" / "inject"
_PARTS = ("../clock/clock", "table", "delay", "report", "settings", "flow/arrival", "flow/heap")
_LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"],
    "mpich": ["mpirun.mpich"],
}
_THROUGH_UCX = {
    "UCX_TLS": "posix,self",
    "MPIR_CVAR_NOLOCAL": "1",
    "OMPI_MCA_pml": "ucx",
    "OMPI_MCA_pml_ucx_tls": "any",
    "OMPI_MCA_pml_ucx_devices": "any",
    "OMPI_MCA_mpi_yield_when_idle": "0",
}
_CASE = "inject"
_MESSAGE_BAR_NS, _DRAW_BAR_NS = 50, 5


def _injector(work: Path) -> Path:
    library = work / "libinject.so"
    flags = (_INJECT / "FLAGS").read_text().split()
    sources = [str(path) for path in _INJECT.rglob("*.c") if path.parent.name != "tests"]
    sources.append(str(_ROOT / "runtime" / "clock" / "clock.c"))
    command = ["cc", *flags, *sources, "-o", str(library)]
    subprocess.run(command, check=True)
    return library


def _directories(work: Path) -> tuple[Path, Path]:
    """With a table of nothing, and without one: then delays are off, stamps on."""
    zero, none = work / "zero", work / "none"
    for directory in (zero, none):
        directory.mkdir(exist_ok=True)
    (zero / "table.dist").write_text("0 0 0 0 0 0 0 0\n" * 512)
    (zero / "table.seed").write_text("1\n")
    return zero, none


def _ping(name: str, program: Path, environment: dict[str, str]) -> float:
    variables = [f"{key}={value}" for key, value in environment.items()]
    command = [*_LAUNCHERS[name], "-n", "2", "/usr/bin/env", *variables, str(program)]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **_THROUGH_UCX}
    )
    return float(done.stdout.split()[1])


def _messages(name: str, work: Path, report: Report, runs: int) -> None:
    program = work / f"calls-{name}"
    source = _ROOT / "benchmarks" / "programs" / "calls.c"
    subprocess.run([f"mpicc.{name}", "-O2", "-w", source, "-o", program], check=True)
    library = _injector(work)
    zero, none = _directories(work)
    kinds: dict[str, tuple[dict[str, str], float | None]] = {
        "only its run time is measured (--off)": (
            {"LATITUDE_INJECT": "off", "LATITUDE_INJECT_DIR": str(none)},
            _MESSAGE_BAR_NS,
        ),
        "stamps, delays off": (
            {"LATITUDE_INJECT": "flow", "LATITUDE_INJECT_DIR": str(none)},
            _MESSAGE_BAR_NS,
        ),
        "a latency of nothing (--flow 0)": (
            {"LATITUDE_INJECT": "flow", "LATITUDE_INJECT_DIR": str(zero)},
            None,
        ),
    }
    plain: list[float] = []
    under: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(runs):
        plain.append(_ping(name, program, {}))
        for kind, (variables, _) in kinds.items():
            given = {"LD_PRELOAD": str(library), "LATITUDE_INJECT_INTRA": "1", **variables}
            under[kind].append(_ping(name, program, given))
            for left in Path(variables["LATITUDE_INJECT_DIR"]).glob("*.inj"):
                left.unlink()
    for kind, (_, bar) in kinds.items():
        costs = [now - was for now, was in zip(under[kind], plain, strict=True)]
        ratio = statistics.median(n / w for n, w in zip(under[kind], plain, strict=True))
        note = f"without {median(plain):.1f} ns, ratio {ratio:.2f}"
        report.add(
            _CASE,
            f"{name}: {kind}, more a message",
            median(costs),
            "ns",
            at_most=bar,
            note=note,
            samples=costs,
        )


def _draws(work: Path, report: Report, runs: int) -> None:
    """As the unit tests measure it: the least of 50 rounds of 20,000."""
    table = work / "rising.dist"
    table.write_text(
        "".join(f"{' '.join(str(8 * row + i) for i in range(8))}\n" for row in range(512))
    )
    unit = work / "unit"
    sources = [str(_INJECT / f"{part}.c") for part in _PARTS]
    command = ["cc", "-std=gnu11", "-O2", "-pthread", str(_INJECT / "tests" / "unit.c"), *sources]
    subprocess.run([*command, "-o", unit, "-lm", "-ldl"], check=True)
    samples = []
    for _ in range(runs):
        said = subprocess.run([unit, table], check=False, capture_output=True, text=True).stdout
        samples.append(float(said.partition("draw and lookup: ")[2].split()[0]))
    report.add(
        _CASE, "a draw and a lookup", median(samples), "ns", at_most=_DRAW_BAR_NS, samples=samples
    )


def run(inputs: Inputs, report: Report, runs: int) -> None:
    """Each MPI that is installed."""
    work = inputs.work / "inject"
    work.mkdir(parents=True, exist_ok=True)
    _draws(work, report, runs)
    for name in _LAUNCHERS:
        if not shutil.which(f"mpicc.{name}"):
            report.say(_CASE, f"{name}: not installed")
            continue
        _messages(name, work, report, runs)
