"""SyntheticTrace traces: T and λ are what their structure says, to the nanosecond."""

import io
import tarfile
from math import log2
from pathlib import Path

import pytest

import latitude
from latitude._core import InputError
from latitude.files.progress import Silent
from latitude.trace.synthetic import PATTERNS, SyntheticTrace
from support.tiers import first_of

BYTES, COMPUTE_NS = 4096, 20_000
NETWORK = {"L": "1.7us", "o": "300ns", "G": "0.25ns/B", "S": "256KiB"}
L, O, B = 1700.0, 300.0, (BYTES - 1) * 0.25


def written(made: SyntheticTrace, folder: Path) -> Path:
    folder.mkdir()
    made.write_folder(folder, Silent())
    return folder


def analysed(made: SyntheticTrace, folder: Path, **network: str) -> "latitude.Analysis":
    program = latitude.load(written(made, folder), collectives=["allreduce=recursive-doubling"])
    return latitude.analyze(program, latitude.Network.parse({**NETWORK, **network}))


# Files are written in chunks of 1 MiB. The most steps of each pattern fill more than one chunk: a
# step takes 55 B of a rank in the middle of a halo, 40 B in a wavefront and 73 B in a CG.
@pytest.mark.parametrize("steps", first_of([1, 2, 3, 1000, 40_000], 4))
@pytest.mark.parametrize("ranks", [2, 3, 7])
def test_a_halo_takes_a_latency_and_three_overheads_a_step(
    tmp_path: Path, ranks: int, steps: int
) -> None:
    made = SyntheticTrace("halo", ranks, ranks * 5 * steps + 4, BYTES, COMPUTE_NS)
    assert (made.steps, made.calls) == (steps, ranks * 5 * steps)
    found = analysed(made, tmp_path / "halo")
    assert found.baseline.T_ns == steps * (COMPUTE_NS + L + B + 3 * O)
    assert found.baseline.lambda_L == steps


@pytest.mark.parametrize(
    ("ranks", "columns", "rows"), [(2, 2, 1), (6, 3, 2), (16, 4, 4), (7, 7, 1), (24, 6, 4)]
)
@pytest.mark.parametrize("steps", first_of([1, 2, 28_000], 2))
def test_a_wavefront_takes_a_latency_a_rank_on_its_way(
    tmp_path: Path, ranks: int, columns: int, rows: int, steps: int
) -> None:
    edges = (columns - 1) * rows + (rows - 1) * columns
    made = SyntheticTrace("wavefront", ranks, 2 * edges * steps, BYTES, COMPUTE_NS)
    assert (made.steps, made.calls) == (steps, 2 * edges * steps)
    found = analysed(made, tmp_path / "wavefront", o="0ns")
    way = columns + rows - 2
    assert found.baseline.T_ns == steps * COMPUTE_NS + way * (COMPUTE_NS + L + B)
    assert found.baseline.lambda_L == way


@pytest.mark.parametrize("steps", first_of([1, 2, 16_000], 2))
@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_a_cg_takes_the_rounds_of_two_reductions_besides(
    tmp_path: Path, ranks: int, steps: int
) -> None:
    made = SyntheticTrace("cg", ranks, ranks * 7 * steps, BYTES, COMPUTE_NS)
    found = analysed(made, tmp_path / "cg")
    rounds = 2 * log2(ranks)
    reduced = rounds * (L + 7 * 0.25 + 2 * O)
    assert found.baseline.T_ns == steps * (COMPUTE_NS + L + B + 3 * O + reduced)
    assert found.baseline.lambda_L == steps * (1 + rounds)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_calls_that_were_made_are_those_that_are_said(tmp_path: Path, pattern: str) -> None:
    made = SyntheticTrace(pattern, 12, 100_000, BYTES, COMPUTE_NS)
    trace = latitude.read(written(made, tmp_path / pattern)).trace
    assert trace is not None
    assert sum(trace.call_counts.values()) == made.calls + 2 * made.ranks
    assert 0.99e5 < made.calls <= 100_000


def test_an_archive_holds_the_same_files(tmp_path: Path) -> None:
    made = SyntheticTrace("cg", 3, 500_000, BYTES, COMPUTE_NS)
    folder = written(made, tmp_path / "cg")
    stream = io.BytesIO()
    made.write_archive(stream, Silent())
    stream.seek(0)
    with tarfile.open(fileobj=stream) as archive:
        members = {
            member.name: held.read()
            for member in archive.getmembers()
            if (held := archive.extractfile(member))
        }
    assert members == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert max(map(len, members.values())) > 2**20, "more than one piece"


def test_times_are_kept_to_the_nanosecond_or_refused() -> None:
    assert SyntheticTrace("halo", 2, 10 * 2**23, 1, 2**30).steps == 2**23
    with pytest.raises(InputError, match="take fewer --calls or less --compute"):
        SyntheticTrace("halo", 2, 10 * 2**23 + 10, 1, 2**30)
