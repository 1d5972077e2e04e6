"""Boots the guest, waits for it, and reads what its steps came to."""

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from support.compiling import STRICT, built
from support.guest import initramfs
from support.hanging import HANG_S
from support.paths import ROOT

HERE = Path(__file__).resolve().parent
KERNEL = ROOT / "build" / "guest" / "kernel"
QEMU = "qemu-system-x86_64"
BOOT_LIMIT_S = HANG_S
_TAIL = 40

# Emulated, never /dev/kvm, which hung with this kernel. Without randomised addresses, processes
# that run the same library share what QEMU has translated of it. A panic ends QEMU. What a kernel
# does with timers when it boots goes wrong where QEMU has to wait for a processor: it sees no
# interrupts come and panics, and its clock ran 6 and 14 times too fast. So it does not look for
# them, and is told how fast its time stamp counter is: as fast as this machine's.
_MACHINE = (
    *("-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "3G"),
    *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
)  # fmt: skip
_KERNEL_WORDS = (
    "console=ttyS0 quiet panic=-1 mitigations=off norandmaps no_timer_check tsc=reliable "
    "tsc_early_khz={khz}"
)
_FILES = "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"


@dataclass(frozen=True)
class Step:
    """A command in the guest."""

    name: str
    words: Sequence[str]
    environment: Mapping[str, str]
    files: Sequence[str] = ()
    """Files in the working directory that the test reads afterwards."""
    limit_s: float = 3 * HANG_S
    once_it_prints: bool = False
    """The limit begins with its first output, however late that is."""


@dataclass(frozen=True)
class Result:
    """The outcome of a step."""

    name: str
    status: int | None
    """Exit status; None if it exceeded its limit."""
    stdout: str
    stderr: str
    files: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0


class GuestError(Exception):
    """The guest did not do all it should; the message ends with what its console said."""


def run(steps: Sequence[Step], directory: Path, limit_s: float) -> dict[str, Result]:
    """All steps in one boot; `directory` is for files of this machine's. Steps may have failed."""
    kernels = sorted(KERNEL.glob("boot/vmlinuz-*"))
    assert kernels, f"no kernel in {KERNEL}; run tools/need-qemu.sh"
    plan, console, results = (directory / name for name in ("steps", "console", "results"))
    plan.write_text(json.dumps([asdict(step) for step in steps]), encoding="utf-8")
    for written in (console, results):  # by QEMU, which may be stopped before it opens them
        written.touch()
    inside = [sys.executable, str(HERE / "inside.py"), str(plan), "/tmp/guest"]  # noqa: S108
    words = [
        *(QEMU, *_MACHINE, "-kernel", str(kernels[-1])),
        *("-initrd", str(initramfs.build(KERNEL, directory))),
        *("-append", f"{_KERNEL_WORDS.format(khz=_counter_khz())} -- {' '.join(inside)}"),
        *("-virtfs", _FILES, "-serial", f"file:{console}", "-serial", f"file:{results}"),
    ]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL) as qemu:
        try:
            why = _wait(qemu, results, limit_s)
        finally:
            qemu.kill()
    lines = _lines(results)[1:]
    done = {result.name: result for result in (Result(**json.loads(line)) for line in lines)}
    if not why and len(done) == len(steps):
        return done
    missing = next(step.name for step in steps if step.name not in done)
    said = "\n".join(console.read_text(errors="replace").splitlines()[-_TAIL:])
    raise GuestError(f"{why or 'the guest ended early'}, before '{missing}' was done:\n{said}")


def _counter_khz() -> int:
    """Frequency of this machine's time stamp counter in kHz, which the guest's copies."""
    program = built("counter", "-O2", *STRICT, HERE / "programs" / "counter.c")
    return int(subprocess.run([program], check=True, capture_output=True).stdout)


def _wait(qemu: "subprocess.Popen[bytes]", results: Path, limit_s: float) -> str:
    """Until QEMU ends; why it was not waited for, else nothing."""
    begin = time.monotonic()
    while qemu.poll() is None:
        waited = time.monotonic() - begin
        if waited > BOOT_LIMIT_S and not _lines(results):
            return f"the guest did not boot within {BOOT_LIMIT_S} s"
        if waited > limit_s:
            return f"the guest was stopped after {limit_s:g} s"
        time.sleep(0.2)
    return ""


def _lines(results: Path) -> list[str]:
    """Whole lines only."""
    text = results.read_text(encoding="utf-8", errors="replace")
    return text.splitlines()[: text.count("\n")]
