"""The wheel and the source archive as others get them, and the recipes of other packagers."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
import yaml
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from support.hanging import HANG_S
from support.mpi.lat_format import read_run
from support.mpi.library import by_standard, mpich_5, standard_program
from support.paths import EXAMPLES, ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WHEELS = ROOT / "build" / "wheels"
OF_THE_SYSTEM = {
    "libgcc_s.so.1",
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "ld-linux-x86-64.so.2",
}
NOT_PACKED = (".ci/", "fuzz/")
"""Folders that the source archive lacks."""
TRACER = "latitude/data/abi/libtracer.so"
"""Path of the tracer for the standard's binary interface."""
BUILDERS = ("cc", "gcc", "c++", "g++", "clang", "cmake", "ninja", "make")


@pytest.fixture(scope="module")
def wheel() -> Path:
    found = list(WHEELS.glob("latitude-*.whl"))
    assert len(found) == 1, f"{WHEELS} has {len(found)} wheels of Latitude; run make test"
    return found[0]


def _program(name: str) -> str:
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert found, f"{name} is missing"
    return found


def _tracked(*folders: str) -> Iterator[str]:
    done = subprocess.run(
        [_program("git"), "ls-files", "-z", *folders],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    yield from filter(None, done.stdout.split("\0"))


def test_a_wheel_is_for_other_machines_and_pythons(wheel: Path) -> None:
    _, _, _, tags = parse_wheel_filename(wheel.name)
    assert all(tag.platform.startswith("manylinux_") for tag in tags)
    one = f"cp3{sys.version_info.minor}"
    expected = ("cp312", "abi3") if sys.version_info >= (3, 12) else (one, one)
    assert {(tag.interpreter, tag.abi) for tag in tags} == {expected}


def test_a_wheel_has_the_sources_and_needs_no_library_of_cxx(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if not name.endswith("/")}
        (module,) = (name for name in packed if re.match(r"latitude/_core.*\.so$", name))
        for library in (module, TRACER):
            assert _needed(archive.read(library)) <= OF_THE_SYSTEM
        for name in _tracked("src/latitude"):
            inside = archive.read(name.removeprefix("src/"))
            assert inside == (ROOT / name).read_bytes(), f"{name}: not of this tree; run make test"
    shipped = {"examples": "latitude/data/examples", "runtime": "latitude/data/runtime"}
    for folder, where in shipped.items():
        expected = {name.replace(folder, where, 1) for name in _tracked(folder)}
        assert {name for name in expected if "/tests/" not in name} <= packed
    assert not any("/tests/" in name for name in packed)
    (licences,) = {str(PurePosixPath(name).parent) for name in packed if name.endswith("/NOTICE")}
    assert f"{licences}/LICENSE" in packed


def _needed(library: bytes) -> set[str]:
    """Names of the libraries that one is linked to."""
    dynamic = ELFFile(io.BytesIO(library)).get_section_by_name(".dynamic")
    assert isinstance(dynamic, DynamicSection)
    return {tag.needed for tag in dynamic.iter_tags("DT_NEEDED")}  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and what it needs, without the network."""
    made = tmp_path_factory.mktemp("clean") / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    words: list[str | Path] = ["--python", made / "bin" / "python", "install", "--quiet"]
    words += ["--no-index", "--find-links", WHEELS, wheel]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True, timeout=HANG_S)
    return made


def _run(
    clean: Path, directory: Path, *words: object, **more: str
) -> "subprocess.CompletedProcess[str]":
    """Runs a command with only the environment's own programs in PATH."""
    environment = {"PATH": str(clean / "bin"), "HOME": str(directory), "LANG": "C.UTF-8", **more}
    assert not any(shutil.which(name, path=environment["PATH"]) for name in BUILDERS)
    return subprocess.run(
        [clean / "bin" / "latitude", *map(str, words)],
        cwd=directory,
        env=environment,
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=HANG_S,
    )


def test_the_wheel_alone_answers_without_a_compiler(clean: Path, tmp_path: Path) -> None:
    done = _run(clean, tmp_path, "demo")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    page = (tmp_path / "latitude-demo" / "report.html").read_text(encoding="utf-8")
    assert "</html>" in page
    network = ("--o", "0ns", "--G", "5ns", "--L", "0.5us", "--latency", "0us:2us")
    words = ("analyze", EXAMPLES / "two-ranks.goal", *network, "--json", "-")
    done = _run(clean, tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["baseline"]["T_ns"] == pytest.approx(1615.0)


def test_the_wheel_alone_traces_programs_of_the_standard_s_interface(
    clean: Path, builds: Path, tmp_path: Path
) -> None:
    """The wheel brings the tracer, so neither a compiler nor mpicc is needed."""
    library = by_standard(mpich_5(builds))
    program = standard_program("pingpong.c")
    command = library.run(2, program, tmp_path, 1, 8, 0)
    tools = tmp_path / "tools"  # of the C library's own, which tells what programs are linked to
    tools.mkdir()
    (tools / "ldd").symlink_to(_program("ldd"))
    settings = {**library.settings, "PATH": f"{clean / 'bin'}:{tools}"}
    done = _run(clean, tmp_path, "trace", "-o", "run", "--", *command, **settings)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / ".cache").exists()  # nothing was built
    counts = [rank.counts["MPI_Send"] for rank in read_run(tmp_path / "run")]
    assert counts == [170, 170]
    done = _run(clean, tmp_path, "analyze", "run", "--L", "1s", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["baseline"]["lambda_L"] >= 2 * 170


def test_the_wheel_alone_says_what_an_extra_would_bring(clean: Path, tmp_path: Path) -> None:
    (tmp_path / "samples.csv").write_text("latency_ns\n1\n2\n", encoding="utf-8")
    done = _run(clean, tmp_path, "fit", "samples.csv")
    assert done.returncode == 2
    assert "pip install 'latitude[full]'" in done.stderr
    assert _run(clean, tmp_path, "doctor").returncode in {0, 1}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source archive, made offline by the package's build backend."""
    into = tmp_path_factory.mktemp("source")
    line = f"from scikit_build_core.build import build_sdist; build_sdist({str(into)!r})"
    subprocess.run([sys.executable, "-c", line], cwd=ROOT, check=True, timeout=HANG_S)
    (archive,) = into.glob("*.tar.gz")
    subprocess.run(["/bin/tar", "-xf", archive, "-C", into], check=True)
    return into / archive.name.removesuffix(".tar.gz")


def test_the_source_archive_has_every_file(source: Path) -> None:
    packed = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    tracked = {name for name in _tracked() if not name.startswith(NOT_PACKED)}
    assert tracked <= packed
    for name in tracked:
        assert (source / name).read_bytes() == (ROOT / name).read_bytes()


def test_the_source_archive_is_made_ready_to_build_offline(source: Path, tmp_path: Path) -> None:
    """Up to the compiler: CMake names a source that is missing."""
    nanobind = [sys.executable, "-m", "nanobind", "--cmake_dir"]
    where = subprocess.run(nanobind, capture_output=True, check=True, text=True).stdout.strip()
    words: list[str | Path] = [_program("cmake"), "-S", source, "-B", tmp_path, "-G", "Ninja"]
    words += [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={where}"]
    words += ["-DLATITUDE_MODULE=ON", f"-DCMAKE_MAKE_PROGRAM={_program('ninja')}"]
    nowhere = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    done = subprocess.run(
        words,
        env={**os.environ, **nowhere},
        capture_output=True,
        check=False,
        text=True,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    build = (tmp_path / "build.ninja").read_text(encoding="utf-8")
    assert "register_waits.cpp.o" in build


def _declared() -> dict[str, dict[str, str]]:
    """Requirements by group: names, and the least version of each."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    groups = {
        "build": project["build-system"]["requires"],
        "run": project["project"]["dependencies"],
        "full": project["project"]["optional-dependencies"]["full"],
    }
    return {
        group: {
            canonicalize_name(each.name): str(each.specifier).removeprefix(">=")
            for each in map(Requirement, lines)
            if each.name != "otf2"  # elsewhere OTF2's C library is a package of its own
        }
        for group, lines in groups.items()
    }


def test_the_conda_recipe_requires_what_the_package_does() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8"))
    declared = _declared()

    def listed(lines: list[str]) -> dict[str, str]:
        split = (line.partition(" >=") for line in lines)
        return {canonicalize_name(name): version for name, _, version in split}

    wanted = recipe["requirements"]
    run, host = listed(wanted["run"]), listed(wanted["host"])
    assert run.pop("python") == host.pop("python") == host.pop("pip") == ""
    assert run == declared["run"]
    assert host == declared["build"]
    assert listed(wanted["run_constraints"]) == declared["full"]


def test_the_spack_recipe_requires_what_the_package_does() -> None:
    text = (ROOT / "packaging/spack/spack_repo/latitude/packages/py_latitude/package.py").read_text(
        encoding="utf-8"
    )
    before, after = text.split('with when("+full"):')
    declared = _declared()

    def listed(part: str) -> dict[str, str]:
        found = re.findall(r'depends_on\("py-([\w-]+)@([\d.]+):"', part)
        return {canonicalize_name(name): version for name, version in found}

    assert listed(before) == declared["build"] | declared["run"]
    assert listed(after) == declared["full"]
    assert re.findall(r'version\("(.*)"\)', text) == [_version()]


def _version() -> str:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def test_recipes_and_citation_are_of_this_version() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == citation["version"] == _version()
