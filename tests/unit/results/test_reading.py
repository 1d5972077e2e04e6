"""An analysis is what was written of it: read back, shown, compared and checked."""

import json
from pathlib import Path

import pytest

import latitude
from latitude import Network
from latitude.analysis.answer import Listed
from latitude.analysis.demands import no_worse
from latitude.analysis.stream import analyze_stream
from latitude.cli.main import main
from latitude.render.documents.analysis import analysis_document
from latitude.render.html.page import page
from latitude.results.analysis import Analysis
from latitude.results.reading import read_analysis
from latitude.trace.pieces import open_in_pieces
from support.paths import EXAMPLES, TRACE_NAMES, TRACES
from support.rewritten import rewritten

NETWORK = Network.parse({"L": "2us", "o": "500ns", "G": "0.1ns/B", "S": "4KiB"})


def again(found: Analysis, folder: Path) -> Analysis:
    """A result written and read again; checks that it would be written equally."""
    path = folder / "analysis.json"
    path.write_text(found.to_json(), encoding="utf-8")
    read = read_analysis(path)
    assert read.to_dict() == found.to_dict()
    return read


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rewritten(EXAMPLES / "lulesh-8-i20-s8.tar.xz", tmp_path_factory.mktemp("read") / "trace")


@pytest.mark.parametrize("sweep", [None, "G", "o"])
def test_in_memory(folder: Path, tmp_path: Path, sweep: str | None) -> None:
    found = latitude.analyze(latitude.load(folder), NETWORK, sweep=sweep, what_if=["balanced"])
    assert found.by_call_site
    assert again(found, tmp_path).theta == found.theta


@pytest.mark.parametrize("path", [True, False])
def test_streamed(folder: Path, tmp_path: Path, path: bool) -> None:
    trace = open_in_pieces(folder)
    found = analyze_stream(
        trace, NETWORK, path=path, scratch=tmp_path, critical=Listed(5), sweep=None
    )
    assert again(found, tmp_path).streamed == found.streamed


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("name", TRACE_NAMES)
def test_every_shared_trace(name: str, tmp_path: Path) -> None:
    again(latitude.analyze(latitude.load(TRACES / name), NETWORK), tmp_path)
    again(analyze_stream(open_in_pieces(rewritten(TRACES / name, tmp_path / "trace"))), tmp_path)


def test_a_page_is_made_of_what_was_read(folder: Path, tmp_path: Path) -> None:
    found = latitude.analyze(latitude.load(folder), NETWORK)
    shown, made = (analysis_document(each) for each in (again(found, tmp_path), found))
    assert shown.headline == made.headline
    assert shown.closing == made.closing
    (one, *ours), (other, *theirs) = (
        [file.text() for file in each.files] for each in (shown, made)
    )
    assert json.loads(one) == json.loads(other)
    assert ours == theirs
    assert found.name in page(shown)


def test_streamed_results_are_compared_and_checked(folder: Path, tmp_path: Path) -> None:
    streamed = analyze_stream(open_in_pieces(folder), NETWORK)
    whole = latitude.analyze(latitude.load(folder), NETWORK)
    assert all(verdict.holds for verdict in no_worse(streamed, whole, 1e-9))
    one, other = tmp_path / "streamed.json", tmp_path / "whole.json"
    one.write_text(streamed.to_json())
    other.write_text(whole.to_json())
    found = latitude.diff(one, other)
    assert found.change_ns == pytest.approx(0, abs=1e-3)
    assert {row.only_in for row in found.by_place} == {None}
    demand = ["--efficiency", "transfer >= 0.000001 at L=5us", "--tolerance", "1ns at 50%"]
    assert main(["check", str(one), *demand]) == 0


def test_what_was_left_out_is_named(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "analysis.json"
    path.write_text(analyze_stream(open_in_pieces(folder), NETWORK, path=False).to_json())
    with pytest.raises(latitude.InputError, match=r"no waits; .*--no-path"):
        latitude.diff(path, path)
    assert main(["check", str(path), "--efficiency", "transfer >= 0.5"]) == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data.update(more=1), "an unknown key more"),
        (lambda data: data.pop("pairs"), "no pairs"),
        (lambda data: data["pairs"]["listed"][0].update(bytes=-1), "below 0"),
        (lambda data: data["pairs"]["listed"][0].pop("bytes"), "other keys"),
        (lambda data: data["curve"]["T_ns"].append(1e300), "1e"),
        (lambda data: data["curve"]["T_ns"].append("1"), "str"),
        (lambda data: data["curve"]["T_ns"].append(1.0), "not as many"),
    ],
)
def test_other_data_are_refused(two_ranks: Path, tmp_path: Path, change: object, says: str) -> None:
    data = json.loads(latitude.analyze(latitude.load(two_ranks)).to_json())
    assert callable(change)
    change(data)
    path = tmp_path / "analysis.json"
    path.write_text(json.dumps(data))
    with pytest.raises(latitude.InputError, match=says):
        read_analysis(path)
