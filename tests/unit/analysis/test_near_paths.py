"""Near-critical paths, by hand: two ways from rank 0 to rank 3, one 500 ns longer."""

from pathlib import Path

import pytest
from msgspec.structs import replace

import latitude
from latitude import Network
from latitude.render.documents.analysis import analysis_document
from latitude.sections.near_paths.show import near_sentence
from support.schemas import document

DIAMOND = """num_ranks 4
rank 0 {
s1: send 1b to 1 tag 0
s2: send 1b to 2 tag 0
s2 requires s1
}
rank 1 {
r: recv 1b from 0 tag 0
c: calc 4000
c requires r
s: send 1b to 3 tag 1
s requires c
}
rank 2 {
r: recv 1b from 0 tag 0
c: calc 3500
c requires r
s: send 1b to 3 tag 2
s requires c
}
rank 3 {
r1: recv 1b from 1 tag 1
r2: recv 1b from 2 tag 2
r2 requires r1
}
"""


def analysed(tmp_path: Path, text: str) -> latitude.Analysis:
    path = tmp_path / "diamond.goal"
    path.write_text(text)
    return latitude.analyze(latitude.load(path), Network(L=1000.0, o=0.0, G=0.0))


def test_the_second_path_and_where_it_goes(tmp_path: Path) -> None:
    result = analysed(tmp_path, DIAMOND)
    first, second = result.near_paths[:2]
    assert (first.length_ns, first.shorter_ns) == (6000.0, 0.0)
    assert (first.messages, first.others, first.skipped) == (2, 0, 0)
    assert (second.length_ns, second.shorter_ns) == (5500.0, 500.0)
    assert (second.messages, second.others, second.skipped) == (2, 2, 2)
    ways = [(w.source, w.destination, w.call, w.bytes) for w in second.through]
    assert ways == [(0, 2, "recv", 1), (2, 3, "recv", 1)]
    assert near_sentence(result) == (
        "The second path is 500 ns shorter (8.33% of the runtime); it goes through "
        "rank 0 → 2 (recv)."
    )
    assert len(document(result.to_json())["near_paths"]) == len(result.near_paths)


def test_paths_of_the_same_length(tmp_path: Path) -> None:
    result = analysed(tmp_path, DIAMOND.replace("3500", "4000"))
    assert [path.shorter_ns for path in result.near_paths[:2]] == [0.0, 0.0]
    assert near_sentence(result).startswith("2 paths are equally long")


def test_a_path_that_is_shorter_by_nothing_to_speak_of_is_as_long(tmp_path: Path) -> None:
    """A thousandth of a nanosecond: 0.00002 % of the runtime."""
    result = analysed(tmp_path, DIAMOND.replace("3500", "4000"))
    first, second, *rest = result.near_paths
    almost = replace(second, length_ns=first.length_ns - 1e-3, shorter_ns=1e-3)
    result = replace(result, near_paths=[first, almost, *rest])
    assert near_sentence(result).startswith("2 paths are equally long")


def test_lengths_fall_and_the_first_is_T(lulesh: Path) -> None:
    result = latitude.analyze(latitude.load(lulesh))
    lengths = [path.length_ns for path in result.near_paths]
    assert lengths == sorted(lengths, reverse=True)
    assert len(lengths) == 5
    assert lengths[0] == pytest.approx(result.baseline.T_ns, rel=1e-12)
    titles = [getattr(part, "title", "") for part in analysis_document(result).parts]
    assert "Next in line" in titles
