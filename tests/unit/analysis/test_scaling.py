"""Several sizes: POP's published table of a real program, and Amdahl's law by hand."""

import csv
from pathlib import Path

import pytest

import latitude
from latitude import InputError
from latitude.analysis.sizes import FITTED, projected
from latitude.results.scaling import scaling_csv
from support.paths import ROOT

EPOCH = ROOT / "build" / "epoch-traces"
"""Traces that tools/need-epoch-traces.sh downloads."""
SIZES = (1, 2, 4, 8, 16)
FREE = latitude.Network(L=0, o=0, G=0, S="32KiB")


def test_the_published_table_of_a_real_program() -> None:
    """Within 0.05 percentage points of PyPOP's, whatever the order of the runs."""
    if not EPOCH.is_dir():
        pytest.fail("EPOCH's traces are missing; tools/need-epoch-traces.sh brings them")
    rows = list(csv.reader((EPOCH / "modelfactors.csv").read_text().splitlines(), delimiter=";"))
    published = {row[0]: row[1:] for row in rows if row}
    programs = [
        latitude.load(
            EPOCH / f"epoch_{ranks}proc.prv.gz",
            collectives=["dimemas"],
            computation="outside-mpi",
        )
        for ranks in reversed(SIZES)
    ]
    found = latitude.scaling(programs, FREE)
    assert found.of == "traced"
    assert [run.ranks for run in found.runs] == list(SIZES)
    for column, run in enumerate(found.runs):
        figures = run.figures("traced")
        assert figures is not None
        for row, name in (
            ("Computation scalability", "computation_scaling"),
            ("Global efficiency", "global_efficiency"),
            ("Parallel efficiency", "parallel"),
        ):
            assert 100 * figures[name] == pytest.approx(float(published[row][column]), abs=0.05)
        assert figures["speedup"] == pytest.approx(float(published["Speedup"][column]), rel=1e-4)
    table = list(csv.DictReader(scaling_csv(found).splitlines()))
    assert [(row["processors"], row["of"]) for row in table[-3:]] == [
        (str(size), "projected") for size in (32, 64, 128)
    ]
    assert len(table) == 2 * len(SIZES) + 3


def _ring(tmp_path: Path, ranks: int, each: int) -> latitude.Program:
    path = tmp_path / f"{ranks}.goal"
    own = "".join(f"rank {rank} {{\na: calc {each}\n}}\n" for rank in range(ranks))
    path.write_text(f"num_ranks {ranks}\n{own}")
    return latitude.load(path)


def test_strong_and_weak_scaling_by_hand(tmp_path: Path) -> None:
    """Two ranks compute 1,000 ns each; four compute 800 ns, 3,200 in all."""
    runs = [_ring(tmp_path, 4, 800), _ring(tmp_path, 2, 1000)]
    strong = latitude.scaling(runs)
    assert strong.of == "predicted"
    assert strong.runs[1].predicted.computation_scaling == pytest.approx(2000 / 3200)
    assert strong.runs[1].predicted.speedup == pytest.approx(1000 / 800)
    weak = latitude.scaling(runs, weak=True)
    assert weak.runs[1].predicted.computation_scaling == pytest.approx(1000 / 800)
    assert weak.runs[1].predicted.speedup == pytest.approx(2 * 1000 / 800)
    for scaling in (strong, weak):
        assert scaling.runs[0].traced is None
        assert scaling.runs[0].predicted.global_efficiency == 1


def test_what_follows_amdahls_law_is_continued_exactly() -> None:
    """E(p) = 1 / (0.9 + 0.1 p); of what rises, the mean stays."""
    sizes = [1, 2, 4]
    falls = [dict.fromkeys(FITTED, 1 / (0.9 + 0.1 * p)) for p in sizes]
    found = projected(sizes, falls)
    assert found.processors == [8, 16, 32]
    expected = [1 / (0.9 + 0.1 * p) for p in found.processors]
    assert found.values["transfer"] == pytest.approx(expected)
    assert found.values["parallel"] == pytest.approx([e**3 for e in expected])
    assert found.values["global_efficiency"] == pytest.approx([e**4 for e in expected])
    rises = [dict.fromkeys(FITTED, 0.5 + 0.1 * p) for p in sizes]
    first, *others = projected(sizes, rises).values["transfer"]
    assert others == [first, first]
    assert 0.6 < first < 0.9


def test_what_is_no_scaling_is_refused(tmp_path: Path) -> None:
    one = _ring(tmp_path, 2, 100)
    with pytest.raises(InputError, match="two runs or more"):
        latitude.scaling([one])
    with pytest.raises(InputError, match="both of size 2"):
        latitude.scaling([one, one])
    idle = tmp_path / "idle.goal"
    idle.write_text("num_ranks 1\nrank 0 {\n}\n")
    with pytest.raises(InputError, match="takes no time"):
        latitude.scaling([one, latitude.load(idle)])
