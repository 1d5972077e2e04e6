"""A copy of the tree in which defects are tried; the tree itself is only read."""

import ast
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from latitude.launch import declared
from mutants.listed import Mutant
from mutants.process import Done, run
from support.mpi.library import INTEL_WHEEL, OPEN_MPI_WHEEL, WHEEL

_WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
"""Warning options with which the tests compile the runtime."""
_MPICC = "mpicc.mpich"
WHEELS = (WHEEL, OPEN_MPI_WHEEL, INTEL_WHEEL)
"""MPIs that tests find below the cache's folder."""


class BrokenError(Exception):
    """A defect that no test needs to notice: it does not apply, or what it makes does not build."""


class Tree:
    """The files that git knows or would add, copied. Builds are kept from one run to the next."""

    def __init__(self, source: Path, path: Path) -> None:
        self.source, self.path = source, path
        self._sync()

    @contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """Puts the defect in place for the work inside, then removes it.

        BrokenError when it is no program.
        """
        path = self.path / mutant.file
        before = path.read_text(encoding="utf-8")
        try:
            after = mutant.applied(before)
        except ValueError as error:
            raise BrokenError(str(error)) from error
        path.write_text(after, encoding="utf-8")
        try:
            self._check(path, after)
            yield
        finally:
            path.write_text(before, encoding="utf-8")

    def build_programs(self, names: Sequence[str]) -> None:
        """The GoogleTest programs of these names."""
        self._build(*names)

    def program(self, name: str) -> Path:
        """A GoogleTest program, which is built."""
        return next(path for path in self._built.rglob(name) if path.is_file())

    def build_module(self) -> None:
        """The C++ module, in its place in the package."""
        self._build("_core")
        for module in self._built.glob("core/bindings/_core*.so"):
            target = self.path / "src" / "latitude" / module.name
            target.unlink(missing_ok=True)
            target.symlink_to(module)

    def run(self, command: Sequence[object], limit_s: float) -> Done:
        """Runs a test in the copy, with the copy's package and nobody's caches."""
        cache = self.path / "build" / "cache"
        environment = {
            "PYTHONPATH": str(self.path / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",  # its files are told by second and size
            "XDG_CACHE_HOME": str(cache),
        }
        for wheel in WHEELS:  # installed beside what Latitude builds, and no build of the copy
            link = cache / "latitude" / wheel.name
            if wheel.is_dir() and not link.exists():
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(wheel)
        shutil.rmtree(self.path / ".hypothesis", ignore_errors=True)  # what failed before
        return run(command, self.path, environment, limit_s)

    def _sync(self) -> None:
        """Copies what differs, so that what is built and unchanged is not built again."""
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = {name for name in run(command, self.source).output.split("\0") if name}
        names = {name for name in names if (self.source / name).is_file()}
        for path in self.path.rglob("*"):
            place = path.relative_to(self.path)
            if place.parts[0] != "build" and path.is_file() and str(place) not in names:
                path.unlink()
        for name in names:
            source, target = self.source / name, self.path / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)

    def _check(self, path: Path, text: str) -> None:
        """Checks files that no build step reads: a defect must be a program that tests can run."""
        if path.suffix == ".py":
            try:
                ast.parse(text)
            except SyntaxError as error:
                raise BrokenError(f"no Python: {error}") from error
        room = path.relative_to(self.path).parts[:2]
        if room[0] == "runtime":
            sources = self.path.joinpath(*room)
            flags = shlex.split(sources.joinpath("FLAGS").read_text(encoding="utf-8"))
            included = ["-include", path, "-x", "c", "/dev/null"]
            source = included if path.suffix == ".h" else [path]
            with TemporaryDirectory() as scratch:
                told = declared.flags(sources, _MPICC, Path(scratch))
                self._made(_MPICC, "-fsyntax-only", *_WARNINGS, *flags, *told, *source)

    @property
    def _built(self) -> Path:
        """Module and C++ tests are of one build, as those of `make test`."""
        return self.path / "build" / "test"

    def _build(self, *targets: str) -> None:
        if not (self._built / "CMakeCache.txt").exists():
            options = [f"-DLATITUDE_{what}=ON" for what in ("TESTS", "MODULE", "WERROR")]
            python = f"-DPython_EXECUTABLE={sys.executable}"
            self._made("cmake", "-S", ".", "-B", self._built, *options, python)
        self._made("cmake", "--build", self._built, "--parallel", "2", "--target", *targets)

    def _made(self, *command: object) -> None:
        done = run(command, self.path)
        if done.status != 0:
            raise BrokenError(f"{shlex.join(map(str, command))}:\n{done.output[-3000:]}")
