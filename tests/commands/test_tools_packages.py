"""The distribution's packages that tests need are installed, or reported as missing."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.hanging import HANG_S
from support.paths import ROOT

TOOLS = ROOT / "tools"
PACKAGES = {
    "need-browser.sh": "chromium-headless-shell fonts-liberation",
    "need-groff.sh": "groff",
    "need-gtest.sh": "libgtest-dev",
    "need-hosts.sh": "util-linux mount procps iproute2",
    "need-mpi.sh": "openmpi-bin libopenmpi-dev mpich libmpich-dev gfortran lammps hpcc "
    "python3-mpi4py",
    "need-ofi.sh": "libfabric-dev",
    "need-otf2.sh": "libopen-trace-format2-dev",
    "need-qemu.sh": "qemu-system-x86 busybox-static iproute2 perftest ibverbs-providers",
    "need-simgrid.sh": "libsimgrid-dev",
    "need-slurm.sh": "slurm-wlm munge",
    "need-torch.sh": "python3-torch",
    "need-ucx.sh": "libucx-dev libibverbs-dev",
    "need-valgrind.sh": "valgrind",
}
PLAIN = (
    "bash",
    "cat",
    "dirname",
    "env",
    "flock",
    "grep",
    "head",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "touch",
)
INSTALLER = """#!/bin/bash
echo "$DEBIAN_FRONTEND $@" >> "$CALLS"
[ "$1" != download ] || touch linux-image-6.1_1.deb
"""
"""Notes how it is called; the kernel's package arrives where it is asked for."""


class Bare:
    """A system with nothing but the shell's tools, and a copy of the scripts."""

    def __init__(self, directory: Path) -> None:
        self.calls, self._bin = directory / "calls", directory / "bin"
        self._tools = directory / "tools"
        self._environment = {
            "PATH": str(self._bin),
            "CALLS": str(self.calls),
            "XDG_CACHE_HOME": str(directory / "cache"),
        }
        self._bin.mkdir()
        shutil.copytree(TOOLS, self._tools)
        for name in PLAIN:
            found = shutil.which(name)
            assert found
            (self._bin / name).symlink_to(found)

    def program(self, name: str, text: str) -> None:
        path = self._bin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def user(self, number: int) -> None:
        self.program("id", f"#!/bin/bash\necho {number}\n")

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._tools / script],
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_S,
        )


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    return Bare(tmp_path)


def test_each_script_is_tried() -> None:
    scripts = {path.name for path in TOOLS.glob("need-*.sh")}
    fetched = {  # which install nothing
        "need-epoch-traces.sh", "need-mpi-wheels.sh", "need-mpi4py-tests.sh"
    }  # fmt: skip
    assert scripts == {*PACKAGES, *fetched}


@pytest.mark.parametrize("script", PACKAGES)
def test_without_the_right_to_install_the_script_says_what_is_missing(
    bare: Bare, script: str
) -> None:
    bare.user(1000)
    bare.program("apt-get", INSTALLER)
    done = bare.run(script)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("missing: ")
    assert done.stderr.endswith(f"(Debian: {PACKAGES[script]})\n")
    assert not bare.calls.exists()


@pytest.mark.parametrize("script", sorted({*PACKAGES} - {"need-slurm.sh"}))
def test_root_installs_the_packages(bare: Bare, script: str) -> None:
    """Slurm's puts a file into /usr/sbin meanwhile: not of a system that others use."""
    bare.user(0)
    bare.program("apt-get", INSTALLER)
    bare.program("python3", "#!/bin/bash\n")  # pip has what it is asked for
    bare.program("apt-cache", "#!/bin/bash\necho '  Depends: linux-image-6.1'\n")
    bare.program("dpkg-deb", '#!/bin/bash\nmkdir "$3"\n')
    bare.program("../cache/latitude/mpich-wheel/bin/mpichversion", "#!/bin/bash\necho 5.0.2\n")
    done = bare.run(script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"installing {PACKAGES[script]} with apt-get (missing: ")
    update, installed, *_ = bare.calls.read_text().splitlines()
    assert update == "noninteractive update -qq"
    assert installed == (
        "noninteractive install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=600 "
        f"{PACKAGES[script]}"
    )


def test_what_apt_cannot_do_ends_the_script(bare: Bare) -> None:
    bare.user(0)
    bare.program("apt-get", "#!/bin/bash\nexit 100\n")
    assert bare.run("need-valgrind.sh").returncode == 100


def test_nothing_is_said_where_nothing_is_missing(bare: Bare) -> None:
    bare.program("valgrind", "#!/bin/bash\n")
    done = bare.run("need-valgrind.sh")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
