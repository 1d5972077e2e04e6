"""Each command that reads a program takes it in each format alike: the same answer."""

import json
from pathlib import Path
from typing import Any

import pytest

import latitude
from latitude.cli.main import main
from support import dumpi_files, native_trace, paraver
from support.dumpi_text import FromText
from support.oracle.proved import proof_of
from support.paths import EXAMPLES
from support.tiers import first_of

NETWORK = ("--L", "3us", "--o", "500ns", "--G", "0.1ns", "--S", "100KiB")
FORMATS = ("otf2 anchor", "otf2 folder", "paraver file", "paraver folder", "liballprof", "dumpi")
COMMANDS = {
    "analyze": ("baseline", "tolerance", "breakpoints", "curve", "critical", "pairs", "by_rank"),
    "analyze --compare": ("alternatives",),
    "forecast": ("runtime", "quantiles", "bounds", "criticality", "pairs"),
    "lp": ("T_ns", "sensitivity", "tolerance", "lp"),
    "place": ("placements",),
    "diff": ("tolerance", "by_part", "by_rank"),
    "check": ("failed", "verdicts"),
    "scaling": ("weak", "of", "projection"),
}
"""Keys of each command's JSON that depend on the program, not on its file's format."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A ring of three ranks in all formats."""
    base = tmp_path_factory.mktemp("formats")
    files = {rank: native_trace.rank_file(rank) for rank in range(native_trace.RANKS)}
    run = native_trace.write(base / "ours", files)
    for to in ("run.otf2", "text"):
        assert main(["convert", str(run), str(base / to)]) == 0
    (base / "extrae").mkdir()
    anchor = base / "run.otf2" / "traces.otf2"
    prv = paraver.write(anchor, base / "extrae" / "run.prv")
    ranks = [(base / "text" / f"pmpi-trace-rank-{r}.txt").read_text() for r in sorted(files)]
    dumpi = dumpi_files.write(base / "dumpi", [FromText(text).file for text in ranks])
    return {
        "ours": run,
        "otf2 anchor": anchor,
        "otf2 folder": base / "run.otf2",
        "paraver file": prv,
        "paraver folder": base / "extrae",
        "liballprof": base / "text",
        "dumpi": dumpi,
    }


def _words(command: str, path: Path, first: Path) -> list[str]:
    return {
        "analyze": ["analyze", str(path), *NETWORK],
        "analyze --compare": ["analyze", str(path), *NETWORK, "--compare", "L=1us,2us"],
        "forecast": [
            *("forecast", str(path), *NETWORK),
            *("--latency", "lognormal(mean=5us,sd=10us)", "--samples", "8"),
        ],
        "lp": ["lp", str(path), *NETWORK, "--solve"],
        "place": [
            *("place", str(path), *NETWORK, "--nodes", "2", "--cores", "2"),
            *("--intra", "L=0.4us,G=0.01ns", "--time", "1s"),
        ],
        "diff": ["diff", str(first), str(path), *NETWORK],
        "scaling": ["scaling", str(EXAMPLES / "two-ranks.goal"), str(path), *NETWORK],
        "check": ["check", str(path), *NETWORK, "--tolerance", "1ns at 99%"],
    }[command]


def _answer(
    command: str, path: Path, first: Path, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*_words(command, path, first), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    return {key: found[key] for key in COMMANDS[command]}


@pytest.mark.parametrize("command", first_of(COMMANDS, 3))
def test_the_answer_is_the_program_s(
    command: str, programs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    expected = _answer(command, programs["ours"], programs["ours"], capsys)
    for form in FORMATS:
        assert _answer(command, programs[form], programs["ours"], capsys) == expected, form


@pytest.mark.parametrize("form", FORMATS)
def test_the_picture_is_the_same(form: str, programs: dict[str, Path], tmp_path: Path) -> None:
    """Critical path, waits and messages, as Perfetto shows them."""
    pictures: list[list[dict[str, Any]]] = []
    for path in (programs["ours"], programs[form]):
        out = tmp_path / f"{len(pictures)}.json"
        words = ["analyze", str(path), *NETWORK, "--perfetto", str(out), "--json", "/dev/null"]
        assert main(words) == 0
        events = json.loads(out.read_text())["traceEvents"]
        assert any("critical path" in event.get("cat", "") for event in events)
        assert any(event.get("name") == "transfer" for event in events)
        pictures.append([_shown(event) for event in events])
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("form", ["ours", *FORMATS])
def test_a_result_is_proved(form: str, programs: dict[str, Path]) -> None:
    assert proof_of(programs[form], *NETWORK).rejections == []


@pytest.mark.parametrize("form", FORMATS)
def test_no_other_format_says_that_clocks_agree(
    form: str, programs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A replay needs times that can be compared between ranks."""
    capsys.readouterr()
    assert main(["analyze", str(programs[form]), "--replay"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "the traced run cannot be replayed: " in line
    assert line.endswith("the ranks' clocks agree")


@pytest.mark.parametrize("to", ["g.goal", "g.bin", "text", "run.otf2"])
def test_it_becomes_the_same(to: str, programs: dict[str, Path], tmp_path: Path) -> None:
    """GOAL byte by byte, a trace as the same program."""
    expected: object = None
    for form in ("ours", *FORMATS):
        if (form, to) == ("liballprof", "text"):
            continue  # it is that already
        out = tmp_path / form / to
        out.parent.mkdir()
        assert main(["convert", str(programs[form]), str(out)]) == 0
        if out.is_file():
            found: object = out.read_bytes()
        else:
            program = latitude.load(out)
            calls = {name: program.trace.calls.get(name) for name in ("MPI_Isend", "MPI_Send")}
            found = latitude.analyze(program, latitude.Network(L=3000, o=500)).baseline, calls
        expected = expected or found
        assert found == expected, form


def _shown(event: dict[str, Any]) -> dict[str, Any]:
    """Leaves out the place in the source, which some formats lack."""
    arguments = {k: v for k, v in event.get("args", {}).items() if k not in ("at", "site", "name")}
    return {**event, "args": arguments}
