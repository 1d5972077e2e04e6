"""Samples of random latency against the same draws and every inequality by hand: equal bits."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from latitude import _core
from support.oracle.arrays import Parameters
from support.oracle.programs import random_program
from support.oracle.random_latency import RandomLatency
from support.tiers import first_of

PROGRAMS = 40
SAMPLES = (0, 3, 4, 7, 8, 21)


@pytest.mark.parametrize("where", ["flow", "sender"])
@pytest.mark.parametrize("per", first_of(["message", "pair", "rank"]))
@pytest.mark.parametrize("noise", [None, "vertex", "rank"])
def test_every_sample_is_what_its_draws_make_it(
    tmp_path: Path, where: str, per: str, noise: str | None
) -> None:
    rng = Random(f"{where} {per} {noise}")
    differing = 0
    for _ in range(PROGRAMS):
        program = random_program(rng)
        path = tmp_path / "program.goal"
        path.write_text(program.text(rng))
        graph = _core.graph_format("goal").read(str(path))
        costs = Parameters(
            L=float(rng.randint(0, 9)),
            o=float(rng.randint(0, 3)),
            G=float(rng.randint(0, 2)),
            S=8,
            rendezvous=rng.choice(["handshake", "put", "get", "llamp", "sync"]),
        )
        table = sorted(rng.choices(range(40), k=4096))
        factors = sorted(rng.choices([0.5, 1.0, 1.25, 2.0], k=4096))
        seed = rng.randrange(2**40)
        network = _core.Network(**costs.keywords())
        dag = _core.Model(graph, network).random(
            np.array(table, dtype=float),
            where=where,
            per=per,
            noise=None if noise is None else np.array(factors),
            noise_per=noise or "vertex",
        )
        oracle = RandomLatency(
            graph,
            graph.rank_begin,
            costs,
            table,
            where=where,
            per=per,
            seed=seed,
            noise=None if noise is None else factors,
            noise_per=noise or "vertex",
        )
        T = dag.runtimes(seed, 0, max(SAMPLES) + 1)
        assert [T[sample] for sample in SAMPLES] == [oracle.runtime(s) for s in SAMPLES]
        differing += len(set(T.tolist())) > 1
    assert differing > PROGRAMS // 2
