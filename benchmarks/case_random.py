"""Random latency: what a draw costs beside a sweep, and a thousand samples on two cores."""

import os
from functools import partial

import numpy as np
from latitude import _core
from latitude.random.forecast import parse_latency, parse_noise

from harness import Report, median, peak_bytes, seconds
from inputs import EAGER_LIMIT, Inputs

LANES = 8
SAMPLES = 1000
TURNS = 200


def run(inputs: Inputs, report: Report, runs: int) -> None:
    latency = parse_latency("lognormal(mean=5us,sd=10us)").values
    noise = parse_noise("5%").values
    for make in inputs.makers():
        made = make()
        _case(made.name, made.graph, latency, noise, report, runs)


def _case(
    name: str,
    graph: _core.Graph,
    latency: np.ndarray,
    noise: np.ndarray,
    report: Report,
    runs: int,
) -> None:
    case = f"Random latency · {name}, {graph.vertices:,} vertices, {graph.messages:,} messages"
    network = _core.Network(L=3000.0, o=5000.0, G=0.018, S=EAGER_LIMIT)
    plain = _core.Model(graph, network).along()
    theta = np.linspace(3000.0, 103_000.0, LANES)
    compiling = seconds(lambda: _core.Model(graph, network).random(latency), runs)
    dag = _core.Model(graph, network).random(latency)
    report.add(case, "compile", median(compiling) * 1e3, "ms", samples=compiling)
    sweep: list[float] = []
    drawn: list[float] = []
    for _ in range(TURNS):
        sweep += seconds(partial(plain.runtime, theta, LANES), 1)
        drawn += seconds(partial(dag.runtimes, 1, 0, LANES, 1, LANES), 1)
    ratios = [with_draws / without for with_draws, without in zip(drawn, sweep, strict=True)]
    report.add(case, "8 lanes without draws", median(sweep) * 1e3, "ms", samples=sweep)
    report.add(case, "8 lanes with draws", median(drawn) * 1e3, "ms", samples=drawn)
    report.add(case, "… times as long", median(ratios), "×", at_most=2.5, samples=ratios)
    everything = seconds(partial(dag.runtimes, 1, 0, SAMPLES, 2), runs)
    report.add(
        case, f"{SAMPLES:,} samples on 2 cores", median(everything), "s", at_most=10,
        samples=everything, note=f"{os.cpu_count()} cores here",
    )  # fmt: skip
    noisy = _core.Model(graph, network).random(latency, noise=noise)
    with_noise = seconds(partial(noisy.runtimes, 1, 0, SAMPLES, 2), runs)
    report.add(case, "… with noise on computation", median(with_noise), "s", samples=with_noise)
    groups = np.where(graph.kind == 2, 0, 2**32 - 1).astype(np.uint32)
    critical = seconds(lambda: dag.critical(1, 0, SAMPLES, [groups], 2), runs)
    report.add(case, "… with their critical paths", median(critical), "s", samples=critical)
    before = peak_bytes()
    dag.runtimes(1, 0, 8 * SAMPLES, 2)
    after = peak_bytes()
    report.add(case, "memory that 8 times the samples add", (after - before) / 2**20, "MiB")
