"""`latitude analyze`, asked for everything at once, on programs that nobody has seen before:
an answer comes within limits of processor time and memory, and no section is left out.

1,000 programs are drawn; LATITUDE_ORACLE_PROGRAMS=3000 draws more of them.
"""

import json
import lzma
import math
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from latitude import _core
from latitude.sections import SECTIONS
from support.forked import Ended, Forked, Limits
from support.oracle.programs import racing_program, random_program
from support.oracle.threaded_programs import random_threads
from support.oracle.traced_programs import random_trace
from support.oracle.unordered_goal import independent_program, unordered_program
from support.paths import DATA, TRACES
from support.random_jobs import random_job, write_recorded
from support.schemas import document
from support.tiers import first_of

CHUNK = 25
"""The first so many programs have some of every kind."""
PROGRAMS = int(os.environ.get("LATITUDE_ORACLE_PROGRAMS", "1000"))
PAGES = 10
"""One in this many programs also gets a page, and its JSON is held against the schema."""
TABLES = 4
"""One in this many is told in words, others as JSON on standard output."""
LIMITS = Limits(cpu_s=5, memory=400_000_000)
READINGS = ("handshake", "put", "get", "llamp", "sync")
TREE = "fat-tree:k=4,tiers=2"
RULES = """
[[link]]
where = "same node"
L = "2ns"
S = "16B"

[[link]]
where = "different group and same rail"
L = "40ns"
G = "0.5ns"

[[link]]
where = "different group"
L = "60ns"

[places]
nodes_per_group = 2
rails_per_node = 2

[placement]
ranks_per_node = 2
"""


@pytest.fixture(scope="module")
def commands() -> Iterator[Forked]:
    server = Forked(dict(os.environ))
    yield server
    server.close()


def written(rng: Random, folder: Path) -> tuple[Path, bool]:
    """A program of any kind, and whether it is GOAL."""
    kind = rng.randrange(10)
    if kind == THREADS:
        random_threads(rng, messages=12, collectives=4).write(folder)
        return folder, False
    if kind >= RECORDED:
        folder = folder / JOB_FOLDER
        folder.mkdir()
        return write_recorded(rng, folder), False
    if kind == 0:
        for rank, text in enumerate(random_trace(rng, messages=12, collectives=5)):
            (folder / f"trace.{rank}").write_text(text)
        return folder, False
    if kind == 1:
        path = folder / JOB
        _core.graph_format("goal").write(random_job(rng), str(path), 0)
        return path, True
    path = folder / "program.goal"
    texts = {
        2: lambda: random_program(rng).text(rng),
        3: lambda: racing_program(rng).text(),
        4: lambda: unordered_program(rng),
    }
    path.write_text(texts.get(kind, lambda: independent_program(rng, rng.randint(5, 80)))())
    return path, True


def options(rng: Random, *, goal: bool) -> list[str]:
    """Random questions, and a random network."""
    place = rng.randrange(5)
    latency = f"--L={rng.choice(['0ns', '10ns', '1us'])}"
    chosen = ["--topology", TREE, "--l-wire=30ns", "--d-switch=11ns"] if place == 0 else [latency]
    chosen += ["--intra", "L=2ns,G=0.01ns", "--ranks-per-node=2"] if place == 1 else []
    chosen += ["--network", "rules.toml"] if place == 2 else []
    chosen += [f"--o={rng.choice(['0ns', '7ns', '50ns'])}"]
    chosen += [f"--G={rng.choice(['0ns', '0.25ns'])}", f"--S={rng.choice([4, 8, 1024])}B"]
    chosen += ["--rendezvous", rng.choice(READINGS)]
    gap = rng.choice(["none", "send", "both"])
    chosen += [] if gap == "none" else ["--gap", gap, f"--g={rng.choice(['0ns', '20ns'])}"]
    maybe = {
        "--O=0.5ns": 0.3,
        "--S-isend=16B": 0.2,
        "--what-if=balanced": 0.3,
        "--tolerance=0.3%,7%,90%": 0.3,
        "--limit=1s": 0.2,
        "--critical=3": 0.2,
    }
    chosen += [option for option, share in maybe.items() if rng.random() < share]
    if goal:
        chosen += ["--cpu-order", rng.choice(["baseline", "baseline", "file", "none"])]
    elif rng.random() < 0.3:
        chosen += ["--async-progress"]
    if rng.random() < 0.3:
        chosen += ["--sweep", rng.choice(["G", "o"])]
    return chosen


def expected(left_out: dict[str, str]) -> bool:
    """Whether a section may be missing: sliders have few sweeps, and threads have no iterations."""
    named, why = left_out["what"], left_out["why"]
    return (named == SECTIONS["sliders"] and "sweeps give T within" in why) or (
        named == SECTIONS["iterations"] and "several threads" in why
    )


def checked(found: dict[str, Any]) -> None:
    """Checks properties that each result has, whatever the program."""
    runtime, waits = found["baseline"]["T_ns"], found["waits"]
    assert math.isfinite(runtime)
    assert max(found["curve"]["T_ns"]) >= runtime * (1 - 1e-9)
    assert np.all(np.diff(found["curve"]["T_ns"]) >= -1e-9 * runtime)
    for limit in found["tolerance"]:
        assert limit["T_limit_ns"] >= runtime * (1 - 1e-9)
    path = [step["end_ns"] - step["start_ns"] for step in found["critical_path"]]
    if found["cpu_gaps"] is not None:
        checked_job(found)
        return
    assert [each for each in found["left_out"] if not expected(each)] == []
    ends = [rank["end_ns"] for rank in waits["by_rank"]]
    assert max(ends, default=0.0) == pytest.approx(runtime, rel=1e-9, abs=1e-6)
    for each in found["sliders"]["alternatives"] if found["sliders"] else []:
        assert each["T_ns"] == pytest.approx(runtime, rel=1e-9)
        assert each["error"] <= 0.05
    waited = sum(row["ns"] for row in waits["times"] if row["what"] not in ACTIVE)
    delayed = sum(row["direct_ns"] + row["indirect_ns"] for row in waits["delays"])
    assert waits["unexplained_ns"] == 0
    assert delayed == pytest.approx(waited, rel=1e-9, abs=1e-6)
    assert sum(path) == pytest.approx(runtime, rel=1e-9, abs=1e-6)


def checked_job(found: dict[str, Any]) -> None:
    """Checks properties of each job with whole collectives."""
    left_out = {each["what"]: each["why"] for each in found["left_out"]}
    left_out.pop(SECTIONS["sliders"])
    assert set(left_out.values()) == {OF_CALLS}
    runtime = found["baseline"]["T_ns"]
    for row in found["cpu_gaps"]["bounds"]:
        parts = row["cpu_ns"] + row["gpu_ns"] + row["communication_ns"]
        assert parts == pytest.approx(row["T_ns"], rel=1e-9, abs=1e-6)
    groups = found["job_collectives"]["groups"]
    for row in groups:
        spent = row["waiting_ns"] + row["transfer_ns"]
        assert -1e-6 <= row["exposed_ns"] <= spent * (1 + 1e-9) + 1e-6
    latencies = sum(row["lambda_L"] for row in groups)
    deltas = [row["delta"] for row in found["job_algorithms"]]
    assert deltas == sorted(deltas)
    for row in found["job_algorithms"]:
        assert row["T_ns"] >= runtime * (1 - 1e-9)
        assert row["faster_slope"] < row["slope"] or row["delta"] == 0
    modules = found["job_modules"]
    if modules:
        parts = sum(m["cpu_ns"] + m["gpu_ns"] + m["communication_ns"] for m in modules)
        assert parts == pytest.approx(runtime, rel=1e-9, abs=1e-6)
        assert sum(m["lambda_L"] for m in modules) == pytest.approx(latencies)


OF_CALLS = "a job has no MPI calls and no messages"
RECORDED = 7
"""Kinds of programs from here on are jobs with whole collectives."""
THREADS = 9
"""The kind of programs whose threads call MPI."""
JOB_FOLDER = "job"
ACTIVE = ("computation", "overhead", "transfer")
JOB = "job.goal"
"""Name of what runs in any order of CPUs and NICs that the file has."""


def text_of(path: Path) -> str:
    """The program, to be tried again."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return "\n".join(each.read_text(errors="replace") for each in files)


@pytest.mark.parametrize("first", first_of(range(0, PROGRAMS, CHUNK)))
def test_random_programs(first: int, commands: Forked, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(RULES)
    asked = [drawn(seed, tmp_path) for seed in range(first, first + CHUNK)]
    every = commands.run_each(
        [words for _, words in asked], cwd=tmp_path, environment=os.environ, limits=LIMITS
    )
    refused = 0
    for number, ((path, words), ended) in enumerate(zip(asked, every, strict=True)):
        about = f"{' '.join(words)}\n{text_of(path)}\n{ended.err}"
        assert ended.cpu_s <= LIMITS.cpu_s, about
        if ended.status == 2:
            refused += 1
            assert path.name != JOB, about
            assert ended.err.count("\n") == 1, about
            assert any(reason in ended.err for reason in REASONS), about
            continue
        assert ended.status == 0, about
        text = ended.out if words[-1] == "-" else Path(words[-1]).read_text()
        try:
            checked(document(text) if number % PAGES == 0 else json.loads(text))
        except AssertionError as error:
            raise AssertionError(f"{error}\n{about}") from error
    assert refused <= CHUNK // 4


def drawn(seed: int, base: Path) -> tuple[Path, list[str]]:
    """A program and the words that ask for all of it; the last says where the JSON goes."""
    rng = Random(seed)
    folder = base / str(seed)
    folder.mkdir()
    path, goal = written(rng, folder)
    words = ["analyze", str(path), *options(rng, goal=goal)]
    if path.name == JOB_FOLDER:
        words += of_collectives(rng, words)
    if seed % PAGES == 0:
        words += ["-o", str(base / f"page-{seed}")]
    return path, [*words, "--json", str(base / f"found-{seed}") if seed % TABLES == 0 else "-"]


def of_collectives(rng: Random, words: list[str]) -> list[str]:
    """Random questions about a job's algorithms and nodes."""
    asked = [f"--what-if=nccl={rng.choice([0, 3, 500])}ns"] if rng.random() < 0.6 else []
    if "--intra" in words and rng.random() < 0.7:
        asked.append(f"--what-if=ranks-per-node={rng.choice([1, 3, 4])}")
    if rng.random() < 0.3:
        asked += ["--nccl", rng.choice(["gpu=ampere", "version=2.18,channels=2", "cpu=amd"])]
    return asked


REASONS = (
    "in the order of the file",  # operations wait in a cycle then
    "wait for each other",
    "cannot run",
    "took less than their latencies",  # recorded transfers, on a network with a large L
    "took less than its links cost",
)
"""Why a program that can run in some order may be refused."""


SCHEDULES = sorted((DATA / "schedgen").glob("*.goal.xz"))
SHARED = sorted(TRACES.glob("*.tar.xz")) + sorted(TRACES.glob("goal/*.goal.xz"))
"""Real programs that the checkout has beside it."""


def proportional(path: Path) -> Limits:
    """Limits for a program that grow with the size of its compressed file."""
    size = path.stat().st_size
    return Limits(cpu_s=10 + size // 100_000, memory=400_000_000 + 400 * size)


def check_file(path: Path, commands: Forked, folder: Path) -> None:
    """All of a file, with its page."""
    given = path
    if path.name.endswith(".goal.xz"):
        given = folder / path.stem
        given.write_bytes(lzma.decompress(path.read_bytes()))
    words = ["analyze", str(given), "--json", "found", "-o", "page", "--o=50ns", "--L=1us"]
    limits = proportional(path)
    ended: Ended = commands.run(words, cwd=folder, environment=os.environ, limits=limits)
    assert ended.status == 0, ended.err
    assert ended.cpu_s <= limits.cpu_s
    checked(document((folder / "found").read_text()))
    assert (folder / "page" / "report.html").is_file()


@pytest.mark.thorough
@pytest.mark.parametrize("path", first_of(SCHEDULES), ids=lambda path: path.name)
def test_files_of_schedgen(path: Path, commands: Forked, tmp_path: Path) -> None:
    check_file(path, commands, tmp_path)


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("path", SHARED, ids=lambda path: path.name)
def test_real_programs(path: Path, commands: Forked, tmp_path: Path) -> None:
    check_file(path, commands, tmp_path)
