"""Campaigns beside what a trace predicts for them."""

from pathlib import Path

import numpy as np
import pytest

from latitude import InputError, Network, load
from latitude.distributions import parse_table
from latitude.lab.campaign.suites.analyse import analyse, with_predictions
from latitude.lab.campaign.suites.predict import predict
from latitude.lab.documents.campaign import campaign_document
from latitude.lab.results.campaign import PredictedProgram
from latitude.render.document import charts
from latitude.trace.program import Program
from support.schemas import document
from support.synthetic_campaign import MADE, Maker, Model, design

_ROUNDS = 200
_NETWORK = Network(L=5e3, o=0.0)
_WORDS = "lognormal(mean={mean}ns,sd={sd}ns)"


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Ping-pong: every message lies on the critical path, so that only the mean counts."""
    path = tmp_path_factory.mktemp("chain") / "chain.goal"
    path.write_text("num_ranks 2\n" + _rank(0) + _rank(1))
    return load(path)


def _rank(rank: int) -> str:
    lines, before = [], None
    for step in range(_ROUNDS):
        sends = (rank == 0) == (step % 2 == 0)
        way = f"{'send' if sends else 'recv'} 8b {'to' if sends else 'from'} {1 - rank}"
        lines.append(f"m{step}: {way} tag {step}")
        if before is not None:
            lines.append(f"m{step} requires {before}")
        before = f"m{step}"
    return f"rank {rank} {{\n" + "\n".join(lines) + "\n}\n"


def tables() -> dict[str, np.ndarray]:
    return {
        level.name: parse_table(_WORDS.format(mean=level.mean_ns, sd=level.sd_ns)).values.astype(
            float
        )
        for level in design()
        if level.sd_ns
    }


@pytest.fixture(scope="module")
def predicted(chain: Program) -> PredictedProgram:
    model = Model("chain", base_ns=_ROUNDS * 5e3, a=_ROUNDS, noise=0.001)
    runs = Maker(4).runs([model], design()).assign(ranks=2)
    return predict(analyse(runs, MADE).programs[0], chain, _NETWORK, tables())


def test_a_chain_is_predicted_to_pay_the_mean_and_nothing_else(predicted: PredictedProgram) -> None:
    assert predicted.reference_ns == pytest.approx(_ROUNDS * 5e3, rel=0.01)
    assert predicted.plane is not None
    assert predicted.plane.per_mean == pytest.approx(_ROUNDS, rel=0.02)
    assert predicted.plane.per_std == pytest.approx(0, abs=0.02 * _ROUNDS)
    assert predicted.rrmse < 0.02
    assert all(abs(each.error) < 0.05 for each in predicted.levels)
    # Runs get their latency to 1 %, and there are 4 of each.
    assert predicted.noise == pytest.approx(0.01 / 2, rel=0.4)
    assert predicted.over_levels is not None
    assert predicted.over_levels.mean.r > predicted.over_levels.std.r


@pytest.mark.thorough
def test_the_page_and_json_set_both_side_by_side(chain: Program) -> None:
    model = Model("chain", base_ns=_ROUNDS * 5e3, a=_ROUNDS, noise=0.001)
    result = analyse(Maker(3).runs([model], design()).assign(ranks=2), MADE)
    found = predict(result.programs[0], chain, _NETWORK, tables(), samples=20)
    result = with_predictions(result, {"chain": found})
    told = campaign_document(result)
    assert "predicted" in [chart.id for chart in charts(told.parts)]
    assert found.over_levels is not None
    assert not found.over_levels.std_more
    data = document(result.to_json())
    assert data["programs"][0]["predicted"]["rrmse"] == found.rrmse


@pytest.mark.thorough
def test_means_alone_do_not_foretell_what_variation_costs(tmp_path: Path) -> None:
    path = tmp_path / "join.goal"
    sends = "".join(f"rank {i} {{\ns: send 8b to 0 tag 0\n}}\n" for i in range(1, 9))
    takes = "".join(f"r{i}: recv 8b from {i} tag 0\n" for i in range(1, 9))
    path.write_text(f"num_ranks 9\nrank 0 {{\n{takes}}}\n{sends}")
    runs = Maker(3).runs([Model("join", base_ns=5e3, a=1, b=1.2)], design()).assign(ranks=9)
    found = predict(analyse(runs, MADE).programs[0], load(path), _NETWORK, tables())
    assert found.rrmse < 0.5 * found.rrmse_of_means_alone
    assert all(each.runtime_of_mean_ns <= 1.001 * each.runtime_ns for each in found.levels)


@pytest.mark.thorough
def test_a_wrong_model_shows(chain: Program, predicted: PredictedProgram) -> None:
    model = Model("chain", base_ns=_ROUNDS * 5e3, a=2 * _ROUNDS, noise=0.001)
    runs = Maker(4).runs([model], design()).assign(ranks=2)
    found = predict(analyse(runs, MADE).programs[0], chain, _NETWORK, tables())
    assert found.rrmse > 10 * predicted.rrmse


def test_another_number_of_ranks_is_refused(chain: Program) -> None:
    study = analyse(Maker(1).runs([Model("chain")], design()), MADE).programs[0]
    with pytest.raises(InputError, match="a trace of 2 ranks, but chain runs on 8"):
        predict(study, chain, _NETWORK, tables())


def test_a_level_without_a_table_is_refused(chain: Program) -> None:
    study = analyse(Maker(1).runs([Model("chain")], design()).assign(ranks=2), MADE).programs[0]
    with pytest.raises(InputError, match="level 10us sd 5us has no known table"):
        predict(study, chain, _NETWORK, {})
