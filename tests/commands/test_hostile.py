"""Broken and malicious input through every command that takes such a file.

Each answers or refuses it with exit status 2 and one line, within 10 s of processor time and
500 MB. `tests/hostile/README.md` lists the cases.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile.cases import CASES, Case
from support.html import is_whole
from support.limited import Ended, Limited
from support.paths import EXAMPLES, ROOT

CPU_S = 10
MEMORY = 500_000_000
HISTORY = ROOT / "tests" / "hostile" / "history.csv"
SAMPLES = HISTORY
GOAL = EXAMPLES / "two-ranks.goal"
INTRA = ("--intra", "L=0.4us,G=0.05ns")

WIRES = ("--l-wire", "1us", "--d-switch", "100ns")

# {} is the case; one command a line.
COMMANDS: dict[str, tuple[tuple[object, ...], ...]] = {
    "program": (
        ("analyze", "{}", "-o", "out"),
        ("analyze", "{}", "--incomplete"),
        ("analyze", "{}", "--replay"),
        ("forecast", "{}", "--latency", "constant(1us)", "--samples", 8),
        ("forecast", GOAL, "{}", "--suite", "--latency", "constant(1us)", "--samples", 8),
        ("diff", "{}", GOAL),
        ("lp", "{}", "--solve"),
        ("lp", "{}", "--export", "out.mps"),
        ("place", "{}", "--nodes", 2, "--cores", 2, *INTRA, "--time", "1s"),
        ("convert", "{}", "out.goal"),
        ("convert", "{}", "out.bin"),
        ("convert", "{}", "out"),
    ),
    "result": (
        ("diff", "{}", GOAL),
        ("diff", GOAL, "{}", "-o", "out"),
        ("check", GOAL, "--not-worse-than", "{}"),
        ("check", "{}", "--tolerance", "1ns at 99%"),
    ),
    "network": (
        ("analyze", GOAL, "--network", "{}"),
        ("lp", GOAL, "--network", "{}"),
        ("place", GOAL, "--nodes", 2, "--cores", 1, "--time", "1s", "--network", "{}"),
        ("forecast", GOAL, "--latency", "constant(1us)", "--samples", 8, "--network", "{}"),
    ),
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
    "queue": (("background", "now", "--queue", "{}", "--nodes", 10),),
    "topology": (("background", "locality", "n[1-2]", "--topology", "{}"),),
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


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Limited]:
    server = Limited(tmp_path_factory.mktemp("limited"), cpu_s=CPU_S, memory=MEMORY)
    yield server
    server.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_is_refused_or_answered(case: Case, tmp_path: Path, limited: Limited) -> None:
    made = case.make(tmp_path)
    for number, command in enumerate(COMMANDS[case.kind]):
        words = [str(word).replace("{}", str(made)) for word in command]
        out = tmp_path / f"out-{number}"
        ended = limited.run(*(str(out / word) if word in _OUTPUTS else word for word in words))
        _check(words, ended, answers=case.answers)
        for page in out.rglob("*.html"):
            assert is_whole(page.read_text(encoding="utf-8"))


_OUTPUTS = ("out", "out.goal", "out.bin", "out.mps", "out.dist")
_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _check(words: list[str], ended: Ended, *, answers: bool) -> None:
    said = f"{words}: {ended}"
    assert ended.status == 2 or (answers and ended.status == 0), said
    assert ended.memory <= MEMORY, said
    assert ended.cpu_s <= CPU_S, said
    assert not _RAW.search(ended.out + ended.err), said
    if ended.status == 2:
        assert ended.err.startswith("latitude: error: "), said
        assert ended.err.count("\n") == 1, said
        assert len(ended.err) < 2000, said


def test_the_table_lists_every_case() -> None:
    table = (ROOT / "tests" / "hostile" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (answer|error) \|$", table, re.MULTILINE)
    assert rows == [(case.name, case.what, "answer" if case.answers else "error") for case in CASES]


def test_names_are_those_of_one_case() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert {case.kind for case in CASES} == set(COMMANDS)
