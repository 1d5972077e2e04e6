"""Broken and malicious input through every command that takes such a file.

Each answers or refuses it with exit status 2 and one line, within 10 s of processor time and
500 MB. `tests/hostile/README.md` lists the cases.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hostile.cases import CASES, Case
from latitude.cli import commands
from latitude.cli.command import Command, Group
from latitude.cli.commands import build_parser
from latitude.units.options import options_of
from support.forked import Ended, Forked, Limits
from support.html import is_whole
from support.paths import EXAMPLES, TESTS

LIMITS = Limits(cpu_s=10, memory=500_000_000)
HISTORY = TESTS / "hostile" / "history.csv"
SAMPLES = HISTORY
GOAL = EXAMPLES / "two-ranks.goal"
NOWHERE = ("--", "latitude-no-launcher")
"""A command that there is none of: what is wrong with a file is said before it is run."""
ASKED = ("--collective", "barrier")
INTRA = ("--intra", "L=0.4us,G=0.05ns")

WIRES = ("--l-wire", "1us", "--d-switch", "100ns")

# {} is the case; one command a line.
READERS: tuple[tuple[object, ...], ...] = (
    ("analyze", "{}", "-o", "out"),
    ("analyze", "{}", "--incomplete"),
    ("convert", "{}", "out"),
    ("measure", "loggps", "--trace", "{}", *NOWHERE),
    ("validate", "--trace", "{}", "-o", "out", *NOWHERE),
)
"""Commands that read a program in ways of their own. The others load it as `analyze` does."""

COMMANDS: dict[str, tuple[tuple[object, ...], ...]] = {
    "program": (
        *READERS,
        ("analyze", "{}", "--replay"),
        ("forecast", "{}", "--latency", "constant(1us)", "--samples", 8),
        ("diff", "{}", GOAL),
        ("check", "{}", "--tolerance", "1us at 99%"),
        ("scaling", "{}", GOAL),
        ("lp", "{}", "--solve"),
        ("lp", "{}", "--export", "out.mps"),
        ("place", "{}", "--nodes", 2, "--cores", 2, *INTRA, "--time", "1s"),
        ("map", "{}", "--vary", "L=1us:2us", "--sweeps", 4),
        ("convert", "{}", "out.goal"),
        ("convert", "{}", "out.bin"),
    ),
    "result": (
        ("diff", "{}", GOAL),
        ("diff", GOAL, "{}", "-o", "out"),
        ("diff", GOAL, GOAL, "--also-a", "{}"),
        ("diff", GOAL, GOAL, "--also-b", "{}"),
        ("scaling", GOAL, "{}"),
        ("check", GOAL, "--not-worse-than", "{}"),
        ("check", "{}", "--tolerance", "1ns at 99%"),
        ("explain", "{}"),
        ("analyze", "{}", "-o", "out"),
    ),
    "network": (
        ("analyze", GOAL, "--network", "{}"),
        ("lp", GOAL, "--solve", "--network", "{}"),
        ("place", GOAL, "--nodes", 2, "--cores", 1, "--time", "1s", "--network", "{}"),
        ("forecast", GOAL, "--latency", "constant(1us)", "--samples", 8, "--network", "{}"),
        ("check", GOAL, "--tolerance", "1ns at 99%", "--network", "{}"),
        ("diff", GOAL, GOAL, "--network", "{}"),
        ("scaling", GOAL, GOAL, "--network", "{}"),
        ("map", GOAL, "--vary", "L=1us:2us", "--sweeps", 4, "--network", "{}"),
        ("demo", "--network", "{}", "-o", "out"),
        ("run", "--network", "{}", "-o", "out", *NOWHERE),
        ("validate", "--network", "{}", "-o", "out", *NOWHERE),
        ("network", "use", "{}"),
        ("measure", "loggps", "--rules", "{}", *NOWHERE),
    ),
    "checkpoint": (("analyze", GOAL, "--checkpoint", "{}"),),
    "hop matrix": (("analyze", GOAL, "--topology", "hops:{}", *WIRES),),
    "campaign": (("campaign", "run", "{}", "--dry-run"), ("campaign", "analyze", "{}")),
    "samples": (
        ("stats", "tail", "{}", "--unit", "us"),
        ("stats", "tail", SAMPLES, "--reference", "{}", "--unit", "us"),
        ("stats", "compare", "{}", "{}"),
        ("fit", "{}", "--budget", "1s", "--threads", 1),
        ("background", "correlate", "{}"),
        ("background", "advise", "{}", "--collective", "barrier", "--b", "0.5"),
        ("forecast", GOAL, "--background", "{}", "--at", "0.5", "--of", "barrier"),
        ("forecast", GOAL, "--latency", "empirical:{}", "--samples", 8),
    ),
    "table of runs": (("stats", "correlate", "{}", "--x", "x", "--y", "y"),),
    "queue": (
        ("background", "now", "--queue", "{}", "--nodes", 10),
        ("background", "around", "--queue", "{}", "--nodes", 10, *NOWHERE),
        ("background", "advise", HISTORY, *ASKED, "--queue", "{}", "--nodes", 10),
    ),
    "topology": (
        ("background", "locality", "n[1-2]", "--topology", "{}"),
        ("background", "advise", HISTORY, *ASKED, "--b", "1", "--on", "n[1-2]", "--topology", "{}"),
        *(
            ("measure", what, "--topology", "{}", "-o", "out", *NOWHERE)
            for what in ("pingpong", "barrier", "collective")
        ),
    ),
    "hostfile": (
        ("analyze", GOAL, "--placement", "file:{}", *INTRA),
        ("analyze", GOAL, "--placement", "numbered:0:{}", *INTRA),
    ),
    "latency table": (
        ("forecast", GOAL, "--latency", "{}", "--unit", "us", "--samples", 8),
        ("inject", "--flow", "{}", "--unit", "us", "--", "true"),
        ("inject", "--verbs", "{}", "--unit", "us", "--", "true"),
        ("fit", "--distribution", "table:{}", "--table", "out.dist"),
    ),
    "watched": (
        ("background", "correlate", HISTORY, "--watched", "{}"),
        ("background", "advise", HISTORY, "--watched", "{}", "--collective", "barrier", "--b", 1),
    ),
    "campaign directory": (
        ("campaign", "analyze", "{}"),
        ("campaign", "worker", "{}", "--run", "0"),
    ),
    "samples of a forecast": (
        ("forecast", GOAL, "--latency", "constant(1us)", "--samples", 8, "--resume", "-o", "{}"),
    ),
}


WRITTEN = {
    *(
        "-o",
        "--json",
        "--csv",
        "--junit",
        "--markdown",
        "--export",
        "--certificate",
        "--scratch",
        "--table",
        "--family",
        "--perfetto",
    ),
    "--mpicc",  # is run
}
UNREAD = {
    ("convert", "output"): "is written",
    ("trace", "--pack"): "is a folder of rank files, which the cases of traces have one by one",
    ("campaign worker", "--list"): "is made by Latitude for its own workers",
    ("campaign analyze", "--network"): "needs a campaign that has been run",
    ("background around", "--samples"): "is what the command has written that it runs",
}
"""Options and arguments that are files, and why no case is given for them."""


Limited = Callable[[list[list[str]]], Iterator[Ended]]
_ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""So that libraries reserve no more memory than they use."""


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    """Runs commands one after the other, each within the limits."""
    directory = tmp_path_factory.mktemp("limited")
    environment = {**os.environ, **_ENVIRONMENT, "XDG_CONFIG_HOME": str(directory)}
    server = Forked(environment)

    def run(commands: list[list[str]]) -> Iterator[Ended]:
        texts = [[os.fsdecode(word) for word in words] for words in commands]
        return server.run_each(texts, cwd=directory, environment=environment, limits=LIMITS)

    yield run
    server.close()


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_is_refused_or_answered(case: Case, tmp_path: Path, limited: Limited) -> None:
    made = case.make(tmp_path)
    asked = READERS if case.dear else COMMANDS[case.kind]
    outs = [tmp_path / f"out-{number}" for number in range(len(asked))]
    commands = [
        [_word(word, made, out) for word in command]
        for command, out in zip(asked, outs, strict=True)
    ]
    for words, out, ended in zip(commands, outs, limited(commands), strict=True):
        _check(words, ended, answers=case.answers)
        if ended.status == 2 and not case.answers:
            named = made.name in ended.err or str(made.parent) in ended.err
            assert named, f"{words}: {ended}"
        for page in out.rglob("*.html"):
            assert is_whole(page.read_text(encoding="utf-8"))


def _word(word: object, made: Path, out: Path) -> str:
    return str(out / word) if word in _OUTPUTS else str(word).replace("{}", str(made))


_OUTPUTS = ("out", "out.goal", "out.bin", "out.mps", "out.dist")
_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _check(words: list[str], ended: Ended, *, answers: bool) -> None:
    said = f"{words}: {ended}"
    assert ended.status == 2 or (answers and ended.status == 0), said
    assert ended.memory <= LIMITS.memory, said
    assert ended.cpu_s <= LIMITS.cpu_s, said
    assert not _RAW.search(ended.out + ended.err), said
    if ended.status == 2:
        assert ended.err.startswith("latitude: error: "), said
        assert ended.err.count("\n") == 1, said
        assert len(ended.err) < 2000, said


def test_the_table_lists_every_case() -> None:
    table = (TESTS / "hostile" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (answer|error) \|$", table, re.MULTILINE)
    assert rows == [(case.name, case.what, "answer" if case.answers else "error") for case in CASES]


def test_each_file_that_a_command_reads_is_given_the_cases() -> None:
    given = {each for lines in COMMANDS.values() for line in lines for each in _given(line)}
    assert {each for each in _files() if each not in given} == set(UNREAD)


def _files() -> Iterator[tuple[str, str]]:
    """Each command and what it takes that may be a file to read."""
    for name in commands.SUMMARIES:
        chosen = commands.command(name)
        actions = (*chosen.actions, *chosen.hidden) if isinstance(chosen, Group) else ()
        leaves: list[tuple[str, Command]] = [(f"{name} {each.name}", each) for each in actions]
        for words, leaf in leaves or [(name, chosen)]:
            for field, option, _ in options_of(leaf.options):
                called = field if option.positional else option.typed(field)
                if option.parse is Path and called not in WRITTEN:
                    yield words, called


def _given(line: tuple[object, ...]) -> Iterator[tuple[str, str]]:
    """The command, and what of it is the case."""
    parsed = build_parser(str(line[0])).parse_args([str(word) for word in line])
    name = parsed.parser.prog.removeprefix("latitude ")
    for option in parsed.parser._actions:  # noqa: SLF001
        value = getattr(parsed, option.dest, None)
        if Path("{}") in (value if isinstance(value, list) else [value]):
            yield name, option.option_strings[-1] if option.option_strings else option.dest


@pytest.mark.thorough
def test_names_are_those_of_one_case() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert {case.kind for case in CASES} == set(COMMANDS)
