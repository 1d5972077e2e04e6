"""Files of tools whose formats Latitude does not read."""

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

ET = b'{"schema": "1.1.0-chakra.0.0.4", "pid": 7, "nodes": []}'


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("et.json", ET, "an execution trace of PyTorch or Chakra: "),
        ("report1.nsys-rep", b"\x00\x01", "a report of Nsight Systems: record the program with"),
        ("app.cali", b"__rec=node,id=1", "a profile of Caliper: "),
        ("app-0-0-1.hpcrun", b"HPCRUN-profile", "a measurement of HPCToolkit: "),
        ("profile.cubex", b"\x00", "a profile of Score-P: it holds sums and no messages; "),
        ("app.4.1.mpiP", b"@ mpiP", "a profile of mpiP: "),
        ("app.stf", b"\x00", "a trace of Intel Trace Collector: record it with Score-P as OTF2"),
        ("profile.0.0.0", b"12 templated_functions_MULTI_TIME\n", "a profile of TAU: "),
        ("tautrace.0.0.0.trc", b"\x00", "a trace of TAU: convert it with tau2otf2 "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_it_is_and_what_to_do(
    refused: Callable[..., str], tmp_path: Path, name: str, content: bytes, what: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert f"{file}: this is {what}" in refused("analyze", file)
    if not name.startswith(("trace.json", "et.json")):  # whose names tell nothing
        assert f"{tmp_path}: this is {what}" in refused("analyze", tmp_path)
        packed = tmp_path / "packed.tar"
        with tarfile.open(packed, "w") as archive:
            archive.add(file, f"run/{name}")
        assert f"{packed}: this is {what}" in refused("analyze", packed)


def test_the_folder_s_name_may_tell(refused: Callable[..., str], tmp_path: Path) -> None:
    folder = tmp_path / "hpctoolkit-app-database"
    folder.mkdir()
    (folder / "FORMATS.md").write_text("text")
    assert f"{folder}: this is a measurement of HPCToolkit: " in refused("analyze", folder)


def test_other_json_is_none_of_them(refused: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text('{"a": 1}')
    assert "neither a trace nor a GOAL file" in refused("analyze", file)
