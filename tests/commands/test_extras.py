"""Commands without the packages of an extra: those that work, and errors of the others."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from latitude.files.extras import EXTRAS, install
from support.hanging import HANG_S
from support.paths import ROOT, SUPPORT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Bare = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    """Runs `latitude` as it is after `pip install latitude`, without an extra."""

    def run(*words: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, str(SUPPORT / "bare"), *map(str, words)],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            encoding="utf-8",
            timeout=HANG_S,
        )

    return run


def test_each_package_is_of_the_extra_that_brings_it() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    del extras["dev"]
    assert {extra: set(packages) for extra, packages in EXTRAS.items()} == {
        extra: {requirement.partition(">")[0] for requirement in requirements}
        for extra, requirements in extras.items()
    }
    for extra, packages in EXTRAS.items():
        for package in packages:
            assert install(package) == f"pip install 'latitude[{extra}]'"
    assert install("numpy") == ""


@pytest.mark.thorough
def test_a_trace_is_analysed_without_any(bare: Bare, lulesh: Path, tmp_path: Path) -> None:
    done = bare("analyze", lulesh, "-o", "a")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "a" / "analysis.json").read_text())["baseline"]["T_ns"] > 0
    assert (tmp_path / "a" / "report.html").stat().st_size > 100_000
    done = bare("check", "a/analysis.json", "--tolerance", "1ns at 1%")
    assert done.returncode == 0, done.stderr
    for words in (("diff", lulesh, "a/analysis.json"), ("convert", lulesh, "program.goal")):
        done = bare(*words)
        assert done.returncode == 0, done.stderr


def test_a_forecast_by_a_usual_distribution_needs_no_scipy(bare: Bare, lulesh: Path) -> None:
    for latency in (
        "lognormal(mean=5us,sd=10us)",
        "exponential(mean=2us)",
        "normal(mean=5us,sd=0.2us)",
    ):
        done = bare("forecast", lulesh, "--latency", latency)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "package"),
    [
        (("forecast", "TRACE", "--latency", "gamma(mean=5us,sd=3us)"), "scipy"),
        (("lp", "TRACE"), "scipy"),
        (("inject", "--flow", "weibull(p50=5us,p99=40us)", "--", "true"), "scipy"),
        (("fit", "samples.csv"), "scipy"),
        (("stats", "tail", "samples.csv"), "scipy"),
    ],
)
def test_what_needs_more_says_which_extra(
    bare: Bare, lulesh: Path, tmp_path: Path, words: tuple[str, ...], package: str
) -> None:
    (tmp_path / "samples.csv").write_text("ns\n1\n2\n3\n")
    done = bare(*(lulesh if word == "TRACE" else word for word in words))
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"latitude: error: this needs {package}")
    assert line.endswith(", which is not installed; pip install 'latitude[full]'")
