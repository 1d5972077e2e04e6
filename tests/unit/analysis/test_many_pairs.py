"""Results of many ranks list the pairs that matter most, and all of them in blocks."""

from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import Analysis
from latitude.render.documents.analysis import analysis_document
from latitude.render.html.page import page as page_of
from latitude.sections.pairs.result import LISTED, Pairs
from support.schemas import document
from support.sections import known, pairs_in, waits_in

RANKS = 130


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Each rank sends to each other one: 16,770 pairs. Rank r sends r bytes more."""
    lines = [f"num_ranks {RANKS}"]
    for rank in range(RANKS):
        lines += [f"rank {rank} {{", f"c: calc {1000 * rank}"]
        for shift in range(1, RANKS):
            lines.append(f"s{shift}: send {8 + rank}b to {(rank + shift) % RANKS}")
            source = (rank - shift) % RANKS
            lines.append(f"r{shift}: recv {8 + source}b from {source}")
            lines += [f"s{shift} requires c", f"r{shift} requires c"]
        lines.append("}")
    path = tmp_path_factory.mktemp("all") / "all.goal"
    path.write_text("\n".join(lines) + "\n")
    return latitude.analyze(latitude.load(path))


def test_those_listed_matter_most(result: Analysis) -> None:
    pairs, listed = pairs_in(result), known(result.pairs).listed
    assert (len(pairs), len(listed)) == (RANKS * (RANKS - 1), LISTED)
    assert listed.lambda_L.sum() == pairs.lambda_L.sum()
    key, kept = (each.source * RANKS + each.destination for each in (pairs, listed))
    assert np.all(np.diff(kept) > 0)
    left_out = ~np.isin(key, kept)
    assert pairs.least_slack_ns[left_out].min() >= listed.least_slack_ns[listed.lambda_L == 0].max()


def test_blocks_have_all(result: Analysis) -> None:
    pairs, blocks = pairs_in(result), known(result.pairs).blocks
    assert blocks is not None
    assert len(blocks) <= 64 * 64
    assert blocks.messages.sum() == pairs.messages.sum()
    assert blocks.bytes.sum() == pairs.bytes.sum()
    assert blocks.lambda_G.sum() == pytest.approx(pairs.lambda_G.sum())
    assert blocks.least_slack_ns.min() == pairs.least_slack_ns.min()
    size = blocks.source_last - blocks.source_first + 1
    assert set(size.tolist()) == {3, 1}, "43 blocks of 3 and one of the rank that is left"
    first = next(
        row for row in zip(*blocks.columns().values(), strict=True) if (row[0], row[2]) == (0, 3)
    )
    inside = (pairs.source <= 2) & (pairs.destination >= 3) & (pairs.destination <= 5)
    assert first[4:6] == (9, int(pairs.bytes[inside].sum()))


@pytest.mark.thorough
def test_the_json_has_no_more(result: Analysis) -> None:
    content = document(result.to_json())
    assert len(content["pairs"]["listed"]) == LISTED
    assert len(content["pairs"]["blocks"]) == 44 * 44 - 1, (
        "the last block is one rank, which is apart from itself"
    )
    delays, others = content["waits"]["between_ranks"], content["waits"]["between_other_ranks"]
    every = waits_in(result).between_ranks
    assert len(delays) == min(LISTED, len(every))
    if others is not None:
        total = sum(row["direct_ns"] for row in delays) + others["direct_ns"]
        assert total == pytest.approx(every.direct_ns.sum())
        assert len(delays) + others["pairs"] == len(every)


@pytest.mark.thorough
def test_tables_and_page_have_no_more(result: Analysis) -> None:
    files = {file.name: file.text for file in analysis_document(result).files}
    rows = [line for line in files["slack.csv"]().splitlines() if line.startswith("pair,")]
    assert len(rows) == LISTED
    page = page_of(analysis_document(result))
    assert len(page) < 3_000_000
    assert "slack.csv has 10,000 pairs of ranks, those with least slack" in page


def test_few_pairs_are_all_listed(lulesh: Path) -> None:
    found = latitude.analyze(latitude.load(lulesh))
    assert known(found.pairs).blocks is None
    assert waits_in(found).unlisted_delays is None
    listed = known(found.pairs).listed.columns()
    assert set(listed.pop("rule")) == {"all links"}
    assert listed == pairs_in(found).columns()


def test_ties_take_those_with_most_bytes() -> None:
    count = LISTED + 5
    number = np.arange(count)
    pairs = Pairs(
        source=number,
        destination=number + 1,
        messages=np.ones(count, dtype=np.int64),
        bytes=number,
        lambda_L=np.zeros(count),
        lambda_G=np.zeros(count),
        least_slack_ns=np.ones(count),
        mean_slack_ns=np.ones(count),
    )
    assert pairs.source[pairs.listed_rows()].tolist() == list(range(5, count))
