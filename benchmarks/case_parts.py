"""What each stage costs by itself, single thread; of the engine in processor time."""

from functools import partial
from pathlib import Path

import numpy as np
from latitude import _core

from harness import Report, median, processor_seconds, seconds
from inputs import EAGER_LIMIT, REPEATS, TRACES, Inputs

NAME = "BIG-npb-lu.A-8"


def run(inputs: Inputs, report: Report, runs: int) -> None:
    if (TRACES / f"{NAME}.tar.xz").exists():
        _reader(inputs, report, runs)
    for make in inputs.makers():
        made = make()
        _engine(made.name, made.graph, report, runs)
    _goal(inputs, report, runs)


def _reader(inputs: Inputs, report: Report, runs: int) -> None:
    paths = inputs.trace(NAME, REPEATS[NAME])
    megabytes = sum(Path(path).stat().st_size for path in paths) / 1e6
    case = f"Reading and building, 1 thread · {NAME}"
    reading = seconds(lambda: _core.trace_format("liballprof").read(paths, threads=1), runs)
    speed = megabytes / median(reading)
    report.add(case, "liballprof text", speed, "MB/s", at_least=300, samples=reading)
    trace = _core.trace_format("liballprof").read(paths, threads=1)
    building = seconds(lambda: _core.build_graph(trace, threads=1), runs)
    vertices = _core.build_graph(trace).vertices
    report.add(case, "graph", median(building) * 1e9 / vertices, "ns/vertex", samples=building)


def _goal(inputs: Inputs, report: Report, runs: int) -> None:
    graph = inputs.stencil().graph
    path = inputs.work / "stencil-16.goal"
    case = "GOAL text, 1 thread · stencil, 16 ranks"
    reading = seconds(lambda: _core.graph_format("goal").read(str(path)), runs)
    size = path.stat().st_size / 1e6
    report.add(case, "operations read", graph.vertices / median(reading) / 1e6, "million/s")
    report.add(case, f"{graph.vertices:,} operations", median(reading), "s", samples=reading)
    report.add(case, "text", size / median(reading), "MB/s")


def _engine(name: str, graph: _core.Graph, report: Report, runs: int) -> None:
    case = f"Engine · {name}, {graph.vertices:,} vertices, {graph.edges:,} edges"
    network = _core.Network(L=3000.0, o=5000.0, G=0.018, S=EAGER_LIMIT)
    compiling = processor_seconds(lambda: _core.Model(graph, network).along(), runs)
    dag = _core.Model(graph, network).along()
    report.add(
        case, "compile", median(compiling) * 1e9 / graph.vertices, "ns/vertex", samples=compiling
    )
    report.add(case, "vertices per node of the contracted graph", graph.vertices / dag.nodes, "×")
    report.add(case, "memory of the contracted graph", dag.memory_bytes / dag.nodes, "bytes/node")
    report.add(case, "… per message", dag.memory_bytes / graph.messages, "bytes")
    for lanes in (1, 8, 16):
        theta = np.linspace(3000.0, 103_000.0, lanes)
        call = partial(dag.runtime, theta, lanes)
        sweep = processor_seconds(call, runs, at_least_s=0.3)
        each = median(sweep) / dag.edges / lanes
        what, note = f"sweep, {lanes} lane{'s' * (lanes > 1)}", f"{median(sweep) * 1e3:.2f} ms"
        report.add(case, what, each * 1e9, "ns/edge/lane", samples=sweep, note=note)
    slopes = processor_seconds(lambda: dag.slopes(np.array([3000.0])), runs)
    report.add(case, "T with both derivatives", median(slopes) * 1e3, "ms", samples=slopes)
    limits = dag.runtime(np.array([3000.0])) * np.array([1.01, 1.02, 1.05])
    tolerance = processor_seconds(lambda: dag.tolerance(limits, 3000.0), runs)
    report.add(
        case, "three tolerances", median(tolerance) * 1e3, "ms", at_most=25, samples=tolerance
    )
    curve = processor_seconds(lambda: dag.slopes(np.linspace(3000.0, 103_000.0, 101)), runs)
    report.add(case, "curve of 101 points", median(curve) * 1e3, "ms", at_most=60, samples=curve)
