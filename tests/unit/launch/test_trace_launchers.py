"""Variables reach the ranks through each launcher, together with the user's own options."""

import shutil
from pathlib import Path

import pytest

from latitude import InputError
from latitude.launch import launcher as launchers
from latitude.launch.application import Application
from latitude.launch.launcher import Launcher, job

OURS = {"LD_PRELOAD": "/t.so", "LATITUDE_TRACE_DIR": "/run", "LATITUDE_CLOCK": "auto"}
X = "-x LD_PRELOAD=/t.so -x LATITUDE_TRACE_DIR=/run -x LATITUDE_CLOCK=auto"
GENV = "-genv LD_PRELOAD /t.so -genv LATITUDE_TRACE_DIR /run -genv LATITUDE_CLOCK auto"
EXPORT = "LD_PRELOAD=/t.so,LATITUDE_TRACE_DIR=/run,LATITUDE_CLOCK=auto"
LIST = "LD_PRELOAD=/t.so;LATITUDE_TRACE_DIR=/run;LATITUDE_CLOCK=auto"


@pytest.mark.parametrize(
    ("abi", "given", "expected"),
    [
        ("openmpi", "mpirun -n 2 ./a", f"mpirun {X} -n 2 ./a"),
        ("openmpi", "env A=1 mpirun -n 2 ./a", f"env A=1 mpirun {X} -n 2 ./a"),
        ("openmpi", "mpirun -n 1 ./a : -n 1 ./b", f"mpirun {X} -n 1 ./a : {X} -n 1 ./b"),
        ("openmpi", "mpirun -x LD_PRELOAD=/u.so a", f"mpirun {X} -x LD_PRELOAD=/t.so:/u.so a"),
        (
            "openmpi",
            "mpirun --mca mca_base_env_list A=1;B ./a",
            f"mpirun --mca mca_base_env_list A=1;B;{LIST} ./a",
        ),
        ("mpich", "mpiexec -n 2 ./a : -n 2 ./b", f"mpiexec {GENV} -n 2 ./a : -n 2 ./b"),
        (
            "mpich",
            "mpiexec -n 2 -env LD_PRELOAD /u.so ./a",
            f"mpiexec {GENV} -n 2 -env LD_PRELOAD /t.so:/u.so ./a",
        ),
        ("", "srun -n 2 ./a", f"srun --export=ALL,{EXPORT} -n 2 ./a"),
        ("", "srun --export=A=1 -n 2 ./a", f"srun --export=A=1,{EXPORT} -n 2 ./a"),
        ("", "srun -n 2 --export NONE ./a", f"srun --export={EXPORT} -n 2 ./a"),
    ],
)
def test_options_are_added_after_the_launcher(abi: str, given: str, expected: str) -> None:
    words = given.split()
    index = next(i for i, word in enumerate(words) if word in {"mpirun", "mpiexec", "srun"})
    launcher = Launcher(Path("/usr/bin") / words[index], index, abi)
    done = job(words, launcher, OURS, {"HOME": "/"})
    assert " ".join(done.command) == expected
    assert done.environment == {"HOME": "/"}


def test_open_mpis_list_of_variables_is_added_to() -> None:
    """Open MPI refuses -x beside it."""
    launcher = Launcher(Path("/usr/bin/mpirun"), 0, "openmpi")
    done = job(["mpirun", "a"], launcher, OURS, {"OMPI_MCA_mca_base_env_list": "A=1"})
    assert done.command == ["mpirun", "a"]
    assert done.environment == {"OMPI_MCA_mca_base_env_list": f"A=1;{LIST}"}


def test_slurms_own_variable_is_heeded() -> None:
    launcher = Launcher(Path("/usr/bin/srun"), 0, "")
    done = job(["srun", "a"], launcher, OURS, {"SLURM_EXPORT_ENV": "PATH"})
    assert done.command == ["srun", f"--export=PATH,{EXPORT}", "a"]


@pytest.mark.parametrize("abi", [None, ""], ids=["script", "unknown launcher"])
def test_everything_else_inherits_the_environment(abi: str | None) -> None:
    launcher = None if abi is None else Launcher(Path("/opt/mpirun"), 0, abi)
    done = job(["mpirun", "a"], launcher, OURS, {"HOME": "/"})
    assert done.command == ["mpirun", "a"]
    assert done.environment == {"HOME": "/", **OURS}


def test_what_is_preloaded_already_stays_behind() -> None:
    assert launchers.preloaded(Path("/t.so"), {}) == "/t.so"
    assert launchers.preloaded(Path("/t.so"), {"LD_PRELOAD": "/a.so /b.so"}) == "/t.so:/a.so:/b.so"


def test_launchers_are_found_at_the_front_only() -> None:
    found = launchers.find(["env", "A=1", "mpirun.openmpi", "-n", "2", "./a"])
    assert found is not None
    assert (found.index, found.abi) == (2, "openmpi")
    found = launchers.find(["mpiexec.mpich", "./a"])
    assert found is not None
    assert found.abi == "mpich"
    assert launchers.find(["grep", "mpirun", "job.sh"]) is None
    assert launchers.find(["./a", "mpirun"]) is None


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["", "/t.so", ""], "/t.so"),
        (["/lib/libasan.so.8", "/t.so", "/u.so"], "/lib/libasan.so.8:/t.so:/u.so"),
        (["/t.so", "/u.so:/lib/libtsan.so.2"], "/lib/libtsan.so.2:/t.so:/u.so"),
        (["/t.so", "/u.so /libclang_rt.asan-x86_64.so"], "/libclang_rt.asan-x86_64.so:/t.so:/u.so"),
        (["/lib/libasan.so.8", "/t.so", "/lib/libasan.so.8"], "/lib/libasan.so.8:/t.so"),
        (["/t.so", "/lib/libasanity.so"], "/t.so:/lib/libasanity.so"),
    ],
)  # fmt: skip
def test_sanitizers_come_first(parts: list[str], expected: str) -> None:
    assert launchers.joined(*parts) == expected


def test_a_users_own_sanitizer_stays_first() -> None:
    mpirun = Launcher(Path("/usr/bin/mpirun"), 0, "openmpi")
    done = job(["mpirun", "-x", "LD_PRELOAD=/libasan.so.8", "a"], mpirun, OURS, {})
    assert "LD_PRELOAD=/libasan.so.8:/t.so" in done.command


def under_asan(path: str) -> Application:
    runtime = Path("/lib/libasan.so.8")
    return Application(Path(path), None, "", static=False, privileged=False, sanitizer=runtime)


def test_a_sanitizer_is_for_the_ranks_alone() -> None:
    program = under_asan(shutil.which("true") or "")
    launchers.check_reached(["true"], None, program)
    for abi in ("openmpi", "mpich"):
        mpirun = Launcher(Path("/usr/bin/mpirun"), 0, abi)
        launchers.check_reached(["mpirun", "true"], mpirun, program)
    launchers.check_reached(["srun", "true"], Launcher(Path("/usr/bin/srun"), 0, ""), program)
    unknown = Launcher(Path("/usr/bin/mpirun"), 0, "")
    for command, launcher in ((["sh", "-c", "true"], None), (["mpirun", "true"], unknown)):
        with pytest.raises(InputError, match=f"would be into {command[0]}, too; put latitude"):
            launchers.check_reached(command, launcher, program)
