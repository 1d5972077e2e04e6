"""The switch and its hosts, from inside the namespaces that __main__ made.

    node1: eth0 ─── node1 ┐
                          ├ switch: routes, and holds the rate of each link to a host (tbf)
    node2: eth0 ─── node2 ┘

The switch routes instead of bridging: a packet leaves its sender's account when it reaches the
switch, and waits there for the link as in a real one. (Over a bridge, what waits for the link
counts as not yet sent, and TCP holds back the rest.) It answers for all hosts (proxy ARP), so that
to them it is one network.
"""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from options import Options, parsed

STATE = Path("/mnt")
"""A file system in memory that all hosts share, and nobody else sees."""
NETWORK = "10.77.0"
BURST, QUEUE = "3200", "16mb"
"""Bytes that go through a link at once (two packets, as otherwise the kernel's timers limit the
rate), and bytes that may wait (more than TCP sends, so that nothing is lost)."""
CLOCKS_APART_S = 1000
RELAY, TABLE = "relay", "77"
"""The device through which packets are sent when they are to be delayed, by a table of routes."""

HOST = r"""
set -e
hostname "$1"
mount -t sysfs none /sys                    # of its own network devices
mount --bind "/mnt/$1.cores" /sys/devices/system/cpu/online
mount -t tmpfs none /dev/shm
ip link set lo up
sysctl -qw net.ipv4.tcp_congestion_control=reno  # no wishes of its own
echo $$ > "/mnt/$1.pid"
echo ready
exec sleep infinity
"""
ENTER = r"""#!/bin/sh
# As rsh does: enter HOST COMMAND...
host=$1
shift
exec nsenter --target "$(cat "/mnt/$host.pid")" --net --uts --ipc --mount --time -- \
  taskset -c "$(cat "/mnt/$host.cores")" sh -c "$*"
"""


def main() -> int:
    """Makes them, runs the command on the first, and returns its exit status."""
    options = parsed(sys.argv[1:])
    names = [f"node{number}" for number in range(1, len(options.rates) + 1)]
    run("mount", "-t", "tmpfs", "none", STATE)
    write_files(names, options)
    run("mount", "--bind", STATE / "hosts", "/etc/hosts")
    run("sysctl", "-qw", "net.ipv4.ip_forward=1")
    run("ip", "link", "set", "lo", "up")
    run("ip", "address", "add", f"{NETWORK}.254/32", "dev", "lo")  # who asks for hosts' hardware
    for number, (name, rate) in enumerate(zip(names, options.rates, strict=True), start=1):
        start(name, number)
        connect(name, f"{NETWORK}.{number}", rate)
    signal.signal(signal.SIGINT, lambda *_: None)  # the command hears of it, too, and ends
    line = f"cd {shlex.quote(str(Path.cwd()))} && exec {shlex.join(options.command)}"
    words = [str(STATE / "enter"), names[0], line]
    if options.delay:
        words = delayed(options.delay, names, words)
    return subprocess.call(words, env=os.environ | environment())


def delayed(delay: str, names: list[str], words: list[str]) -> list[str]:
    """Words that run others while what hosts send each other goes through a relay."""
    routes = [f"ip route add default dev {RELAY} table {TABLE}"]
    routes += [f"ip rule add iif {name} lookup {TABLE}" for name in names]
    # Packets from the relay come from another host.
    routes += [f"sysctl -qw net.ipv4.conf.{each}.rp_filter=0" for each in ("all", RELAY)]
    script = " && ".join([*routes, 'exec "$@"'])
    relay = [sys.executable, "-m", "latitude", "inject", "--ip", delay, "--device", RELAY]
    return [*relay, "--", "sh", "-c", script, "sh", *words]


def write_files(names: list[str], options: Options) -> None:
    """Writes the files with hosts' names, addresses, keys and cores."""
    cores = sorted(os.sched_getaffinity(0))
    for number, name in enumerate(names):
        own = cores[number :: len(names)] or [cores[number % len(cores)]]
        own = cores if options.share_cores else own
        (STATE / f"{name}.cores").write_text(",".join(map(str, own)) + "\n")
    addresses = {name: f"{NETWORK}.{number}" for number, name in enumerate(names, start=1)}
    lines = ["127.0.0.1 localhost", *(f"{address} {name}" for name, address in addresses.items())]
    (STATE / "hosts").write_text("\n".join(lines) + "\n")
    (STATE / "openmpi").write_text("".join(f"{name} slots={options.slots}\n" for name in names))
    (STATE / "mpich").write_text("".join(f"{name}:{options.slots}\n" for name in names))
    (STATE / "enter").write_text(ENTER)
    (STATE / "enter").chmod(0o755)


def start(name: str, number: int) -> None:
    """A host: a process that sleeps in namespaces of its own."""
    spaces = ["--net", "--uts", "--ipc", "--mount", "--time", "--fork", "--kill-child"]
    clock = [f"--monotonic={number * CLOCKS_APART_S}", f"--boottime={number * CLOCKS_APART_S}"]
    words = ["unshare", *spaces, *clock, "--", "sh", "-c", HOST, "sh", name]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if process.stdout is None or process.stdout.readline() != b"ready\n":
        _, said = process.communicate()
        sys.exit(f"hosts: error: {name} cannot be made: {said.decode().strip()}")


def connect(name: str, address: str, rate: str) -> None:
    """Connects a host to the switch."""
    own = ["nsenter", "--target", (STATE / f"{name}.pid").read_text().strip(), "--net", "--"]
    run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", own[2])
    run(*own, "ip", "address", "add", f"{address}/24", "dev", "eth0")
    run(*own, "ip", "link", "set", "eth0", "up")
    run(
        "sysctl", "-qw", f"net.ipv4.conf.{name}.proxy_arp=1", f"net.ipv4.neigh.{name}.proxy_delay=0"
    )
    run("ip", "link", "set", name, "up")
    run("ip", "route", "add", address, "dev", name)
    if rate:
        limits = ("rate", rate, "burst", BURST, "limit", QUEUE)
        run("tc", "qdisc", "add", "dev", name, "root", "tbf", *limits)


def run(*words: object) -> None:
    """A command that must succeed."""
    done = subprocess.run(list(map(str, words)), capture_output=True, check=False, encoding="utf-8")
    if done.returncode != 0:
        line = " ".join(map(str, words))
        sys.exit(f"hosts: error: hosts cannot be made here: {line}: {done.stderr.strip()}")


def environment() -> dict[str, str]:
    """Variables with which launchers start ranks on all hosts, and MPIs use the links."""
    enter = str(STATE / "enter")
    return {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_plm_rsh_agent": enter,
        "OMPI_MCA_orte_default_hostfile": str(STATE / "openmpi"),
        "OMPI_MCA_oob_tcp_if_include": "eth0",
        "OMPI_MCA_btl_tcp_if_include": "eth0",
        # Each host would bind to the first core it sees, which it is not given.
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "HYDRA_LAUNCHER": "rsh",
        "HYDRA_LAUNCHER_EXEC": enter,
        "HYDRA_HOST_FILE": str(STATE / "mpich"),
        "UCX_NET_DEVICES": "eth0",
    }


if __name__ == "__main__":
    sys.exit(main())
