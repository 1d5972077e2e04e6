"""Compares the terminal output of commands with wording.txt, in which times and numbers are #.

    LATITUDE_WORDING=write .venv/bin/python -m pytest tests/commands/test_wording.py

writes the file again; read it before you commit it. Other tests assert on data.
"""

import difflib
import os
import re
import shlex
import shutil
import textwrap
from pathlib import Path

import numpy as np
import pytest

from latitude.cli.main import main
from support.paths import DATA, EXAMPLES

WORDING = Path(__file__).with_name("wording.txt")
WRITES = os.environ.get("LATITUDE_WORDING") == "write"
TRACE, GOAL = "lulesh-8-i20-s8.tar.xz", "two-ranks.goal"
TREE = "fat-tree:k=4,tiers=2 --l-wire 274ns --d-switch 108ns"
ANSWERS = (
    f"analyze {TRACE}",
    f"analyze {GOAL} -o page --force",
    f"analyze {GOAL} --gap send --g 1us --topology {TREE}",
    f"analyze {TRACE} --compare allreduce=ring,recursive-doubling",
    f"diff {TRACE} {TRACE}",
    f"diff {TRACE} {GOAL}",
    f"forecast {GOAL} --latency exponential(mean=1us) --samples 200 --seed 1",
    f"check {GOAL} --tolerance '1us at 50%' --efficiency 'parallel >= 0.1 at L=10us'",
    f"place {GOAL} --topology {TREE} --nodes 4",
    f"lp {GOAL} --solve",
    f"convert {GOAL} out.goal",
    "synthesize cg --ranks 4 --calls 280 -o cg",
    "synthesize nccl --ranks 4 --algorithm tree -o tree.goal",
    "synthesize llm --layers 2 --hidden 256 --heads 4 --tp 2 --sequence 64 -o llm.bin",
    "analyze cg --stream --L 3us",
    "analyze cg --no-path --L 3us",
    "fit --distribution gamma(mean=5us,sd=2us) --table gamma.dist",
    "stats tail busy.csv",
    "stats compare calm.csv busy.csv",
    "background now --queue queue.json --nodes 10",
)
REFUSALS = (
    "analyze",
    "analyze absent.goal",
    f"analyze {GOAL} --L 3",
    f"analyze {GOAL} --topology hypercube",
    f"analyze {GOAL} --topology fat-tree",
    f"analyze {GOAL} --no-path",
    "analyze cg --no-path --in-memory",
    f"forecast {GOAL}",
    f"forecast {GOAL} --latency exponential(mean=1)",
    f"lp {GOAL}",
    "convert calm.csv other.goal",
    "fit queue.json",
    "stats tail queue.json",
    "background now --queue calm.csv --nodes 10",
    "campaign run calm.csv",
)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with the files that the commands name."""
    shutil.copy(EXAMPLES / TRACE, tmp_path)
    shutil.copy(EXAMPLES / GOAL, tmp_path)
    shutil.copy(DATA / "squeue" / "24.05.json", tmp_path / "queue.json")
    shares = (np.arange(400) + 0.5) / 400
    for name, factor in (("calm", 1), ("busy", 3)):
        values = 2_000 - factor * 1_000 * np.log1p(-shares)
        rows = [f"{value:.0f}" for value in values]
        (tmp_path / f"{name}.csv").write_text("\n".join(["latency_ns", *rows]) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.usefixtures("files")
def test_commands_say_what_is_written_down(capsys: pytest.CaptureFixture[str]) -> None:
    said = "\n".join(_said(line, capsys) for line in (*ANSWERS, *REFUSALS))
    if WRITES:
        WORDING.write_text(said, encoding="utf-8")
    written = WORDING.read_text(encoding="utf-8")
    assert said == written, "\n".join(
        difflib.unified_diff(written.splitlines(), said.splitlines(), "written", "said", "", "", 1)
    )


def _said(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The command, its words and exit status.

    Lines end and columns are as wide as numbers want it, so paragraphs are filled anew.
    """
    try:
        status = main(shlex.split(line))
    except SystemExit as stop:
        status = int(stop.code or 0)
    out, err = capsys.readouterr()
    words = re.sub(r"[─-█]+", "", f"{out}{err}")
    words = re.sub(r"\d[\d,.]*(?:e[+-]?\d+)?(?: (?:ns|µs|ms|s)\b)?", "#", words)
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", words))
    kept = "\n\n".join(textwrap.fill(part, 100) for part in paragraphs if part)
    return f"$ latitude {line}\n\n{kept}\n\n(exit status {status})\n"
