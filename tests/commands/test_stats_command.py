"""`latitude stats`: what it prints and writes, and what it refuses."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from latitude.cli.main import main
from latitude.lab.documents.correlations import correlations_document
from latitude.lab.documents.stats import comparison_document, tails_document
from latitude.lab.samples.correlated_runs import correlate_runs
from latitude.lab.samples.described import compare_samples, describe_samples
from latitude.render.html.page import page as page_of
from latitude.samples import groups as groups_module
from support.command import Run
from support.hanging import HANG_S
from support.html import Html
from support.schemas import document

Refused = Callable[..., str]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Synthetic: quiet.csv, busy.csv with a second mode and a Pareto tail, both.csv labelled."""
    directory = tmp_path_factory.mktemp("samples")
    random = np.random.default_rng(7)
    quiet = random.lognormal(8.7, 0.12, 2000)
    tail = 12_000 * (1 + random.pareto(2.2, 120))
    busy = np.concatenate(
        [random.lognormal(8.7, 0.12, 1280), random.lognormal(9.15, 0.08, 600), tail]
    )
    random.shuffle(busy)
    pd.DataFrame({"latency_us": quiet / 1e3}).to_csv(directory / "quiet.csv", index=False)
    pd.DataFrame({"latency_us": busy / 1e3}).to_csv(directory / "busy.csv", index=False)
    parts = [
        pd.DataFrame({"latency_us": values / 1e3, "collective": name, "bytes": size})
        for name, size, values in (
            ("bcast", 1024, quiet[:500]),
            ("bcast", 4, quiet[:500] / 2),
            ("reduce", 1024, busy[:500]),
        )
    ]
    pd.concat(parts).to_csv(directory / "both.csv", index=False)
    return directory


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Synthetic runs after [U] §7: five spreads at each of ten means, runtime goes with spread."""
    random = np.random.default_rng(3)
    rows = [
        (program, mean, sd, 20 + 0.01 * mean + weight * sd + random.normal(0, 0.5))
        for program, weight in (("FT", 0.03), ("LU", 0.08))
        for mean in range(10, 110, 10)
        for sd in mean * np.linspace(0, 2, 5)
    ]
    path = tmp_path_factory.mktemp("runs") / "runs.csv"
    frame = pd.DataFrame(rows, columns=["program", "mean_us", "sd_us", "runtime_s"])
    frame.to_csv(path, index=False)
    return path


def test_tail(latitude: Run, refused: Refused, samples: Path, tmp_path: Path) -> None:
    done = latitude("stats", "tail", samples / "busy.csv", "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 modes at" in done.stdout
    assert "Tail index α" in done.stdout
    assert "p99.99" in done.stdout
    assert "Do not trust" in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tail.csv", "tail.html", "tail.json"]
    result = document((tmp_path / "tail.json").read_text())
    (group,) = result["groups"]
    assert (group["n"], group["modes"]["count"], group["modes"]["multimodal"]) == (2000, 2, True)
    assert group["percentiles"][-1]["high_ns"] is None
    assert (tmp_path / "tail.csv").read_text().startswith("group,n,percentile,value_ns,")
    assert "exists already; pass --force" in refused(
        "stats", "tail", samples / "busy.csv", "-o", tmp_path
    )


def test_tail_against_a_reference(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["stats", "tail", str(samples / "busy.csv"), "--json", "-"]
    assert main([*options, "--reference", str(samples / "quiet.csv")]) == 0
    tail = json.loads(capsys.readouterr().out)["groups"][0]["long_tail"]
    assert tail["own"] is False
    assert 0.3 < tail["low"] < tail["share"] < tail["high"] < 0.6
    assert main([*options, "--threshold", "1s"]) == 0
    assert json.loads(capsys.readouterr().out)["groups"][0]["long_tail"]["share"] == 0


def test_tail_by_label(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(samples / "both.csv")
    options = ["stats", "tail", path, "--by", "collective", "--by", "bytes"]
    assert main([*options, "--json", "-"]) == 0
    names = [group["name"] for group in json.loads(capsys.readouterr().out)["groups"]]
    assert names == [
        "collective bcast, bytes 4",
        "collective bcast, bytes 1024",
        "collective reduce, bytes 1024",
    ]
    assert main(options) == 0
    assert "More than one mode: 1 of 3 groups" in capsys.readouterr().out


def test_compare(samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(samples / name) for name in ("quiet.csv", "busy.csv")]
    assert main(["stats", "compare", *files, "-o", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "A sample of busy is larger than one of quiet with probability" in out
    assert "not normal" in out
    result = json.loads((tmp_path / "comparison.json").read_text())
    (pair,) = result["pairs"]
    test = pair["mann_whitney"]
    assert test["larger"] < 0.4
    assert test["shift_low_ns"] < test["shift_ns"] < test["shift_high_ns"] < 0
    assert test["p"]["holm"] == test["p"]["p"]
    assert result["groups"][0]["normality"]["p_plain"] >= 0
    tables = []
    for label in ("bytes", "size"):  # two names of one label
        asked = ["stats", "compare", str(samples / "both.csv"), "--by", label, "--csv", "-"]
        assert main(asked) == 0
        tables.append(capsys.readouterr().out)
    assert tables[0] == tables[1]
    assert tables[0].count("\n") == 2


def test_correlate(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["--x", "mean", "--x", "sd", "--y", "runtime", "--by", "program"]
    assert main(["stats", "correlate", str(runs), *columns, "-o", str(tmp_path)]) == 0
    assert (
        "In 2 of 2 groups runtime correlates more with sd than with mean" in capsys.readouterr().out
    )
    result = json.loads((tmp_path / "correlation.json").read_text())
    ft, lu = result["groups"]
    assert (ft["name"], ft["n"], lu["name"]) == ("FT", 50, "LU")
    slope = ft["relations"][1]["line"]
    assert slope["slope_low"] < 0.03e6 < slope["slope_high"]  # 0.03 s a µs, in ns per ns … 1e6/1e3
    assert ft["dependent"]["williams_t"] < 0
    assert ft["dependent"]["r_between"] == pytest.approx(0.6, abs=0.15)
    assert ft["fisher"]["n"] == 50
    corrected = ft["dependent"]["williams_p_corrected"]
    assert corrected["holm"] >= corrected["p"]


def test_fisher(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = ["stats", "fisher", "--r-mean", "0.70", "--r-std", "0.89", "--n", "920"]
    assert main(numbers) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "one-sided p = 7.89e-33" in out
    assert "it lies between 0.297 and 0.949" in out
    assert main([*numbers, "--r-between", "0.6", "--json", "-"]) == 0
    result = document(capsys.readouterr().out)
    assert result["dependent"]["williams_t"] == pytest.approx(-14.5, abs=0.1)
    assert result["r_between_unknown"] is None


@pytest.mark.parametrize("kind", ["tail", "groups", "compare", "correlate"])
def test_pages_stand_alone(kind: str, samples: Path, runs: Path) -> None:
    files = [samples / "quiet.csv", samples / "busy.csv"]
    made = {
        "tail": lambda: tails_document(describe_samples(files[1:])),
        "groups": lambda: tails_document(
            describe_samples([samples / "both.csv"], by=["collective"])
        ),
        "compare": lambda: comparison_document(compare_samples(files)),
        "correlate": lambda: correlations_document(
            correlate_runs(runs, ["mean", "sd"], "runtime", by=["program"])
        ),
    }[kind]()
    page = page_of(made)
    parsed = Html(page)
    assert parsed.links == []
    data = {name: text for name, text in parsed.scripts.items() if name.startswith("data-")}
    (as_json,) = [text for name, text in data.items() if name.endswith("-json")]
    (as_csv,) = [text for name, text in data.items() if name.endswith("-csv")]
    assert document(as_json)["groups"]
    assert json.loads(as_csv).count("\n") > 1
    figures = json.loads(parsed.scripts["figures"])
    assert len(figures) >= 3
    for name, figure in figures.items():
        go.Figure(data=figure["data"], layout=figure["layout"])
        assert f'id="{name}"' in page
        assert figure["layout"]["xaxis"]["title"]["text"]
    assert "do not trust it when" in page


def test_a_constant_sample_has_a_page(tmp_path: Path) -> None:
    path = tmp_path / "constant.csv"
    path.write_text("latency_us\n" + "5\n" * 60)
    page = page_of(tails_document(describe_samples([path])))
    assert "All 60 samples are 5 µs: no tail." in page
    other = tmp_path / "other.csv"
    other.write_text("latency_us\n" + "".join(f"{5 + i / 10}\n" for i in range(60)))
    result = compare_samples([path, other])
    assert result.groups[0].normality is None
    assert "constant" in page_of(comparison_document(result))


def test_very_many_samples_are_streamed(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = describe_samples([samples / "busy.csv"]).groups[0]
    monkeypatch.setattr(groups_module, "MOST", 100)
    streamed = describe_samples([samples / "busy.csv"]).groups[0]
    assert streamed.n == 2000
    assert streamed.autocorrelation is None
    assert streamed.tail_index == exact.tail_index
    assert streamed.median_ns == pytest.approx(exact.median_ns, rel=1e-3)
    assert "many-samples" in [notice.code for notice in streamed.warnings]


def test_neighbours_that_go_together_are_told(tmp_path: Path) -> None:
    walk = 5000 + np.cumsum(np.random.default_rng(0).standard_normal(800))
    path = tmp_path / "walk.csv"
    pd.DataFrame({"latency_ns": walk}).to_csv(path, index=False)
    group = describe_samples([path]).groups[0]
    assert "dependent-samples" in [notice.code for notice in group.warnings]


TABLE = "mean_us,sd_us,runtime_s,plain,text\n"


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (("stats",), "required: ACTION"),
        (("stats", "tail"), "required: SAMPLES"),
        (("stats", "tail", "absent.csv"), "absent.csv: No such file or directory"),
        (("stats", "tail", "three.csv"), "three: samples: only 3 values; at least 4 are needed"),
        (("stats", "tail", "nan.csv"), "nan.csv"),
        (("stats", "tail", "quiet.csv", "--by", "b"), "no label 'b' to group by; it"),
        (
            ("stats", "tail", "quiet.csv", "--threshold", "1us", "--reference", "quiet.csv"),
            "give one of them",
        ),
        (("stats", "tail", "quiet.csv", "--threshold", "3"), "threshold: '3' has no unit"),
        (("stats", "compare", "quiet.csv"), "only one group of samples; give a second file"),
        (("stats", "compare", "quiet.csv", "quiet.csv"), "given twice"),
        (("stats", "correlate", "runs.csv", "--y", "runtime"), "required: --x"),
        (("stats", "correlate", "runs.csv", "--x", "sd", "--y", "sd"), "must name different"),
        (("stats", "correlate", "runs.csv", "--x", "no", "--y", "runtime"), "no column 'no'; it"),
        (
            ("stats", "correlate", "runs.csv", "--x", "plain", "--y", "runtime"),
            "column 'plain' has no unit; name it plain_us, or pass --unit plain=us",
        ),
        (
            ("stats", "correlate", "runs.csv", "--x", "mean", "--y", "runtime", "--unit", "mean"),
            "'mean' is not COLUMN=UNIT",
        ),
        (
            ("stats", "correlate", "gap.csv", "--x", "mean", "--y", "runtime"),
            "column 'runtime_s', row 2: 'nan' is not a finite number",
        ),
        (("stats", "correlate", "flat.csv", "--x", "mean", "--y", "runtime"), "x is constant"),
        (("stats", "correlate", "short.csv", "--x", "mean", "--y", "runtime"), "only 3 pairs"),
        (("stats", "correlate", "empty.csv", "--x", "mean", "--y", "runtime"), "no rows in it"),
        (
            ("stats", "fisher", "--r-mean", "2", "--r-std", "0.5", "--n", "50"),
            "'2' is not a correlation; write a number from -1 to 1",
        ),
        (
            ("stats", "fisher", "--r-mean", "0.2", "--r-std", "0.5", "--n", "3.5"),
            "'3.5' is not a number of runs",
        ),
        (
            ("stats", "fisher", "--r-mean", "x", "--r-std", "0.5", "--n", "30"),
            "'x' is not a correlation",
        ),
    ],
)
def test_wrong_use_is_one_line(
    options: tuple[str, ...],
    advice: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [f"{i},{2 * i},{30 + i * i},{i},a\n" for i in range(1, 9)]
    contents = {
        "quiet.csv": "latency_us\n" + "".join(f"{5 + i / 7}\n" for i in range(50)),
        "three.csv": "latency_us\n1\n2\n3\n",
        "nan.csv": "latency_us\n1\nnan\n3\n4\n5\n",
        "runs.csv": TABLE + "".join(rows),
        "gap.csv": TABLE + rows[0] + "2,4,,2,a\n" + "".join(rows[2:]),
        "flat.csv": TABLE + "".join(f"5,1,{i},1,a\n" for i in range(6)),
        "short.csv": TABLE + "".join(rows[:3]),
        "empty.csv": TABLE,
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    assert main(options) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert advice in captured.err
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(contents)


def test_help_does_not_wait_for_scipy() -> None:
    code = (
        "import sys; from latitude.cli.commands import build_parser\n"
        "build_parser('stats')\n"
        "sys.exit(any(name in sys.modules for name in ('scipy', 'pandas', 'plotly')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=HANG_S).returncode == 0


@pytest.mark.parametrize("question", ["tail", "compare", "correlate", "fisher"])
def test_every_question_is_documented(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["stats", question, "--help"])
    assert stop.value.code == 0
    assert "--json" in capsys.readouterr().out
