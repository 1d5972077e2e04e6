"""Doctor's findings on launchers."""

from pathlib import Path

import pytest

from latitude.launch.doctor.mpis import launchers

BOX = "-" * 74


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("mpirun (Open MPI) 4.1.4\n\nReport bugs", "mpirun (Open MPI) 4.1.4"),
        ("HYDRA build details:\n    Version:    4.0.2\n", "Hydra 4.0.2 (MPICH)"),
        (f"{BOX}\nSorry!  You were supposed to get help about:\n    version\n{BOX}", "no version"),
        (f"{BOX}\nSorry!\n{BOX}\nprterun (PRRTE) 3.0.7\n", "prterun (PRRTE) 3.0.7"),
    ],
)
def test_a_launcher_s_version_is_a_line_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, found: str
) -> None:
    program = tmp_path / "prterun"
    program.write_text(f"#!/bin/sh\n/bin/cat <<'END'\n{said}\nEND\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (finding,) = launchers()
    assert finding.found == found
