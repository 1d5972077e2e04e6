"""Program, network and random latency → the distribution of T."""

import hashlib
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from latitude import _core
from latitude._types import Floats
from latitude._version import __version__
from latitude.analysis.cpu_order import in_order
from latitude.distributions.table import ENDS_AT
from latitude.files.progress import Progress, Silent
from latitude.model.default_network import network_or_default
from latitude.model.network import Network, warnings_of
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.random.forecast import estimate
from latitude.random.forecast.critical import MOST_SAMPLES, CriticalMessages
from latitude.random.forecast.question import QUANTILES, Question
from latitude.random.forecast.random import Random, compile_random
from latitude.random.forecast.sampling import Local, Sampler, narrow, sample
from latitude.random.forecast.store import SampleBatches
from latitude.random.forecast.tolerance import ToleranceSearch
from latitude.results.answer import GraphInfo
from latitude.results.assumptions import Assumptions
from latitude.results.forecast import (
    DrawnLatency,
    DrawnNoise,
    Estimate,
    LatencyTolerance,
    Randomness,
    RuntimeBounds,
    RuntimeCompared,
    RuntimeDistribution,
    RuntimeFigures,
    RuntimeForecast,
    RuntimeQuantile,
)
from latitude.trace.program import Program
from latitude.units.quantities import counted

_NONE = 0.01
"""Percentage of samples that counts as none."""
_FEW = 200
"""Fewest samples for p95 and higher quantiles; below this Latitude warns."""


def forecast(
    program: Program,
    random: Random,
    network: Network | None = None,
    question: Question | None = None,
    *,
    sampler: Sampler | None = None,
    keep: Path | None = None,
    resume: bool = False,
    force: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> RuntimeForecast:
    """Draws runtimes under random latency and noise.

    Args:
        program: the result of `latitude.load`.
        random: the random quantities, and their places.
        network: LogGPS parameters; by default as in `latitude.analyze`.
        question: the number of samples, and the questions.
        sampler: the sampler; by default this process.
        keep: directory in which to keep samples as they are drawn.
        resume: continue with the samples in `keep`.
        force: replace samples in `keep` that cannot be continued.
        threads: threads; 0 means one per core.
        progress: display of the progress.

    Raises:
        InputError: the options are wrong, or kept samples belong to another forecast.
    """
    network = network_or_default(network).placed_as(program.path)
    program.refuse_job("a forecast")
    program = in_order(program, network)
    question = question or Question()
    progress = progress or Silent()
    store = None
    if keep is not None:
        store = SampleBatches(keep, state_of(program, network, random), resume=resume, force=force)
    progress.stage("Compiling graph and model")
    dag = compile_random(program.graph, network, random)
    messages = CriticalMessages(program, dag, random.seed, threads)
    T = sample(sampler or Local(messages.runtimes), question, progress, store)
    progress.stage("Finding critical messages")
    critical, pairs = messages.found(T.size)
    plain = _core.Model(program.graph, network.core(program.graph.ranks)).along("L")
    T0 = plain.runtime_at(plain.baseline)
    mean = estimate.mean(T)
    T_mean = dag.lower_ns()
    return RuntimeForecast(
        provenance=program.provenance(),
        trace=program.trace,
        graph=GraphInfo.of(program.graph),
        model=Assumptions.of(network, program),
        random=_randomness(random, dag),
        samples=T.size,
        runtime=RuntimeFigures(
            mean_ns=mean,
            sd_ns=estimate.spread(T),
            least_ns=float(T.min()),
            most_ns=float(T.max()),
        ),
        quantiles=_quantiles(T, question, random.known_to),
        compared=RuntimeCompared(
            T0_ns=T0,
            T_mean_latency_ns=T_mean,
            slowdown=mean.value / T0 - 1 if T0 > 0 else 0.0,
            slowdown_of_mean_latency=T_mean / T0 - 1 if T0 > 0 else 0.0,
            jensen_ns=mean.minus(T_mean),
        ),
        bounds=RuntimeBounds(mean_at_least_ns=T_mean, never_more_than_ns=dag.upper_ns()),
        tolerance=_tolerances(
            program, network, random, question, plain, T0, T.size, threads, progress
        ),
        criticality=critical,
        pairs=pairs,
        distribution=RuntimeDistribution.of(T),
        warnings=[
            *program.warnings,
            *messages.warnings,
            *_warnings(network, random, question, T),
            *_beyond_table(random, question, dag.draws),
        ],
        T_ns=T,
        asked=question.quantile,
        L_ns=network.L,
    )


def _randomness(random: Random, dag: _core.RandomDag) -> Randomness:
    latency, noise = random.latency, random.noise
    return Randomness(
        latency=DrawnLatency(
            text=latency.text,
            mean_ns=latency.mean,
            sd_ns=latency.sd,
            p50_ns=latency.quantile(0.5),
            p99_ns=latency.quantile(0.99),
            p999_ns=latency.quantile(0.999),
            most_ns=float(latency.values[-1]),
            values=latency.values,
        ),
        meaning="total" if random.total else "added",
        where=random.where,
        per=random.per,
        noise=None
        if noise is None
        else DrawnNoise(text=noise.text, sd=noise.sd, most=float(noise.values[-1])),
        noise_per=random.noise_per,
        seed=random.seed,
        nodes=dag.nodes,
        draws=dag.draws,
        quantum_ns=dag.quantum_ns,
    )


def _quantiles(T: Floats, question: Question, known_to: float) -> list[RuntimeQuantile]:
    """The standard quantiles and the requested one; quantiles beyond `known_to` are unknown."""
    ordered = np.sort(T)
    last = estimate.quantile(ordered, known_to)
    unknown = Estimate(math.nan, last.low, math.inf)
    asked = sorted({*QUANTILES, question.quantile})
    found = [(p, estimate.quantile(ordered, p) if p <= known_to else unknown) for p in asked]
    return [
        RuntimeQuantile(probability=p, value=each.value, low=each.low, high=each.high)
        for p, each in found
    ]


def _tolerances(
    program: Program,
    network: Network,
    random: Random,
    question: Question,
    plain: _core.AffineDag,
    T0: float,
    samples: int,
    threads: int,
    progress: Progress,
) -> list[LatencyTolerance]:
    if not question.tolerance:
        return []
    progress.stage("Finding what is tolerated")
    search = ToleranceSearch(
        program.graph,
        network,
        random,
        min(samples, MOST_SAMPLES),
        question.probability,
        threads,
    )
    found = []
    for degradation in sorted(question.tolerance):
        limit = T0 * (1 + degradation)
        constant = float(plain.tolerance(np.array([limit]), plain.baseline)[0])
        found.append(
            search.tolerance(degradation, limit, constant - (0 if random.total else plain.baseline))
        )
    return found


def _beyond_table(random: Random, question: Question, draws: int) -> Iterator[Notice]:
    """Warnings about quantiles of T that depend on values beyond the tables."""
    asked = {question.quantile, *([question.probability] if question.tolerance else [])}
    unknown = [f"p{100 * p:g}" for p in sorted(asked) if p > random.known_to]
    if not unknown and not any(source.loses_tail for source in random.sources):
        return
    untouched = 100 * ENDS_AT**draws
    over = f"quantiles of T over p{untouched:.5g}" if untouched > _NONE else "all quantiles of T"
    lost = f"; {', '.join(unknown)} of T is not known" if unknown else ""
    yield kinds.BEYOND_TABLE(
        "the last of 4,096 table entries is the mean of all values beyond p99.976: "
        f"{100 - untouched:.3g}% of samples draw it ({counted(draws, 'draw')} each), so {over} can "
        f"be too small{lost}"
    )


def _warnings(network: Network, random: Random, question: Question, T: Floats) -> list[Notice]:
    notices = [*random.latency.notices]
    if random.noise is not None:
        notices += random.noise.notices
    notices += warnings_of(network)
    if T.size < _FEW:
        notices.append(kinds.FEW_DRAWS(f"{T.size} samples say little about p95 and beyond"))
    if question.precision is not None and not narrow(T, question):
        notices.append(
            kinds.PRECISION_NOT_MET(
                f"after {T.size:,} samples the interval of p{100 * question.quantile:g} is still "
                f"wider than ± {100 * question.precision:g} %"
            )
        )
    return notices


def state_of(program: Program, network: Network, random: Random) -> Mapping[str, object]:
    """Plain data that is equal for two forecasts if and only if their samples are equal."""
    return {
        "schema": "latitude.forecast.samples/1",
        "version": __version__,
        "input_sha256": program.digest.hex(),
        "collectives": program.collectives,
        "cpu_order": program.cpu_order,
        "reduce_ns_per_byte": program.reduce_ns_per_byte,
        "async_progress": program.async_progress,
        "vertices": program.graph.vertices,
        "operations_sha256": hashlib.sha256(program.graph.value.tobytes()).hexdigest(),
        "network": {**network.describe(), "exact": repr(network), "rendezvous": network.rendezvous},
        "latency": random.latency.text,
        "latency_sha256": hashlib.sha256(random.latency.values.tobytes()).hexdigest(),
        "where": random.where,
        "per": random.per,
        "total": random.total,
        "noise": None if random.noise is None else random.noise.text,
        "noise_sha256": None
        if random.noise is None
        else hashlib.sha256(random.noise.values.tobytes()).hexdigest(),
        "noise_per": random.noise_per,
        "seed": random.seed,
    }
