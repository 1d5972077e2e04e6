"""Other threads find T and the slack while one finds the critical path, with the same results."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from threading import get_ident

import pytest

import latitude
from latitude import _core
from latitude.analysis import ahead
from latitude.analysis.ahead import Ahead
from support.oracle.programs import random_program
from support.oracle.threaded_programs import random_threads
from support.tiers import first_of


def begun_by(threads: int, operations: int = 1) -> bool:
    """Whether another thread did a piece of work."""
    with closing(Ahead(threads, operations)) as beside:
        return beside.piece(get_ident).take() != get_ident()


def test_other_threads_begin_the_work() -> None:
    assert begun_by(2)
    assert begun_by(16)
    assert not begun_by(1)


def test_work_that_need_not_begin_is_done_when_it_is_asked_for() -> None:
    with closing(Ahead(2, 1)) as beside:
        assert beside.piece(get_ident, begin=False).take() == get_ident()


def test_scarce_memory_takes_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "free_memory", lambda: 10**9)
    assert begun_by(2, 10**6)
    assert not begun_by(2, 10**8)
    monkeypatch.setattr(ahead, "free_memory", lambda: None)
    assert begun_by(2, 10**8)


def test_an_error_comes_with_the_result_and_the_work_can_be_done_again() -> None:
    tries: list[int] = []

    def work() -> int:
        tries.append(7)
        if len(tries) == 1:
            raise MemoryError
        return tries[-1]

    with closing(Ahead(2, 1)) as beside:
        piece = beside.piece(work)
        with pytest.raises(MemoryError):
            piece.take()
        assert piece.take() == 7


def _results(program: latitude.Program, network: latitude.Network) -> Iterator[dict[str, object]]:
    for threads in (1, 2, 3):
        found = json.loads(latitude.analyze(program, network, threads=threads).to_json())
        del found["provenance"]
        yield found


@pytest.mark.parametrize("seed", first_of(range(60), 6))
def test_results_do_not_depend_on_the_threads(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    if seed % 2:
        random_threads(rng).write(tmp_path)
        program = latitude.load(tmp_path)
    else:
        (tmp_path / "program.goal").write_text(random_program(rng, 60).text())
        program = latitude.load(tmp_path / "program.goal")
    network = latitude.Network(L=rng.choice([5.0, 300.0]), o=1.0, G=0.5, S=8)
    one, two, three = _results(program, network)
    assert one == two == three


def test_the_answer_stays_if_there_is_no_memory_for_the_slack(
    lulesh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = latitude.load(lulesh)
    whole = latitude.analyze(program)

    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(_core.Model, "find_slack", fails)
    found = latitude.analyze(program, threads=2)
    assert found.baseline == whole.baseline
    why = {each.what: each.why for each in found.left_out}
    assert why["slack of messages"] == "there is not enough memory for it"
