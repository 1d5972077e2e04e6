"""The actions of `latitude background` that need no Slurm."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go
import pytest

from latitude.cli.background import ACTIONS
from latitude.cli.main import main
from latitude.lab.cluster.correlate import correlate
from latitude.lab.cluster.history import build_history
from latitude.lab.cluster.synthetic import SyntheticPlan, synthetic_history
from latitude.lab.cluster.watch import read_watch
from latitude.lab.documents.background import correlation_document
from latitude.render.html.page import page as page_of
from support.command import Run
from support.paths import DATA
from support.schemas import document

Refused = Callable[..., str]
QUEUE = DATA / "squeue" / "24.05.json"
SAVED = ("--queue", QUEUE, "--nodes", "10")
RUN = ("--collective", "reduce", "--size", "1MiB", "--placement", "different islands")


@pytest.fixture(scope="module")
def past(latitude: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("history") / "past.parquet"
    done = latitude("background", "synthetic", "-o", path, "--iterations", "30")
    assert done.returncode == 0, done.stderr
    assert "nothing in it was measured" in done.stderr
    return path


@pytest.mark.parametrize("action", [action.name for action in ACTIONS])
def test_help(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["background", action, "--help"])
    assert stop.value.code == 0
    assert f"background {action}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ((), "the following arguments are required: ACTION"),
        (("around", *SAVED), "no command; write e.g. latitude background around"),
        (("around", *SAVED, "--", "/no/such"), "/no/such: cannot be started: No such file"),
        (("around", *SAVED, "--samples", "x", "--", "true"), "add -o DIR"),
        (("around", *SAVED, "--threshold", "x", "--", "true"), "threshold: 'x' is not a share"),
        (("watch", "-o", "x", "--interval", "10ms"), "keep Slurm's controller busy"),
        (("watch", "-o", "x", "--count", "0"), "'0' is not a number of samples"),
        (("correlate", "absent.csv"), "absent.csv: No such file or directory"),
        (("advise", "absent.csv", "--collective", "x", "--b", "0.5"), "absent.csv: No such file"),
        (("advise", "{past}", *RUN, "--b", "1.5"), "b = 1.5 is not between 0 and 1"),
        (("advise", "{past}", *RUN, *SAVED[:2]), "add --nodes N"),
        (("correlate", "{past}", "--placement", "moon"), "no runs with placement 'moon'"),
        (("correlate", "{past}", "--watched", "empty"), "no samples of b in it"),
        (("now", *SAVED, "--exclude", "self"), "SLURM_JOB_ID is not set"),
    ],
)
def test_wrong_use(
    refused: Refused, past: Path, tmp_path: Path, options: tuple[object, ...], advice: str
) -> None:
    (tmp_path / "empty").mkdir()
    filled = [str(option).format(past=past) for option in options]
    assert advice in refused("background", *filled, cwd=tmp_path)


def test_without_slurm_the_error_says_so(refused: Refused, tmp_path: Path) -> None:
    error = refused("background", "now", env={**os.environ, "PATH": str(tmp_path)})
    assert "squeue: not found" in error
    assert "--queue FILE" in error


def slurm_of(directory: Path, squeue: str) -> dict[str, str]:
    """An environment in which `squeue` is this script and the cluster has 10 nodes."""
    for name, script in (
        ("squeue", squeue),
        ("sinfo", "echo 'node[001-006]'; echo 'node[004-010]'"),
    ):
        (directory / name).write_text(f"#!/bin/sh\n{script}\n")
        (directory / name).chmod(0o755)
    return {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}


def test_a_slurm_without_json_is_read_as_text(latitude: Run, tmp_path: Path) -> None:
    squeue = f"""\
case "$*" in *--json*) echo "squeue: unrecognized option '--json'" >&2; exit 1;; esac
cat {QUEUE.parent / "text.txt"}"""
    done = latitude("background", "now", "--json", "-", env=slurm_of(tmp_path, squeue))
    assert json.loads(done.stdout)["b"] == pytest.approx(0.825)
    assert json.loads(done.stdout)["N_t"] == 10


def test_a_slurm_that_does_not_answer(refused: Refused, tmp_path: Path) -> None:
    squeue = (
        f"echo once >> {tmp_path}/asked; echo 'slurm_load_jobs error: no controller' >&2; exit 1"
    )
    error = refused("background", "now", env=slurm_of(tmp_path, squeue))
    assert error.startswith("no Slurm answers here (slurm_load_jobs error: no controller): ")
    assert (tmp_path / "asked").read_text() == "once\n"


def test_watch_has_a_gap_where_slurm_did_not_answer(latitude: Run, tmp_path: Path) -> None:
    squeue = f"""\
echo once >> {tmp_path}/asked
[ "$(wc -l < {tmp_path}/asked)" = 2 ] && {{ echo 'no controller' >&2; exit 1; }}
cat {QUEUE}"""
    environment = slurm_of(tmp_path, squeue)
    out = tmp_path / "out"
    done = latitude(
        "background", "watch", "--interval", "1s", "--count", "3", "-o", out, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "no sample: no Slurm answers here (no controller)" in done.stderr
    assert read_watch(out)["b"].tolist() == pytest.approx([0.825, 0.825])


@pytest.mark.parametrize(("shell", "status"), [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137)])
def test_the_exit_status_is_passed_on(latitude: Run, shell: str, status: int) -> None:
    done = latitude("background", "around", *SAVED, "--", "sh", "-c", f"echo out; {shell}")
    assert done.returncode == status
    assert done.stdout == "out\n"
    assert "82.5% before, 82.5% after, 0 percentage points apart: kept, b = 0.825" in done.stderr


def test_b_that_did_not_hold_is_not_kept(latitude: Run, tmp_path: Path) -> None:
    queue = tmp_path / "queue.txt"
    queue.write_text("JOBID|STATE|NODELIST\n1|RUNNING|n[1-50]\n")
    more = f"printf '2|RUNNING|n[51-%s]\\n' $0 >> {queue}"

    def around(last: int, *options: str) -> dict[str, object]:
        record = tmp_path / "record.json"
        queue.write_text("JOBID|STATE|NODELIST\n1|RUNNING|n[1-50]\n")
        done = latitude(
            "background", "around", "--queue", queue, "--nodes", "100", "--json", record, "--force",
            *options, "--", "sh", "-c", more, last,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return document(record.read_text())

    held, left = around(54), around(55)  # from 50 to 54 and 55 of 100 nodes: 4 and 5 points
    assert (held["kept"], held["b"]) == (True, pytest.approx(0.52))
    assert (left["kept"], left["b"]) == (False, None)
    assert around(52, "--relative")["kept"] is True
    assert around(53, "--relative")["kept"] is False  # 6 % of 0.50
    assert around(55, "--threshold", "10%")["kept"] is True


def test_runs_become_a_history(latitude: Run, tmp_path: Path) -> None:
    samples = tmp_path / "lat.csv"
    for value in (3, 4):
        command = f"printf 'latency_us\\n{value}\\n{value}\\n' > {samples}"
        done = latitude(
            "background", "around", *SAVED, "-o", tmp_path / "past", "--samples", samples,
            "--collective", "reduce", "--size", "8B", "--ranks", "16", "--placement", "same group",
            "--", "sh", "-c", command,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "added to the history" in done.stderr
    latitude("background", "around", *SAVED, "-o", tmp_path / "past", "--", "false")
    done = latitude("background", "correlate", tmp_path / "past", "--json", "-")
    study = document(done.stdout)
    (panel,) = study["panels"]
    assert [point["mean_ns"] for point in panel["points"]] == [3000.0, 4000.0]
    assert (panel["collective"], panel["bytes"], study["placement"]) == ("reduce", 8, "same group")
    assert panel["reason"] == "only 2 runs"
    assert "too few" in study["forecast_untested"] or "not enough" in study["forecast_untested"]


def test_the_page(latitude: Run, refused: Refused, past: Path, tmp_path: Path) -> None:
    done = latitude("background", "correlate", past, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "Synthetic data" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Synthetic data" in page
    assert "default-src 'none'" in page
    match = re.search(r'id="figures">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    figures = json.loads(match[1])
    assert list(figures) == ["panels", "shapes", "calibration"]
    for figure in figures.values():
        go.Figure(data=figure["data"], layout=figure["layout"])  # plotly validates
    content = document((tmp_path / "out" / "correlation.json").read_text())
    assert content["synthetic"] is True
    assert len(content["panels"]) == 12
    assert content["forecast"]["brier"] < content["forecast"]["brier_base"]
    assert "pass --force" in refused("background", "correlate", past, "-o", tmp_path / "out")


def test_names_cannot_break_the_page() -> None:
    frame = synthetic_history(SyntheticPlan(campaigns=4, iterations=5))
    frame["collective"] = "</script><b>"
    page = page_of(correlation_document(correlate(build_history([frame], "<i>x</i>"))))
    assert "</script><b>" not in page
    assert "<i>x" not in page
    assert "The forecast was not tested" in page


def test_advice_on_the_terminal_and_as_json(past: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def advised(*options: object) -> str:
        assert main(["background", "advise", str(past), *RUN, *map(str, options)]) == 0
        return capsys.readouterr().out

    said = advised("--b", "70%")
    assert "Wait: reduce 1 MiB on different islands at b = 0.70" in said
    assert "Synthetic history" in said
    assert "Probability of the long tail" in said
    content = document(advised("--b", "0.3", "--json", "-"))
    assert content["answer"] == "run now"
    assert content["synthetic"] is True
    assert "at b = 0.82" in advised(*SAVED)  # 0.825, of the saved queue
    said = advised("--b", "0.99")
    assert "Not enough history" in said
    assert "runs at b near 0.99" in said
