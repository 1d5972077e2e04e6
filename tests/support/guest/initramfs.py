"""The first file system of the guest: busybox, the kernel's modules, and `init`."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

# What the devices need: PCI, the host's files, a layer above them, a network device, soft-RoCE and
# its checksum.
MODULES = (
    "virtio_pci", "9p", "9pnet_virtio", "overlay", "dummy",
    "crc32_generic", "ib_uverbs", "rdma_ucm", "rdma_rxe",
)  # fmt: skip
_DEPENDS = re.compile(rb"\0depends=([^\0]*)\0")


def build(kernel: Path, directory: Path) -> Path:
    """The archive the kernel unpacks, made in `directory`, from the unpacked package `kernel`."""
    root = directory / "root"
    for name in ("bin", "modules", "proc", "sys", "dev", "host", "above", "root"):
        (root / name).mkdir(parents=True)
    busybox = shutil.which("busybox")
    assert busybox, "busybox is not installed; run tools/need-qemu.sh"
    shutil.copy(busybox, root / "bin" / "busybox")
    shutil.copy(Path(__file__).with_name("init"), root / "init")
    (root / "init").chmod(0o755)
    for number, module in enumerate(_in_order(kernel, MODULES)):
        shutil.copy(module, root / "modules" / f"{number:02}-{module.name}")
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    archive = directory / "initramfs"
    with archive.open("wb") as file:
        words = [busybox, "cpio", "-o", "-H", "newc"]
        subprocess.run(
            words, cwd=root, input=names.encode(), stdout=file, stderr=subprocess.PIPE, check=True
        )
    return archive


def _in_order(kernel: Path, names: Iterable[str]) -> Iterator[Path]:
    """Each module after those it depends on, which it names itself."""
    found = {_plain(path.stem): path for path in kernel.rglob("lib/modules/*/kernel/**/*.ko")}
    done: set[str] = set()

    def with_needed(name: str) -> Iterator[Path]:
        if name in done:
            return
        done.add(name)
        depends = _DEPENDS.search(b"\0" + found[name].read_bytes())
        assert depends, f"{found[name]} does not say what it depends on"
        for needed in filter(None, depends[1].decode().split(",")):
            yield from with_needed(_plain(needed))
        yield found[name]

    for name in names:
        yield from with_needed(name)


def _plain(name: str) -> str:
    return name.replace("-", "_")
