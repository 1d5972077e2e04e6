"""The examples of CI, as they are printed: by the tools that they are for where a package index has
them (ReFrame, the schemas of workflows), else their lines in a shell.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from support.command import for_shells
from support.hanging import HANG_S
from support.mpi.tracing import Done, Tracing
from support.paths import DATA, ROOT

EXAMPLES = ROOT / "examples" / "ci"
NETWORK = 'L = "3us"\no = "1us"\nG = "0.1ns/B"\n'
FASTER, SLOWER = "3", "100"
"""ms of each round. The baseline's are between, so that a busy machine changes neither answer: on
some, the time that a virtual processor was held up counts as a program's."""
BASELINE = {"ms": "20", "TIMES": "40"}
"""So many messages that it tolerates a sixth of what the faster one does."""


@dataclass
class Project:
    """A program with its network and a baseline, and a PATH as a CI's machine has it."""

    directory: Path
    open_mpi: Tracing

    def shell(self, lines: str, ms: str = FASTER, **variables: str) -> Done:
        """Runs lines as CI does: the first that fails ends them."""
        environment = {
            **self.open_mpi.mpi.environment,
            "PATH": f"{self.directory / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(sys.path),
            "MS": ms,
            **variables,
        }
        return subprocess.run(
            ["/bin/bash", "-e", "-o", "pipefail", "-c", lines],
            cwd=self.directory,
            env=environment,
            capture_output=True,
            check=False,
            encoding="utf-8",
            timeout=HANG_S,
        )

    def make_baseline(self, network: str, ranks: int) -> None:
        """Makes the baseline with the commands of docs/commands/check.md."""
        self.directory.joinpath(network).write_text(NETWORK, encoding="utf-8")
        done = self.shell(
            f"make && latitude trace -o before --clock cpu -- mpirun -n {ranks} ./app && "
            f"latitude analyze before --network {network} --json baseline.json --force",
            **BASELINE,
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture
def project(open_mpi: Tracing, tmp_path: Path) -> Project:
    mpi = open_mpi.mpi
    programs = {
        "latitude": f'exec {for_shells()} "$@"',
        "mpirun": f'exec {mpi.launcher} "$@"',
        "sudo": "echo installed by the machine: $*",
        "pipx": "echo installed by the machine: $*",
    }
    (tmp_path / "bin").mkdir()
    for name, line in programs.items():
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)
    source = DATA / "ci" / "app.c"
    rule = f"app: {source}\n\t{mpi.mpicc} -O1 -g -o $@ $<\n"
    (tmp_path / "Makefile").write_text(rule, encoding="utf-8")
    return Project(tmp_path, open_mpi)


def example(name: str) -> Any:
    return yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "schema"), [("github-actions.yml", "github-workflows"), ("gitlab-ci.yml", "gitlab-ci")]
)
def test_what_a_ci_reads_is_as_its_schema_says(name: str, schema: str) -> None:
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run(
        [*words, EXAMPLES / name], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_lines_of_the_workflow(project: Project) -> None:
    """Also those that run always: a summary is written where the check is red, too."""
    steps = example("github-actions.yml")["jobs"]["tolerance"]["steps"]
    project.make_baseline("cluster.toml", 4)
    always = "\n".join(step["run"] for step in steps if "run" in step and "if" in step)
    lines = "\n".join(step["run"] for step in steps if "run" in step and "if" not in step)
    for ms, status in ((FASTER, 0), (SLOWER, 1)):
        done = project.shell(f"rm -rf run latency.*\n{lines}", ms)
        assert done.returncode == status, done.stdout + done.stderr
        summary = project.directory / f"summary-{status}.md"
        assert project.shell(always, GITHUB_STEP_SUMMARY=str(summary)).returncode == 0
        assert ("**fails**" in summary.read_text(encoding="utf-8")) == bool(status)
    (kept,) = (step["with"]["path"] for step in steps if "upload" in step.get("uses", ""))
    assert {path.name for path in project.directory.glob(kept)} == {"latency.md", "latency.xml"}


def test_lines_of_the_job(project: Project) -> None:
    job = example("gitlab-ci.yml")["latency"]
    project.make_baseline("cluster.toml", 4)
    for ms, status in ((FASTER, 0), (SLOWER, 1)):
        done = project.shell("\n".join(["rm -rf run latency.*", *job["script"]]), ms)
        assert done.returncode == status, done.stdout + done.stderr
        files = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
        assert all((project.directory / name).is_file() for name in files)


SETTINGS = """site_configuration = {
    "systems": [{"name": "here", "hostnames": [".*"], "modules_system": "nomod", "partitions": [
        {"name": "all", "scheduler": "local", "launcher": "mpirun", "environs": ["mpi"]}]}],
    "environments": [{"name": "mpi", "cc": "cc"}],
}
"""


def test_reframe_runs_it(project: Project) -> None:
    project.make_baseline("network.toml", 8)
    (project.directory / "src").mkdir()
    for name in ("app", "network.toml", "baseline.json"):
        (project.directory / name).rename(project.directory / "src" / name)
    (project.directory / "settings.py").write_text(SETTINGS, encoding="utf-8")
    reframe = Path(sys.executable).with_name("reframe")
    copy = f"cp {EXAMPLES / 'reframe_latency.py'} ."
    words = f"{copy}; HOME=$PWD {reframe} --nocolor -C settings.py -c reframe_latency.py -r"
    for ms, said in ((FASTER, "PASSED"), (SLOWER, "FAILED")):
        done = project.shell(words, ms)
        assert (done.returncode == 0) == (said == "PASSED"), done.stdout
        assert re.search(rf"\[\s*{said}\s*\] Ran 1/1 test case", done.stdout)


@dataclass
class Ramble:
    """Records the declarations of an application, by directive and name."""

    declared: dict[tuple[str, str], dict[str, Any]]

    def directive(self, kind: str) -> Callable[..., None]:
        def declare(name: str, *words: Any, **options: Any) -> None:
            self.declared[kind, name] = {**options, "words": words}

        return declare


DIRECTIVES = ("executable", "workload", "workload_variable", "figure_of_merit", "success_criteria")


def test_lines_of_the_application(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ramble gets the right command lines and patterns of output from an application."""
    ramble = Ramble({})
    kit = ModuleType("ramble.appkit")
    kit.__dict__["ExecutableApplication"] = object
    for kind in DIRECTIVES:
        kit.__dict__[kind] = ramble.directive(kind)
    monkeypatch.setitem(sys.modules, "ramble", ModuleType("ramble"))
    monkeypatch.setitem(sys.modules, "ramble.appkit", kit)
    text = (EXAMPLES / "ramble_application.py").read_text(encoding="utf-8")
    exec(compile(text, "application.py", "exec"), {"__name__": "application"})  # noqa: S102

    project.make_baseline("network.toml", 4)
    variables = {
        name: found["default"]
        for (kind, name), found in ramble.declared.items()
        if kind == "workload_variable"
    }
    assert sorted(variables) == ["baseline", "network", "program"]
    lines = ["rm -rf run"]
    for name in ramble.declared["workload", "app"]["executables"]:
        found = ramble.declared["executable", name]
        line = found["words"][0].format(**variables)
        lines.append(f"mpirun -n 4 {line}" if found["use_mpi"] else line)
    criterion = ramble.declared["success_criteria", "demands"]["match"]
    merit = ramble.declared["figure_of_merit", "tolerance at 1%"]["fom_regex"]
    for ms, holds in ((FASTER, True), (SLOWER, False)):
        done = project.shell("\n".join(lines), ms)
        assert (done.returncode == 0) == holds, done.stdout + done.stderr
        said = done.stdout.splitlines()
        assert any(re.search(criterion, line) for line in said) == holds
        assert any(re.search(merit, line) for line in said)


def test_each_example_has_its_test() -> None:
    """No example is left without a test here."""
    names = {path.name for path in EXAMPLES.iterdir() if path.is_file()}
    assert names == {
        "github-actions.yml", "gitlab-ci.yml", "reframe_latency.py", "ramble_application.py",
    }  # fmt: skip
