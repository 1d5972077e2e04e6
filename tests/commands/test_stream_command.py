"""`latitude analyze --stream`: asked for, by the memory there is, and what is refused."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from latitude._core import InputError
from latitude.analysis.checkpoint import Checkpoint
from latitude.cli.main import main
from latitude.sections import SECTIONS
from latitude.trace.pieces import memory_needed, open_in_pieces
from support.command import Run
from support.paths import EXAMPLES
from support.rewritten import rewritten
from support.schemas import document

NETWORK = ("--L", "2us", "--o", "500ns", "--G", "0ns/B")


@pytest.fixture
def halo(tmp_path: Path, latitude: Run) -> Path:
    words = ("synthesize", "halo", "--ranks", 4, "--calls", "60,000", "-o", "halo")
    assert latitude(*words, "--compute", "10us", cwd=tmp_path).returncode == 0
    return tmp_path


def test_it_says_what_an_analysis_in_memory_says(halo: Path, latitude: Run) -> None:
    found = latitude("analyze", "halo", "--stream", *NETWORK, "--json", "-", cwd=halo)
    assert found.returncode == 0, found.stderr
    streamed = json.loads(found.stdout)
    whole = latitude("analyze", "halo", "--in-memory", *NETWORK, "--json", "-", cwd=halo)
    expected = json.loads(whole.stdout)
    assert streamed["schema"] == expected["schema"] == "latitude.analysis/1"
    assert streamed["baseline"]["T_ns"] == expected["baseline"]["T_ns"] == 3000 * 13_500
    assert streamed["theta"] == expected["theta"]
    assert streamed["baseline"]["lambda_L"] == expected["baseline"]["lambda_L"] == 3000
    for found_share, share in zip(streamed["by_call"], expected["by_call"], strict=True):
        assert found_share == pytest.approx(share)
    latencies = [each["pairs"]["listed"][0]["lambda_L"] for each in (streamed, expected)]
    assert latencies[0] == latencies[1] > 0
    assert streamed["efficiency"]["predicted"] == expected["efficiency"]["predicted"]
    assert streamed["graph"] == expected["graph"]
    assert streamed["trace"]["calls"] == expected["trace"]["calls"]
    assert streamed["streamed"]["why"] == "asked for"
    assert "slack of messages" in [each["what"] for each in streamed["left_out"]]
    assert not any("--no-path" in each["why"] for each in streamed["left_out"])
    for table in ("times", "delays", "between_ranks", "between_calls"):
        own, others = (each["waits"][table] for each in (streamed, expected))
        for found_row, row in zip(own, others, strict=True):
            assert found_row == pytest.approx(row)


def test_the_memory_there_is_decides(halo: Path, latitude: Run) -> None:
    found = latitude("analyze", "halo", "--memory", "1MiB", *NETWORK, "-o", "result", cwd=halo)
    assert found.returncode == 0, found.stderr
    assert "evaluated while it was read" in found.stdout
    assert sorted(path.name for path in (halo / "result").iterdir()) == [
        "analysis.json",
        "breakpoints.csv",
        "curve.csv",
        "delays.csv",
        "efficiency.csv",
        "pairs.csv",
        "ranks.csv",
        "report.html",
        "waits.csv",
    ]
    streamed = json.loads((halo / "result" / "analysis.json").read_text())
    assert streamed["streamed"]["why"].startswith("in memory it would take about")
    ample = latitude("analyze", "halo", "--memory", "4GiB", *NETWORK, "--json", "-", cwd=halo)
    assert json.loads(ample.stdout)["streamed"] is None


@pytest.mark.thorough
def test_the_critical_path_can_be_left_out(halo: Path, latitude: Run) -> None:
    def found(*options: str) -> dict[str, Any]:
        done = latitude("analyze", "halo", *options, *NETWORK, "--json", "-", cwd=halo)
        assert done.returncode == 0, done.stderr
        result: dict[str, Any] = json.loads(done.stdout)
        del result["provenance"]
        return result

    whole, part = found("--stream"), found("--no-path")
    of_path = ("efficiency", "by_rank", "waits", "by_call", "by_call_site", "pairs")
    assert not any(part.pop(name) for name in of_path)
    assert all(whole.pop(name) or name == "by_call_site" for name in of_path)
    assert part["baseline"].pop("path") is None
    assert whole["baseline"].pop("path") is not None
    passes = part.pop("streamed")
    assert passes["passes"] == whole.pop("streamed")["passes"] - 1
    assert passes["paths_held"] == 0
    left_out = part.pop("left_out")
    kept = whole.pop("left_out")
    assert [each for each in left_out if each["why"] != "left out by --no-path"] == kept
    assert len(left_out) == len(kept) + len(of_path)
    of_traces = SECTIONS.keys() - {"cpu_gaps", "job_algorithms", "job_collectives", "job_modules"}
    assert len(left_out) == 3 + len(of_traces)  # critical latencies, intervals, and of efficiencies
    assert part == whole
    written = latitude("analyze", "halo", "--no-path", *NETWORK, "-o", "result", cwd=halo)
    assert written.returncode == 0, written.stderr
    names = sorted(path.name for path in (halo / "result").iterdir())
    assert names == ["analysis.json", "breakpoints.csv", "curve.csv", "report.html"]
    assert "Critical path" not in written.stdout


@pytest.mark.thorough
def test_slack_takes_room_on_a_disk(halo: Path, latitude: Run, refused: Callable[..., str]) -> None:
    (halo / "scratch").mkdir()
    words = ("analyze", "halo", *NETWORK)
    done = latitude(*words, "--scratch", "scratch", "-o", "result", cwd=halo)
    assert done.returncode == 0, done.stderr
    assert "Slack of messages" in done.stdout
    assert not list((halo / "scratch").iterdir())
    whole = latitude(*words, "--in-memory", "-o", "whole", cwd=halo)
    assert whole.returncode == 0, whole.stderr
    one, other = (halo / name / "slack.csv" for name in ("result", "whole"))
    assert one.read_text() == other.read_text()
    found = json.loads((halo / "result" / "analysis.json").read_text())
    assert found["slack"]["by_pair"][0]["messages"] == 3000
    assert found["streamed"]["written_bytes"] > 0
    assert "slack of messages" not in [each["what"] for each in found["left_out"]]
    assert "none: cannot write there (No such file" in refused(
        *words, "--scratch", "none", cwd=halo
    )
    with_whole = refused(*words, "--scratch", "scratch", "--replay", cwd=halo)
    assert "--scratch: --replay needs the whole graph" in with_whole


def test_critical_values_go_on_after_a_kill(
    halo: Path, latitude: Run, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("analyze", "halo", "--checkpoint", "kept", "--critical", "all", *NETWORK)
    with monkeypatch.context() as before_its_end:
        before_its_end.chdir(halo)
        before_its_end.setattr(Checkpoint, "remove", lambda _self: None)
        assert main([*words, "-o", "one"]) == 0
    other = ("analyze", "halo", "--checkpoint", "kept", "--critical", "5", *NETWORK)
    assert "an analysis with another question" in refused(*other, cwd=halo)
    again = latitude(*words, "-o", "two", cwd=halo)
    assert again.returncode == 0, again.stderr
    assert "kept: goes on after pass 3" in again.stderr
    assert "0 critical latencies of L between" in again.stdout
    one, two = (json.loads((halo / name / "analysis.json").read_text()) for name in ("one", "two"))
    del one["provenance"], two["provenance"]
    assert one == two
    assert one["critical"]["complete"]
    assert (halo / "two" / "breakpoints.csv").read_text().startswith("L_ns,")


def test_a_checkpoint_is_gone_when_the_results_are_there(
    halo: Path, latitude: Run, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("analyze", "halo", "--checkpoint", "kept", *NETWORK)
    found = latitude(*words, "--json", "one.json", cwd=halo)
    assert found.returncode == 0, found.stderr
    assert "go" not in found.stderr
    assert sorted(path.name for path in halo.iterdir()) == ["halo", "one.json"]
    with monkeypatch.context() as before_its_end:
        before_its_end.chdir(halo)
        before_its_end.setattr(Checkpoint, "remove", lambda _self: None)
        assert main([*words, "--json", "killed.json"]) == 0
    assert "an analysis with another question" in refused(*words, "--limit", "1s", cwd=halo)
    assert "two results cannot be one file" in refused(*words, "--json", "kept", cwd=halo)
    assert "--checkpoint: --in-memory needs" in refused(*words, "--in-memory", cwd=halo)
    again = latitude(*words, "--json", "two.json", cwd=halo)
    assert again.returncode == 0, again.stderr
    assert "kept: goes on after pass 2" in again.stderr
    one, two = (json.loads((halo / name).read_text()) for name in ("one.json", "two.json"))
    del one["provenance"], two["provenance"]
    assert one == two
    assert not (halo / "kept").exists()


@pytest.mark.thorough
def test_workers_of_a_dask_cluster_find_the_same(
    traces: Path, tmp_path: Path, latitude: Run, dask: str
) -> None:
    folder = rewritten(traces / "lulesh-8-i20-s8.tar.xz", tmp_path / "trace")
    asked = ("analyze", folder, "--stream", *NETWORK, "--critical", "all", "--json", "-")
    here, there = (document(latitude(*asked, *more).stdout) for more in ((), ("--dask", dask)))
    assert here["breakpoints"]
    size = open_in_pieces(folder).pieces.bytes
    readings = []
    for found in (here, there):
        del found["provenance"]
        # Two workers look for critical values at twice as many values of θ at once.
        passes = found["streamed"]
        readings.append(passes.pop("bytes_read") / size - passes.pop("passes"))
    assert readings[0] == 0 < readings[1]
    assert there == here


@pytest.mark.thorough
def test_workers_have_to_read_the_same_trace(halo: Path, latitude: Run, dask: str) -> None:
    trace = open_in_pieces(halo / "halo")
    pickled = pickle.dumps(trace)
    assert pickle.loads(pickled).pieces.checksums == trace.pieces.checksums  # noqa: S301
    words = ("synthesize", "halo", "--ranks", 4, "--calls", "30,000", "-o", "halo", "--force")
    shutil.move(halo / "halo", halo / "moved")
    with pytest.raises(InputError, match="the trace does not exist"):
        pickle.loads(pickled)  # noqa: S301
    assert latitude(*words, cwd=halo).returncode == 0
    with pytest.raises(InputError, match="differs from the trace"):
        pickle.loads(pickled)  # noqa: S301
    nobody = ("analyze", "halo", "--dask", "tcp://127.0.0.1:1", *NETWORK)
    refused = latitude(*nobody, cwd=halo)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no Dask scheduler answers" in refused.stderr
    both = latitude("analyze", "halo", "--dask", dask, "--perfetto", "x.json", cwd=halo)
    assert both.returncode == 2
    assert "--dask: --perfetto needs the whole graph" in both.stderr


def test_what_needs_the_whole_graph_is_not_streamed(
    halo: Path, latitude: Run, refused: Callable[..., str]
) -> None:
    assert "--what-if needs the whole graph" in refused(
        "analyze", "halo", "--stream", "--what-if", "balanced", cwd=halo
    )
    assert "--stream and --no-path: --compare needs the whole graph" in refused(
        "analyze", "halo", "--stream", "--no-path", "--compare", "o=1us,2us", cwd=halo
    )
    assert "cannot evaluate a gap between messages" in refused(
        "analyze", "halo", "--stream", "--g", "1us", cwd=halo
    )
    shutil.copy(EXAMPLES / "two-ranks.goal", halo)
    advice = "is read in pieces; leave out --stream and --no-path"
    assert advice in refused("analyze", "two-ranks.goal", "--stream", "--no-path", cwd=halo)
    small = latitude("analyze", "halo", "--memory", "1MiB", "--g", "1us", cwd=halo)
    assert small.returncode == 0, small.stderr
    assert "is read as a whole: Latitude cannot evaluate a gap" in small.stderr


def test_a_damaged_file_is_one_line_that_names_the_byte(
    halo: Path, refused: Callable[..., str]
) -> None:
    file = halo / "halo" / "rank-0000002.lat"
    whole = file.read_bytes()
    middle = len(whole) // 2
    file.write_bytes(whole[:middle])
    cut = refused("analyze", "halo", "--stream", cwd=halo)
    assert "rank-0000002.lat: breaks off at byte" in cut
    damaged = bytearray(whole)
    damaged[middle] ^= 0xFF
    file.write_bytes(damaged)
    assert "rank-0000002.lat: byte " in refused("analyze", "halo", "--stream", cwd=halo)


@pytest.mark.thorough
def test_messages_of_collectives_count_in_the_memory_needed(latitude: Run, tmp_path: Path) -> None:
    ranks, steps, bytes_per_file_byte = 64, 10, 24
    calls = {"halo": 5, "cg": 7}  # of a rank in a step; cg: two of them reductions
    for pattern, per_step in calls.items():
        operations = str(per_step * steps * ranks)
        made = latitude(
            "synthesize", pattern, "--ranks", str(ranks), "--calls", operations,
            "-o", pattern, cwd=tmp_path,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
    halo, cg = (sorted((tmp_path / pattern).iterdir()) for pattern in calls)
    sizes = [sum(file.stat().st_size for file in files) for files in (halo, cg)]
    assert memory_needed(halo) == bytes_per_file_byte * sizes[0]
    rounds = 6  # log2 of the ranks, of recursive doubling: each a send and a receive
    assert (
        memory_needed(cg) == bytes_per_file_byte * sizes[1] + 165 * ranks * steps * 2 * 2 * rounds
    )
    assert memory_needed(cg, ["allreduce=ring"]) > memory_needed(cg)
    # Where the sizes alone decide, nothing is read.
    assert memory_needed(cg, room=0) == bytes_per_file_byte * sizes[1]
