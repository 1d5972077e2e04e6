"""`latitude fit` as people call it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from latitude.cli.main import main
from latitude.distributions import read_table
from support.command import Run
from support.schemas import document

Refused = Callable[..., str]
QUICK = ("--budget", "150ms", "--bootstrap", "19")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fit") / "latencies.csv"
    values = 2000 + np.random.default_rng(3).lognormal(8, 0.6, 400)
    path.write_text("latency_ns\n" + "".join(f"{value!r}\n" for value in values.tolist()))
    return path


@pytest.mark.thorough
def test_everything_in_one_go(
    latitude: Run, refused: Refused, samples: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    outputs = ["-o", out, "--table", tmp_path / "x.dist", "--family", tmp_path / "family"]
    outputs += ["--json", tmp_path / "fit.json"]
    done = latitude("fit", samples, *QUICK, *outputs, "--seed", "7", "--top", "5")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "Best of " in done.stdout
    assert "Not fitted: " in done.stdout
    assert "x.dist" in done.stdout
    assert sorted(path.name for path in out.iterdir()) == ["fit.json", "ranking.csv", "report.html"]
    result = document((tmp_path / "fit.json").read_text())
    check_result(result)
    assert (tmp_path / "x.seed").read_text() == "7\n"
    means = {path.name: read_table(path).after.mean for path in tmp_path.glob("family/*.dist")}
    assert len(means) == 5
    assert max(means.values()) == pytest.approx(min(means.values()), rel=1e-6)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "http://" not in page.split("<script>")[0].replace("http://www.w3.org", "")
    for failure in result["failures"]:
        assert failure["name"] in page
    assert "exists already; pass --force" in refused("fit", samples, *QUICK, *outputs)


@pytest.mark.thorough
def test_a_fit_of_another_mean_gets_a_warning_and_no_table(latitude: Run, tmp_path: Path) -> None:
    """Messages of two sizes, which no lognormal describes."""
    random = np.random.default_rng(4)
    values = np.concatenate([random.normal(5e3, 50, 360), random.normal(6e7, 1e6, 40)])
    samples = tmp_path / "mixed.csv"
    samples.write_text("latency_ns\n" + "".join(f"{value!r}\n" for value in values.tolist()))
    outputs = ["--table", tmp_path / "x.dist", "--table-of", "lognormal"]
    outputs += ["--family", tmp_path / "family", "--json", tmp_path / "fit.json"]
    done = latitude("fit", samples, "--budget", "50ms", "--bootstrap", "0", *outputs)
    assert done.returncode == 2
    assert "and the samples have 5.96 ms: it does not describe them" in done.stderr
    assert not (tmp_path / "x.dist").exists()
    outputs = ["--table", tmp_path / "x.dist", "--table-of", "empirical", *outputs[4:], "--force"]
    done = latitude("fit", samples, "--budget", "50ms", "--bootstrap", "0", *outputs)
    assert done.returncode == 0, done.stderr
    assert " ".join(done.stdout.split()).count("the samples have 5.96 ms") == 1
    result = document((tmp_path / "fit.json").read_text())
    assert "fitted-mean" in [notice["code"] for notice in result["warnings"]]
    for member in result["family"]:
        assert member["mean_ns"] == pytest.approx(values.mean(), rel=1e-9)
    for path in tmp_path.glob("family/*.dist"):
        assert read_table(path).after.mean == pytest.approx(values.mean(), rel=1e-6)


@pytest.mark.parametrize(
    "words", ["pareto(b=1e-3,scale=1us)", "lognorm(s=500,scale=5us)", "lognorm(s=100,scale=5us)"]
)
def test_libraries_warnings_are_not_said_before_the_error(
    latitude: Run, tmp_path: Path, words: str
) -> None:
    done = latitude("fit", "--distribution", words, "--table", tmp_path / "x.dist")
    assert done.returncode == 2
    assert done.stderr.startswith(f"latitude: error: {words}: its longest latencies exceed")
    assert done.stderr.count("\n") == 1


def test_samples_that_differ_by_rounding_alone_are_the_same(
    refused: Refused, tmp_path: Path
) -> None:
    path = tmp_path / "s.csv"
    path.write_text("latency_ns\n" + "1000.0\n1000.0000000000001\n" * 30)
    assert "all 60 samples are 1 µs" in refused("fit", path, *QUICK)


def check_result(result: dict[str, object]) -> None:
    fits, failures = result["fits"], result["failures"]
    assert isinstance(fits, list)
    assert isinstance(failures, list)
    names = [each["name"] for each in fits + failures]
    assert len(names) == len(set(names)) > 100
    assert all(failure["reason"] for failure in failures)
    assert [fit["bic"] for fit in fits] == sorted(fit["bic"] for fit in fits)
    tested = [fit["p_value"] for fit in fits if fit["p_value"]]
    assert 1 <= len(tested) <= 3
    assert all(0 < each["p"] <= 1 for each in tested)


def test_tables_from_words(latitude: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.dist"
    words = "lognormal(p50=5us,p99=40us)"
    done = latitude("fit", "--distribution", words, "--table", path)
    assert done.returncode == 0, done.stderr
    assert "7.45538 µs" in done.stdout
    table = read_table(path)
    assert table.source == words
    again = tmp_path / "b.dist"
    done = latitude("fit", "--distribution", f"table:{path}", "--table", again)
    assert done.returncode == 0
    np.testing.assert_array_equal(read_table(again).values, table.values)


@pytest.mark.parametrize(
    ("text", "options", "advice"),
    [
        ("latency_us\n1\n2\n3\n", (), "3 samples cannot tell distributions apart"),
        ("latency_us\n" + "5\n" * 50, (), "all 50 samples are 5 µs"),
        ("latency_us\n1\n-2\n", (), "line 3: the latency -2 is negative"),
        ("1\n2\n", (), "no unit; pass --unit us"),
        ("", (), "no samples in it"),
        ("latency_us\n1\n", ("--table", "x.txt"), "name the table .dist"),
        ("latency_us\n1\n", ("--table-of", "norm"), "give --table FILE.dist too"),
        ("latency_us\n1\n", ("--budget", "0"), "a time of 0 is too short for a fit; write e.g. 2s"),
        ("latency_us\n1\n", ("--rank", "x"), "invalid choice"),
        ("latency_us\n1\n", ("--distribution", "constant(5us)"), "either SAMPLES or"),
        (None, (), "give either SAMPLES or --distribution"),
        (None, ("--distribution", "constant(5us)"), "--distribution needs --table"),
        (None, ("--distribution", "x(a=1)", "--table", "x.dist"), "'x' is unknown"),
        (None, ("--distribution", "constant(5us)", "-o", "d"), "-o needs SAMPLES"),
    ],
)
def test_wrong_use(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    text: str | None,
    options: tuple[str, ...],
    advice: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    files = []
    if text is not None:
        (tmp_path / "samples.csv").write_text(text)
        files = ["samples.csv"]
    assert main(["fit", *files, *options]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("latitude: error: ")
    assert error.count("\n") == 1
    assert advice in error
    assert [path.name for path in tmp_path.iterdir()] == files
