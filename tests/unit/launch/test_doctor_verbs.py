"""`latitude doctor` on verbs: devices are directories, made here as the kernel makes them."""

from pathlib import Path

import pytest

from latitude.launch.doctor import verbs
from latitude.results.doctor import MISSING, NOTE, OK


def device(devices: Path, name: str, driver: str) -> None:
    behind = devices.parent / f"pci-{name}"
    (behind / "drivers" / driver).mkdir(parents=True)
    (behind / "driver").symlink_to(behind / "drivers" / driver)
    (devices / name).mkdir(parents=True)
    (devices / name / "device").symlink_to(behind)


def test_no_device_is_a_note(tmp_path: Path) -> None:
    (finding,) = verbs.verbs(tmp_path / "infiniband")
    assert finding.state == NOTE
    assert "no RDMA device" in finding.found
    assert "InfiniBand or RoCE" in finding.remedy


def test_transports_that_bypass_verbs_are_named(tmp_path: Path) -> None:
    devices = tmp_path / "infiniband"
    device(devices, "mlx5_0", "mlx5_core")
    device(devices, "renamed", "mlx5_core")
    device(devices, "irdma0", "irdma")
    (finding,) = verbs.verbs(devices)
    assert finding.state == NOTE
    assert "on mlx5_0, renamed UCX prefers rc_mlx5" in finding.found
    assert finding.remedy == "UCX_TLS=rc_v,ud_v,self"
    assert finding.facts["bypassed"] == ["mlx5_0", "renamed"]
    assert finding.facts["devices"] == ["irdma0", "mlx5_0", "renamed"]


def test_other_devices_are_fine(tmp_path: Path) -> None:
    devices = tmp_path / "infiniband"
    (devices / "rxe0").mkdir(parents=True)  # soft-RoCE has no device behind it
    (finding,) = verbs.verbs(devices)
    assert finding.state == OK
    assert "UCX posts by it on rxe0" in finding.found


def test_without_the_library_nothing_can_be_delayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verbs, "find_library", lambda _: None)
    (finding,) = verbs.verbs(tmp_path)
    assert finding.state == MISSING
    assert "libibverbs1" in finding.remedy
