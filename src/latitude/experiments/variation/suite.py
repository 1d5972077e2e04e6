"""Programs × distributions → runtimes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from latitude._core import InputError
from latitude.distributions.table import SIZE
from latitude.experiments.variation.design import Design, design
from latitude.experiments.variation.result import Runs, Study, Variation
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import input_name, provenance
from latitude.model.network import Network, warnings_of
from latitude.notices.notice import Notice, gathered
from latitude.random.forecast.random import Random, compile_random
from latitude.trace.program import Program

SAMPLES = 25
"""Of each distribution: 8 loads × 5 × 25 = 1,000 runs, an n that explains [U] Table 4."""


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
        threads: threads; 0 means one a core.
        progress: told how far the work is.

    Raises:
        InputError: no program, two of one name, or fewer than one sample.
    """
    if not programs:
        raise InputError("suite: no programs; give at least one trace")
    if samples < 1:
        raise InputError("samples: at least 1 is needed")
    names = [input_name(str(program.path)) for program in programs]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise InputError(f"suite: two inputs are called {twice[0]}; rename one to tell them apart")
    network, plan, progress = network or Network(), plan or design(), progress or Silent()
    last = plan.treatments[-1].latency
    random = Random(last, where="sender") if random is None else replace(random, latency=last)
    studies = tuple(
        _study(name, program, network, plan, random, samples, threads, progress)
        for name, program in zip(names, programs, strict=True)
    )
    first = provenance(programs[0].path, programs[0].digest)
    return Variation(
        provenance=replace(
            first,
            input=", ".join(study.input for study in studies),
            input_sha256=", ".join(study.input_sha256 for study in studies),
        ),
        network=network,
        random=random,
        design=plan,
        samples=samples,
        studies=studies,
        warnings=[
            *_warnings(programs, names, network, plan, samples),
            *([] if random.noise is None else random.noise.notices),
        ],
    )


def _study(
    name: str,
    program: Program,
    network: Network,
    plan: Design,
    random: Random,
    samples: int,
    threads: int,
    progress: Progress,
) -> Study:
    progress.stage(f"Running {name}", len(plan.treatments))
    network = network.placed_as(program.path)
    tables = [treatment.latency.values for treatment in plan.treatments]
    alone = np.full(SIZE, network.L if random.total else 0.0)
    dag = compile_random(
        program.graph, network, random, (0.0, max(float(table[-1]) for table in [*tables, alone]))
    )
    noise = None if random.noise is None else random.noise.values
    runs = []
    for index, treatment in enumerate(plan.treatments):
        drawn = dag.with_table(treatment.latency.values, noise)
        T = drawn.runtimes(random.seed, index * samples, samples, threads)
        runs.append(Runs(treatment, T))
        progress.advance(1)
    return Study(
        name=name,
        input=str(program.path),
        input_sha256=program.digest.hex(),
        trace=program.trace,
        messages=program.graph.messages,
        collectives=program.collectives,
        reduce_ns_per_byte=program.reduce_ns_per_byte,
        T0_ns=dag.with_table(alone, noise).lower_ns(),
        runs=tuple(runs),
    )


def _warnings(
    programs: Sequence[Program], names: Sequence[str], network: Network, plan: Design, samples: int
) -> list[Notice]:
    of_programs = zip(names, programs, strict=True)
    notices = gathered((name, notice) for name, each in of_programs for notice in each.warnings)
    notices += warnings_of(network)
    if plan.base.fitted:
        notices.append(
            Notice(
                "lognormal-fitted",
                f"{plan.base.text} is no lognormal: the design's is the one fitted to it, "
                f"{plan.base.in_words()}",
                "give the lognormal of the highest load yourself with --latency",
            )
        )
    if samples > 1:
        notices.append(
            Notice(
                "repeated-levels",
                f"{samples} runs under each of {len(plan.treatments)} distributions are not "
                "independent of it: p-values over all runs (as [U] has them) are too small, and "
                "any can be had with enough runs",
                "read the test over distributions",
            )
        )
    return notices
