"""What the tracer costs: time a call, bytes an event."""

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from latitude.launch import declared

from harness import Report, median
from inputs import Inputs

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT / "tests"))
from support.mpi.lat_format import read_run  # noqa: E402

_TRACER = _ROOT / "runtime" / "tracer"
_LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"],
    "mpich": ["mpirun.mpich"],
}
_CASE = "tracer"
_DEPTH = 8


def _build(name: str, work: Path) -> tuple[Path, dict[str, Path]]:
    mpicc = f"mpicc.{name}"
    work.mkdir(parents=True, exist_ok=True)
    library = work / "liblatitude-trace.so"
    told = declared.flags(_TRACER, mpicc, work)
    flags = [*(_TRACER / "FLAGS").read_text().split(), *told]
    sources = sorted(map(str, (*_TRACER.glob("*.c"), _ROOT / "runtime" / "clock" / "clock.c")))
    subprocess.run([mpicc, *flags, *sources, "-o", library], check=True)
    programs = {}
    for source in (_ROOT / "benchmarks" / "programs").glob("*.c"):
        programs[source.stem] = work / source.stem
        subprocess.run([mpicc, "-O2", "-w", source, "-o", work / source.stem], check=True)
    return library, programs


def _run(name: str, n: int, program: Path, **environment: str) -> str:
    variables = [f"{key}={value}" for key, value in environment.items()]
    command = [*_LAUNCHERS[name], "-n", str(n), "/usr/bin/env", *variables, str(program)]
    quiet = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1" if n > 2 else "0"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=quiet)
    return done.stdout


def _traced(
    name: str, n: int, program: Path, library: Path, trace: Path, clock: str, stacks: int = 0
) -> str:
    shutil.rmtree(trace, ignore_errors=True)
    return _run(
        name,
        n,
        program,
        LD_PRELOAD=str(library),
        LATITUDE_TRACE_DIR=str(trace),
        LATITUDE_CLOCK=clock,
        LATITUDE_STACKS=str(stacks),
    )


def _calls(name: str, library: Path, program: Path, report: Report, runs: int) -> None:
    trace = library.parent / "trace"
    plain: list[list[float]] = []
    traced: list[list[float]] = []
    stacks: list[float] = []
    for _ in range(runs):
        plain.append([float(x) for x in _run(name, 2, program).split()])
        output = _traced(name, 2, program, library, trace, "wall")
        traced.append([float(x) for x in output.split()])
        output = _traced(name, 2, program, library, trace, "wall", _DEPTH)
        stacks.append(float(output.split()[1]) - traced[-1][1])
    report.add(
        _CASE,
        f"{name}: {_DEPTH} callers of a call, more",
        median(stacks),
        "ns",
        at_most=150,
        samples=stacks,
    )
    for i, what in enumerate(["MPI_Test that finds nothing", "8-byte ping-pong, a call"]):
        before = median([sample[i] for sample in plain])
        costs = [t[i] - p[i] for p, t in zip(plain, traced, strict=True)]
        ratio = statistics.median(t[i] / p[i] for p, t in zip(plain, traced, strict=True))
        note = f"untraced {before:.1f} ns, ratio {ratio:.2f}"
        report.add(
            _CASE,
            f"{name}: {what}, more",
            median(costs),
            "ns",
            at_most=100,
            note=note,
            samples=costs,
        )
    shutil.rmtree(trace)


def _sizes(name: str, library: Path, program: Path, report: Report) -> None:
    trace = library.parent / "trace"
    for clock in ("wall", "cpu"):
        _traced(name, 8, program, library, trace, clock)
        ranks = read_run(trace)
        events = sum(len(rank.mpi) for rank in ranks)
        size = sum(rank.bytes for rank in ranks) / events
        note = f"{events:,} events of 8 ranks, clock {clock}"
        report.add(_CASE, f"{name}: halo exchange", size, "B an event", at_most=24, note=note)
    shutil.rmtree(trace)


def run(inputs: Inputs, report: Report, runs: int) -> None:
    """Each MPI that is installed."""
    for name in _LAUNCHERS:
        if not shutil.which(f"mpicc.{name}"):
            report.say(_CASE, f"{name}: not installed")
            continue
        library, programs = _build(name, inputs.work / f"tracer-{name}")
        _calls(name, library, programs["calls"], report, runs)
        _sizes(name, library, programs["halo"], report)
