"""Tables as files: 512 lines of 8 integers, a header, a seed beside it."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latitude import InputError
from latitude.distributions import QuantileTable, parse_distribution, read_table, write_table
from latitude.distributions.cells import table_of_samples

COUNTS = np.arange(4096, dtype=np.int64)


def headerless(values: np.ndarray) -> str:
    return "\n".join(" ".join(map(str, row)) for row in values.reshape(512, 8).tolist()) + "\n"


@settings(max_examples=25)
@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=300), st.integers(0, 2**31))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, values: list[float], seed: int
) -> None:
    path = tmp_path_factory.mktemp("tables") / "x.dist"
    table = table_of_samples(values, "samples.csv")
    assert write_table(table, path, seed=seed) == (path, path.with_suffix(".seed"))
    found = read_table(path)
    np.testing.assert_array_equal(found.values, table.values)
    assert found.source == "samples.csv"
    assert found.before is not None
    assert table.before is not None
    assert found.before.mean == pytest.approx(table.before.mean, rel=1e-9)
    assert path.with_suffix(".seed").read_text() == f"{seed}\n"


def test_layout_is_that_of_the_paper(tmp_path: Path) -> None:
    path = tmp_path / "x.dist"
    write_table(parse_distribution("constant(5us)"), path)
    lines = path.read_text().splitlines()
    body = [line for line in lines if not line.startswith("#")]
    assert len(body) == 512
    assert set(body) == {"5000 5000 5000 5000 5000 5000 5000 5000"}
    assert lines[1] == "# unit: ns"
    assert lines[2] == "# source: constant(5us)"


@pytest.mark.parametrize(("unit", "scale"), [("ns", 1), ("us", 1000), ("ms", 10**6)])
def test_headerless_tables_need_a_unit(tmp_path: Path, unit: str, scale: int) -> None:
    path = tmp_path / "x.dist"
    path.write_text(headerless(COUNTS))
    np.testing.assert_array_equal(read_table(path, unit).values, COUNTS * scale)
    with pytest.raises(InputError, match="no unit; pass --unit us"):
        read_table(path)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "0 integers; a table has 4,096"),
        ("1 2 3\n", "line 1: 3 integers instead of 8"),
        ("1 2 3 4 5 6 7 x\n", "line 1: '1 2 3 4 5 6 7 x' has no integers"),
        ("1 2 3 4 5 6 7 8\n" * 511, "4,088 integers"),
        ("-1 2 3 4 5 6 7 8\n" * 512, "netem:"),
        ("99999999999999999 2 3 4 5 6 7 8\n" * 512, "is the unit right?"),
        ("# unit: us\n" + "1 2 3 4 5 6 7 8\n" * 512, "mixed units: --unit says ns"),
    ],
)
def test_wrong_tables_are_named(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "x.dist"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(advice)):
        read_table(path, "ns")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "x.dist"
    (tmp_path / "x.seed").write_text("7\n")
    table = table_of_samples([1.0], "x")
    with pytest.raises(InputError, match=r"x\.seed: exists already"):
        write_table(table, path)
    assert not path.exists()
    write_table(table, path, force=True)
    with pytest.raises(InputError, match=r"name the table \.dist"):
        write_table(table, tmp_path / "y.seed")


# netem ------------------------------------------------------------------------------------------


def maketable(samples: np.ndarray) -> np.ndarray:
    """A netem table by its documented method: inverse of the standardised distribution, ±4 sd."""
    standard = np.sort((samples - samples.mean()) / samples.std(ddof=1))
    entries = np.quantile(standard, (np.arange(4096) + 0.5) / 4096)
    return np.clip(np.rint(entries * 8192), -32767, 32767).astype(np.int64)


@pytest.fixture
def netem(tmp_path: Path) -> Path:
    samples = np.random.default_rng(5).exponential(size=200_000)
    path = tmp_path / "exponential.dist"
    comment = "# This is the distribution table for the experimental distribution.\n"
    path.write_text(comment + headerless(maketable(samples)))
    return path


def test_netem_tables_say_what_they_clip(netem: Path) -> None:
    table = parse_distribution(f"netem:{netem}(mean=50us,sd=10us)")
    assert isinstance(table, QuantileTable)
    assert table.after.mean == pytest.approx(50_000, rel=0.01)
    assert table.values.max() == pytest.approx(90_000, abs=2)
    message = next(n.message for n in table.notices if n.code == "netem-clipped")
    clipped = 4096 * math.exp(-5)  # an exponential beyond mean + 4 sd
    assert abs(int(re.match(r"\d+", message)[0]) - clipped) < 4  # type: ignore[index]
    assert table.after.sd < 10_000


def test_netem_below_zero(netem: Path) -> None:
    table = parse_distribution(f"netem:{netem}(mean=5us,sd=10us)")
    assert table.values.min() == 0
    assert "netem-below-zero" in {notice.code for notice in table.notices}


def test_netem_needs_mean_and_sd(netem: Path) -> None:
    with pytest.raises(InputError, match="neither mean nor sd; give them"):
        parse_distribution(f"netem:{netem}")
    with pytest.raises(InputError, match="give mean= and sd="):
        parse_distribution(f"netem:{netem}(mean=5us)")
    with pytest.raises(InputError, match="read with its mean and sd"):
        read_table(netem, "ns")
