"""Exit statuses, one-line errors, outputs."""

import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import latitude as package
from latitude.cli.analyze import AnalyzeCommand
from latitude.cli.main import main
from support.command import Run
from support.hanging import HANG_S
from support.schemas import document

SOURCES = Path(package.__file__).parents[1]
Refused = Callable[..., str]
NAMES = (
    "report.html", "analysis.json", "curve.csv", "breakpoints.csv", "efficiency.csv", "slack.csv",
    "waits.csv", "delays.csv", "pairs.csv", "ranks.csv",
)  # fmt: skip


def test_help_and_version(latitude: Run) -> None:
    done = latitude("--help")
    assert done.returncode == 0
    for command in ("demo", "analyze", "convert"):
        assert command in done.stdout
    assert latitude("--version").stdout.startswith("latitude 0.")


def imported_by(*words: str) -> set[str]:
    """Modules that a Python has imported when it ends."""
    told = [sys.executable, "-X", "importtime", *words]
    said = subprocess.run(told, capture_output=True, check=True, encoding="utf-8").stderr
    return {line.rpartition("|")[2].strip() for line in said.splitlines()}


def test_a_command_waits_for_no_library_that_it_does_not_need() -> None:
    """`latitude inject` starts in 0.2 s instead of 1; in an emulated machine that is 30 s."""
    imported = imported_by("-m", "latitude", "inject", "--help")
    assert "latitude.launch.injecting.session" in imported
    assert not imported & {
        "scipy.stats",
        "scipy.optimize",
        "scipy.special",
        "pandas",
        "pyarrow",
        "highspy",
        "elftools",
        "plotly",
        "rich",
        "latitude.model.network",
        "latitude.trace.load",
    }


def test_ranks_under_the_tracer_do_not_wait_for_numpy() -> None:
    """Right of a launcher the command starts once a rank."""
    imported = imported_by("-m", "latitude", "trace", "--help")
    assert "latitude.launch.tracing.session" in imported
    assert not imported & {"numpy", "rich", "latitude.model.network", "latitude.trace.load"}


THREADS_AFTER = """
import os, sys
from latitude.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"), file=sys.stderr)
"""
"""A command that tells how many threads run at its end, and the variable that programs get."""


@pytest.mark.parametrize("given", [None, "1"])
def test_numpy_starts_no_threads(given: str | None) -> None:
    others = {name: value for name, value in os.environ.items() if "OPENBLAS" not in name}
    variables = others if given is None else {**others, "OPENBLAS_NUM_THREADS": given}
    words = [sys.executable, "-c", THREADS_AFTER, "analyze", "--help"]
    done = subprocess.run(words, capture_output=True, check=True, encoding="utf-8", env=variables)
    assert done.stderr == f"1 {given}\n"


@pytest.mark.parametrize(
    "latency",
    ["5us", "lognormal(mean=5us,sd=10us)", "exponential(mean=5us)", "norm(mean=9us,sd=1us)"],
)
def test_common_forecasts_do_not_wait_for_scipy(two_ranks: Path, latency: str) -> None:
    words = ("forecast", str(two_ranks), "--latency", latency, "--noise", "5%")
    imported = imported_by("-m", "latitude", *words)
    assert "latitude.random.forecast.forecast" in imported
    assert not imported & {"scipy", "pandas"}


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ((), "the following arguments are required: COMMAND"),
        (("fly",), "invalid choice: 'fly'"),
        (("analyze",), "required: INPUT"),
        (("analyze", "absent"), "absent: No such file or directory"),
        (("analyze", "{input}", "--L", "3"), "L: '3' has no unit; write e.g. 3us"),
        (("analyze", "{input}", "--G", "4kg"), "G: unknown unit 'kg'"),
        (("analyze", "{input}", "--latency", "5us:3us"), "--latency: '5us:3us' is empty"),
        (("analyze", "{input}", "--tolerance", "x"), "--tolerance: 'x' is not a share"),
        (("analyze", "{input}", "--limit", "1ns", "--L", "3us"), "already"),
        (("analyze", "{input}", "--rendezvous", "x"), "--rendezvous: invalid choice"),
        (("analyze", "{input}", "--network", "absent.toml"), "absent.toml: No such file"),
        (("analyze", "{input}", "--threads", "-1"), "'-1' is not a number of threads"),
        (("analyze", "{input}", "--L", "-3us"), "L: '-3us' is negative"),
        (("analyze", "{input}", "--L", "1e30s"), "L: '1e30s' is out of range"),
        (("analyze", "{input}", "--S", "1e20GiB"), "S: '1e20GiB' is out of range"),
        (("analyze", "{input}", "--compute-scale", "1e308"), "write a number from 0 to 1e+06"),
        (("analyze", "{input}", "--json", "-", "--csv", "-"), "standard output takes one of them"),
        (("analyze", "{input}", "--json", "{input}/x"), "two-ranks.goal is not a directory"),
        (("analyze", "{input}", "more"), "unrecognized arguments: more (see `latitude analyze --h"),
        (("analyze", "{input}", "--lat", "1us:2us"), "unrecognized arguments"),
        (("analyze", "{input}", "--json", "/proc/no/such"), "/proc/no/such: cannot be written"),
        (("analyze", "{trace}", "--collective", "allreduce=magic"), "allreduce"),
        (("analyze", "{trace}", "--collective", "magic"), "magic"),
        (("convert", "{input}", "out.txt"), "name it .goal for GOAL text, .bin for"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(
    refused: Refused,
    two_ranks: Path,
    lulesh: Path,
    options: tuple[str, ...],
    advice: str,
    tmp_path: Path,
) -> None:
    filled = [option.format(input=two_ranks, trace=lulesh) for option in options]
    assert advice in refused(*filled, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "num_ranks 0\n",
        "num_ranks 1\nrank 0 {\na: send 4b to 0\n}\n",
        "num_ranks 2\nrank 0 {\na: send 4b to 1\n}\nrank 1 {\n}\n",
        "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n",
        "num_ranks 1\nrank 0 {\na: calc -1\n}\n",
        "num_ranks 1\nrank 0 {\n",
        "num_ranks\n",
        (
            "num_ranks 2\nrank 0 {\na: recv 4b from 1\nb: send 4b to 1\nb requires a\n}\n"
            "rank 1 {\na: recv 4b from 0\nb: send 4b to 0\nb requires a\n}\n"
        ),
    ],
)
def test_wrong_goal_files(refused: Refused, tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.goal"
    path.write_text(text)
    refused("analyze", path)


def test_summary(latitude: Run, two_ranks: Path) -> None:
    done = latitude("analyze", two_ranks, "--L", "0.5us", "--o", "0", "--G", "5ns")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "This program tolerates 16.2 ns of extra network latency" in done.stdout
    assert "T" in done.stdout
    assert "1.615 µs" in done.stdout
    assert "S = 256 KiB (default)" in done.stdout
    assert "-o DIR" in done.stdout
    assert "\x1b[" not in done.stdout


def test_summary_on_a_terminal_without_letters(latitude: Run, two_ranks: Path) -> None:
    done = latitude(
        "analyze", two_ranks, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    assert done.returncode == 0
    assert "?s" in done.stdout


def test_outputs(latitude: Run, refused: Refused, two_ranks: Path, tmp_path: Path) -> None:
    directory = tmp_path / "out"
    done = latitude("analyze", two_ranks, "-o", directory)
    assert done.returncode == 0
    assert sorted(path.name for path in directory.iterdir()) == sorted(NAMES)
    assert str(directory / "report.html") in done.stdout
    before = (directory / "analysis.json").read_bytes()
    error = refused("analyze", two_ranks, "-o", directory, "--L", "1us")
    assert "exists already; pass --force" in error
    assert (directory / "analysis.json").read_bytes() == before
    assert latitude("analyze", two_ranks, "-o", directory, "--force").returncode == 0
    assert sorted(path.name for path in directory.iterdir()) == sorted(NAMES)
    table = (directory / "curve.csv").read_text().splitlines()
    assert table[0] == "L_ns,delta_L_ns,T_ns,lambda_L,rho_L"
    assert len(table) == 102


def test_nothing_is_written_without_being_asked(
    latitude: Run, two_ranks: Path, tmp_path: Path
) -> None:
    assert latitude("analyze", two_ranks, cwd=tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_data_on_standard_output(latitude: Run, two_ranks: Path, tmp_path: Path) -> None:
    done = latitude("analyze", two_ranks, "--json", "-")
    assert document(done.stdout)["schema"] == "latitude.analysis/1"
    done = latitude("analyze", two_ranks, "--csv", "-", "--json", tmp_path / "a.json")
    assert done.stdout.startswith("L_ns,delta_L_ns,")
    assert json.loads((tmp_path / "a.json").read_text())["trace"]["ranks"] == 2


@pytest.mark.thorough
def test_results_go_into_pipes_and_devices_as_they_are(
    latitude: Run, two_ranks: Path, tmp_path: Path
) -> None:
    done = latitude("analyze", two_ranks, "--json", "/dev/stdout")
    assert "latitude.analysis/1" in done.stdout
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["/bin/cat", pipe], stdout=subprocess.PIPE, encoding="utf-8")
    assert latitude("analyze", two_ranks, "--json", pipe, "--force").returncode == 0
    assert document(reader.communicate(timeout=HANG_S)[0])["schema"] == "latitude.analysis/1"
    assert pipe.is_fifo()


def test_a_cluster_file_and_options_over_it(latitude: Run, two_ranks: Path, tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text('L = "1us"\no = "0us"\nG = "200MB/s"\nS = "1MiB"\nrendezvous = "sync"\n')
    done = latitude("analyze", two_ranks, "--network", path, "--L", "2us", "--json", "-")
    model = json.loads(done.stdout)["model"]
    assert (model["L_ns"], model["o_ns"], model["G_ns_per_byte"]) == (2000.0, 0.0, 5.0)
    assert (model["S_bytes"], model["rendezvous"], model["defaults"]) == (2**20, "sync", [])


def test_demo(latitude: Run, refused: Refused, tmp_path: Path) -> None:
    done = latitude("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "latitude-demo/report.html" in done.stdout
    assert "LULESH/lulesh.cc:186" in done.stdout
    assert 1e6 < (tmp_path / "latitude-demo" / "report.html").stat().st_size <= 1.8e6
    assert "--force" in refused("demo", cwd=tmp_path)


@pytest.mark.parametrize("suffix", [".goal", ".bin", ".goal.bin"])
def test_convert_there_and_back(
    latitude: Run, refused: Refused, lulesh: Path, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"lulesh{suffix}"
    done = latitude("convert", lulesh, path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "8 ranks" in done.stderr
    assert "exists already" in refused("convert", lulesh, path)
    network = ("--L", "3us", "--o", "5us", "--G", "0.018ns", "--S", "256KiB", "--json", "-")
    from_trace = json.loads(latitude("analyze", lulesh, *network).stdout)
    from_goal = json.loads(latitude("analyze", path, *network).stdout)
    assert from_goal["baseline"]["T_ns"] == pytest.approx(from_trace["baseline"]["T_ns"], rel=1e-12)
    assert from_goal["baseline"]["lambda_L"] == from_trace["baseline"]["lambda_L"]


def test_interruption_is_quiet(two_ranks: Path) -> None:
    code = (
        "import sys; from latitude.cli import main, analyze\n"
        "def stop(*_): raise KeyboardInterrupt\n"
        "analyze.analysed = stop\n"
        f"sys.exit(main.main(['analyze', {str(two_ranks)!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, timeout=HANG_S
    )
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, b"")


INTERRUPTED_AT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
signal.signal(signal.SIGINT, signal.default_int_handler)
from latitude.cli.main import main
sys.exit(main(sys.argv[2:]))
"""
"""A command that gets SIGINT when it begins to import the module that is its first argument."""


@pytest.mark.parametrize(
    "module", ["latitude.cli.boundary", "argparse", "latitude._core", "latitude.cli.analyze"]
)
def test_interruption_of_the_start_is_quiet(two_ranks: Path, module: str) -> None:
    words = [sys.executable, "-c", INTERRUPTED_AT, module, "analyze", str(two_ranks)]
    done = subprocess.run(words, capture_output=True, check=False, timeout=HANG_S)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_nothing_is_imported_before_ctrl_c_has_an_answer() -> None:
    own = imported_by("-c", "import latitude.cli.main") - imported_by("-c", "")
    assert own == {
        "latitude",
        "latitude.cli",
        "latitude.cli.interrupted",
        "latitude.cli.main",
    }


NOT_UTF_8 = os.fsdecode(b"d\xff")


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", "{input}", "-o", NOT_UTF_8),
        ("analyze", "{input}", "--json", f"{NOT_UTF_8}/x.json"),
        ("analyze", NOT_UTF_8),
        ("analyze", "{input}", "--topology", f"hops:{NOT_UTF_8}"),
        ("convert", "{input}", f"{NOT_UTF_8}/x.goal"),
        ("background", "synthetic", "-o", f"{NOT_UTF_8}/x.parquet"),
    ],
)
def test_a_name_that_is_not_utf_8_is_refused(
    words: tuple[str, ...], two_ranks: Path, tmp_path: Path, refused: Refused
) -> None:
    (tmp_path / NOT_UTF_8).mkdir()
    said = refused(*(word.format(input=two_ranks) for word in words), cwd=tmp_path)
    assert "d\\udcff" in said
    assert said.endswith("the name is not UTF-8; rename it")
    assert list((tmp_path / NOT_UTF_8).iterdir()) == []


def test_a_working_directory_that_is_not_utf_8_does_no_harm(
    two_ranks: Path, tmp_path: Path, latitude: Run
) -> None:
    here = tmp_path / NOT_UTF_8
    here.mkdir()
    for words in (
        ("convert", two_ranks, "x.goal"),
        ("analyze", "x.goal", "-o", "out"),
        ("forecast", "x.goal", "--latency", "constant(1us)", "--samples", 8, "-o", "samples"),
        ("lp", "x.goal", "--export", "x.mps"),
    ):
        done = latitude(*words, cwd=here)
        assert done.returncode == 0, done.stderr


def test_a_variable_that_is_not_utf_8_is_named(tmp_path: Path, refused: Refused) -> None:
    here = tmp_path / NOT_UTF_8
    here.mkdir()
    said = refused("validate", "-o", "out", "--", "true", cwd=here)
    assert "d\\udcff" in said
    assert "not UTF-8: an argument, a variable of the environment or the name of a dir" in said


def test_an_argument_of_a_program_is_its_own(tmp_path: Path, latitude: Run) -> None:
    done = latitude("trace", "-o", tmp_path / "out", "--", "true", NOT_UTF_8)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("analyze", "{input}", "-o", "out"), "the working directory: No such file or directory"),
        pytest.param(
            ("analyze", "{input}", "--json", "x"),
            "the working directory: No such file",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            ("lp", "{input}", "--export", "x.mps"),
            "the working directory: No such file",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            ("convert", "{input}", "x.goal"),
            "x.goal: cannot be written: No such file",
            marks=pytest.mark.thorough,
        ),
        pytest.param(("demo",), "the working directory: No such file", marks=pytest.mark.thorough),
    ],
)
def test_a_working_directory_that_is_gone_is_named(
    words: tuple[str, ...], says: str, two_ranks: Path, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    told = [sys.executable, "-m", "latitude", *(word.format(input=two_ranks) for word in words)]
    done = subprocess.run(
        told,
        cwd=here,
        preexec_fn=here.rmdir,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        check=False,
        timeout=HANG_S,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"latitude: error: {says}")
    assert done.stderr.count("\n") == 1


def test_convert_writes_goal_to_standard_output(two_ranks: Path, tmp_path: Path) -> None:
    """Behind what is there already; a reader that has enough ends it quietly."""
    written = tmp_path / "x.goal"
    written.write_text("// mine\n")
    for form, output in (("goal", ">> x.goal"), ("goal-binary", "> x.bin"), ("goal", "| :")):
        to = "" if form == "goal" else f"--to {form}"
        command = f"'{sys.executable}' -m latitude convert '{two_ranks}' - {to} {output}"
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(SOURCES)},
            capture_output=True,
            check=False,
            timeout=HANG_S,
            encoding="utf-8",
        )
        assert done.stderr.splitlines() in ([], [f"standard output: {OF_TWO_RANKS}"])
    assert written.read_text().startswith("// mine\nnum_ranks 2\n")
    assert package.load(tmp_path / "x.bin").graph.vertices == 6
    assert {path.name for path in tmp_path.iterdir()} == {"x.goal", "x.bin"}


OF_TWO_RANKS = "2 ranks, 6 operations, 1 message; collectives: as the GOAL file has them"


@pytest.mark.parametrize(
    "words", [("--topology", ""), ("--topology=",), ("--placement", ""), ("-o", ""), ("--json", "")]
)
def test_an_empty_value_is_refused(
    words: tuple[str, ...], two_ranks: Path, tmp_path: Path, refused: Refused
) -> None:
    """An empty value comes from an unset shell variable: -o "$OUT"."""
    option = words[0].rstrip("=")
    said = refused("analyze", two_ranks, *words, cwd=tmp_path)
    assert said.startswith(f"argument {option}: is empty; give a value or leave it out")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_input_is_not_the_working_directory(refused: Refused) -> None:
    assert refused("analyze", "").startswith("argument INPUT: is empty; give a value")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("convert", "{input}", "-", "--to", "liballprof"), "several files cannot go to standard"),
        (("analyze", "{input}", "-o", "-"), "several files cannot go to standard output"),
        (("analyze", "{input}", "--perfetto", "-"), "this result cannot go to standard output"),
        (("check", "{input}", "--tolerance", "1us at 9%", "--junit", "-"), "this result cannot"),
        (("trace", "-o", "-", "--", "true"), "several files cannot go to standard output"),
    ],
)
def test_a_dash_is_no_file(
    words: tuple[str, ...], says: str, two_ranks: Path, tmp_path: Path, refused: Refused
) -> None:
    assert says in refused(*(word.format(input=two_ranks) for word in words), cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("| :", ""),
        pytest.param(">&-", "", marks=pytest.mark.thorough),
        ("> /dev/full", "latitude: error: standard output: No space left on device\n"),
    ],
)
def test_output_that_nobody_takes_is_no_crash(two_ranks: Path, output: str, said: str) -> None:
    command = f"'{sys.executable}' -m latitude analyze '{two_ranks}' --json - {output}"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        capture_output=True,
        check=False,
        timeout=HANG_S,
        encoding="utf-8",
    )
    assert done.stderr == said


@pytest.mark.thorough
def test_a_standard_error_that_takes_nothing_changes_no_status(two_ranks: Path) -> None:
    for words, status in (("analyze absent", 2), (f"convert '{two_ranks}' -", 0)):
        command = f"'{sys.executable}' -m latitude {words} > /dev/null 2> /dev/full"
        done = subprocess.run(["/bin/sh", "-c", command], check=False, timeout=HANG_S)
        assert done.returncode == status


def test_an_error_of_our_own_says_so_in_one_line(
    two_ranks: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def breaks(*_: object) -> None:
        raise KeyError("no\n\x1b[2Jthing")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(AnalyzeCommand, "run", breaks)
    assert main(["analyze", str(two_ranks)]) == 70
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("latitude: internal error: KeyError: 'no\\n\\x1b[2Jthing'; ")
    (details,) = tmp_path.iterdir()
    assert str(details) in line
    assert "in breaks" in details.read_text()


def test_input_that_does_not_fit_into_memory_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], two_ranks: Path
) -> None:
    def is_full(_: AnalyzeCommand, __: object) -> None:
        raise MemoryError

    monkeypatch.setattr(AnalyzeCommand, "run", is_full)
    assert main(["analyze", str(two_ranks)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(two_ranks) in line
    assert "not enough memory" in line


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", "{input}", "--json", "{long}"),
        ("analyze", "{input}", "-o", "{long}"),
        ("analyze", "{long}"),
        ("campaign", "analyze", "{long}"),
        ("trace", "-o", "{long}", "--", "true"),
    ],
)
def test_a_name_that_no_file_can_have_is_named(
    words: tuple[str, ...], two_ranks: Path, tmp_path: Path, refused: Refused
) -> None:
    named = {"input": two_ranks, "long": "x" * 300}
    said = refused(*(word.format(**named) for word in words), cwd=tmp_path)
    assert "File name too long" in said


def test_links_in_a_loop_are_named(two_ranks: Path, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "loop").symlink_to("loop")
    said = refused("analyze", two_ranks, "-o", "loop", cwd=tmp_path)
    assert said.startswith("loop/report.html: cannot be written: ")


def test_a_path_that_may_not_be_looked_at_is_named(
    two_ranks: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    """Root may look at any: the system's answer is made up."""

    def denied(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", denied)
    said = refused("analyze", two_ranks, "--json", "closed/x")
    assert said == "closed/x: Permission denied"


def test_what_a_terminal_obeys_is_shown_in_errors(refused: Refused, tmp_path: Path) -> None:
    assert "␛]0;x␇" in refused("analyze", str(tmp_path / "\x1b]0;x\x07"))
    assert "␛[2J" in refused("analyze", "--\x1b[2J", "a.goal")


def test_two_results_are_not_written_into_one_file(
    refused: Refused, two_ranks: Path, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    said = refused("analyze", two_ranks, "--json", path, "--csv", tmp_path / "." / "a")
    assert "two results cannot be one file" in said
    assert not path.exists()
    directory = tmp_path / "out"
    said = refused("analyze", two_ranks, "-o", directory, "--json", directory / "analysis.json")
    assert "two results cannot be one file" in said


def test_a_word_that_is_an_option_elsewhere_is_told_by_it(refused: Refused) -> None:
    assert "did you mean 'analyze --compare'?" in refused("compare", "a", "b")
