"""Programs × distributions → runtimes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from latitude._core import InputError
from latitude.analysis.cpu_order import in_order
from latitude.distributions.table import SIZE
from latitude.experiments.relations import related
from latitude.experiments.variation.design import Design, design
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import input_name, of_this_run
from latitude.model.default_network import network_or_default
from latitude.model.network import Network, warnings_of
from latitude.notices import kinds
from latitude.notices.notice import Notice, gathered
from latitude.random.forecast.random import Random, compile_random
from latitude.results.assumptions import Assumptions
from latitude.results.runs import Runs, Study, over_runs
from latitude.results.variation import (
    DesignBase,
    DesignedLatency,
    DesignedProgram,
    ProvenanceOfSeveral,
    RandomLatency,
    Variation,
)
from latitude.statistics.mean_and_spread import Plane, plane
from latitude.trace.program import Program

SAMPLES = 25
"""Of each distribution: 8 loads × 5 × 25 = 1,000 runs, an n that explains [U] Table 4."""

MOST_RUNS = 1_000_000
"""Of all programs and distributions: the result holds every one of them."""


def variation_suite(
    programs: Sequence[Program],
    network: Network | None = None,
    plan: Design | None = None,
    random: Random | None = None,
    *,
    samples: int = SAMPLES,
    threads: int = 0,
    progress: Progress | None = None,
) -> Variation:
    """The experiment of [U] §§6–7 on execution graphs.

    Every run has random numbers of its own (run i of distribution d is sample d·samples + i of
    the seed), as the tests of [U] §7 assume: none are common to two distributions.

    Args:
        programs: what `latitude.load` returned; their names tell them apart.
        network: LogGPS parameters; defaults are those of [S] §III.B.
        plan: the distributions; by default those closest to what [U] prints.
        random: where latency goes, noise, and the seed; its `latency` is replaced. By default one
            draw a message on the sender's CPU, as [U]'s injector spends it.
        samples: runs under each distribution.
        threads: threads; 0 means one per core.
        progress: told how far the work is.

    Raises:
        InputError: no program, two of one name, fewer than one sample, or more than a million runs.
    """
    if not programs:
        raise InputError("suite: no programs; give at least one trace")
    if samples < 1:
        raise InputError("samples: at least 1 is needed")
    names = [input_name(str(program.path)) for program in programs]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise InputError(f"suite: two inputs are called {twice[0]}; rename one to tell them apart")
    network, plan, progress = network_or_default(network), plan or design(), progress or Silent()
    most = max(MOST_RUNS // (len(plan.treatments) * len(programs)), 1)
    if samples > most:
        raise InputError(
            f"samples: {samples:,} under each of {len(plan.treatments)} distributions are more "
            f"than {MOST_RUNS:,} runs, which all are kept; give at most {most:,}"
        )
    last = plan.treatments[-1].latency
    random = Random(last, where="sender") if random is None else replace(random, latency=last)
    studied = [
        _studied(name, program, network, plan, random, samples, threads, progress)
        for name, program in zip(names, programs, strict=True)
    ]
    return Variation(
        provenance=ProvenanceOfSeveral(
            **of_this_run(),
            input=", ".join(each.input for each in studied),
            input_sha256=", ".join(each.input_sha256 for each in studied),
        ),
        random=RandomLatency(
            where=random.where,
            per=random.per,
            meaning="total" if random.total else "added",
            noise=None if random.noise is None else random.noise.text,
            noise_per=random.noise_per,
            seed=random.seed,
        ),
        design=DesignBase(
            text=plan.base.text,
            lognormal=plan.base.in_words(),
            fitted=plan.base.fitted,
            samples=samples,
        ),
        distributions=[
            DesignedLatency(
                load=each.load,
                name=each.name,
                distribution=each.latency.text,
                mean_ns=each.latency.mean,
                sd_ns=each.latency.sd,
                p99_ns=each.latency.quantile(0.99),
                most_ns=float(each.latency.values[-1]),
            )
            for each in plan.treatments
        ],
        programs=studied,
        warnings=[
            *_warnings(programs, names, network, plan, samples),
            *([] if random.noise is None else random.noise.notices),
        ],
        network=network,
    )


def _studied(
    name: str,
    program: Program,
    network: Network,
    plan: Design,
    random: Random,
    samples: int,
    threads: int,
    progress: Progress,
) -> DesignedProgram:
    progress.stage(f"Running {name}", len(plan.treatments))
    placed = network.placed_as(program.path)
    program = in_order(program, placed)
    tables = [treatment.latency.values for treatment in plan.treatments]
    alone = np.full(SIZE, network.L if random.total else 0.0)
    dag = compile_random(
        program.graph, placed, random, (0.0, max(float(table[-1]) for table in [*tables, alone]))
    )
    noise = None if random.noise is None else random.noise.values
    cells = []
    for index, treatment in enumerate(plan.treatments):
        drawn = dag.with_table(treatment.latency.values, noise)
        T = drawn.runtimes(random.seed, index * samples, samples, threads)
        cells.append(Runs(treatment.level, T))
        progress.advance(1)
    study = Study(name, tuple(cells), alone_ns=dag.with_table(alone, noise).lower_ns())
    averages = Study(name, tuple(Runs(each.level, np.array([each.average_ns])) for each in cells))
    mean, sd, T = (over_runs(averages.cells, column) for column in ("mean_ns", "sd_ns", "T_ns"))
    found = plane(mean, sd, T)
    return DesignedProgram(
        name=name,
        input=str(program.path),
        input_sha256=program.digest.hex(),
        ranks=program.trace.ranks,
        messages=program.graph.messages,
        model=Assumptions.of(network, program),
        T0_ns=study.base_ns,
        slowest=max(map(study.mean_times, cells)),
        over_runs=related(study, over_runs),
        over_distributions=related(averages, over_runs),
        plane=Plane(
            intercept_ns=found.intercept_ns,
            per_mean=found.per_mean,
            per_std=found.per_std,
            r_squared=found.r_squared,
        ),
        T_ns=[cell.T_ns for cell in cells],
        study=study,
    )


def _warnings(
    programs: Sequence[Program], names: Sequence[str], network: Network, plan: Design, samples: int
) -> list[Notice]:
    of_programs = zip(names, programs, strict=True)
    notices = gathered((name, notice) for name, each in of_programs for notice in each.warnings)
    notices += warnings_of(network)
    if plan.base.fitted:
        notices.append(
            kinds.LOGNORMAL_FITTED(
                f"{plan.base.text} is no lognormal: the design's is the one fitted to it, with "
                f"its mean: {plan.base.in_words()}"
            )
        )
    if samples > 1:
        notices.append(
            kinds.REPEATED_DISTRIBUTIONS(
                f"{samples} runs under each of {len(plan.treatments)} distributions are not "
                "independent of it: p-values over all runs (as [U] has them) are too small, and "
                "any can be had with enough runs"
            )
        )
    return notices
