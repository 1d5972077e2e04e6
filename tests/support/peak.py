"""The most memory that a process has taken.

`ru_maxrss` is not this number: on Linux it is at least the memory of the process that started this
one.

    python -m support.peak latitude analyze TRACE

runs a module as `python -m` does, and prints the peak, in bytes, as the last line.
"""

import runpy
import sys
from pathlib import Path


def peak_bytes() -> int:
    """Peak memory of this process since its program began, bytes."""
    with Path("/proc/self/status").open(encoding="ascii") as lines:
        kib = next(line for line in lines if line.startswith("VmHWM:")).split()[1]
    return int(kib) * 1024


if __name__ == "__main__":
    del sys.argv[0]
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    finally:
        sys.stdout.write(f"{peak_bytes()}\n")
