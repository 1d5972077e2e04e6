"""The hosts that other tests use are hosts: tests/support/hosts."""

import os
import signal
import subprocess
import sys
import time

from support.hanging import HANG_S
from support.mpi.spanning import HOSTS, Spanning


def test_launchers_span_them_without_an_option(spanning: Spanning) -> None:
    spanning.count, spanning.slots = 3, 2
    # If programs end before all have started, MPICH's launcher may die (SIGPIPE).
    done = spanning.run(*spanning.mpi.run(6, spanning.mpi.program("apart.c"), 1))
    hosts = [line.split()[1] for line in done.stdout.splitlines()]  # of all but rank 0
    assert sorted(["node1", *hosts]) == sorted(["node1", "node2", "node3"] * 2)


def test_each_has_a_clock_of_its_own(open_mpi_spanning: Spanning) -> None:
    tell = "cut -d. -f1 /proc/uptime"
    done = open_mpi_spanning.run("sh", "-c", f"{tell}; /mnt/enter node2 '{tell}'")
    first, second = map(int, done.stdout.split())
    assert second - first >= 999  # its clock is 1,000 s ahead, and it was asked later


def test_the_exit_status_is_the_commands(open_mpi_spanning: Spanning) -> None:
    assert open_mpi_spanning.start("sh", "-c", "exit 7").returncode == 7


def test_nothing_is_left_when_it_is_killed(open_mpi_spanning: Spanning) -> None:
    seconds = str(10**6 + os.getpid())
    words = open_mpi_spanning.words("sh", "-c", f"echo up; exec sleep {seconds}")
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"up\n"
    assert sleeping(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    end = time.monotonic() + HANG_S
    while sleeping(seconds) and time.monotonic() < end:
        time.sleep(0.05)
    assert not sleeping(seconds)


def sleeping(seconds: str) -> list[str]:
    """Processes that do."""
    words = ["/usr/bin/pgrep", "-f", f"^sleep {seconds}"]
    done = subprocess.run(words, capture_output=True, check=False, encoding="utf-8")
    return done.stdout.split()


def test_without_root_it_says_so() -> None:
    words = ["/usr/bin/unshare", "--user", sys.executable, str(HOSTS), "2", "--", "true"]
    done = subprocess.run(words, capture_output=True, check=False, encoding="utf-8")
    assert done.returncode == 1
    assert done.stderr == "hosts: error: only root can make hosts\n"
