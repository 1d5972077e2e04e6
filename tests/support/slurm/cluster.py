"""Starts munged, slurmctld and six slurmd in a temporary directory, without systemd or root.

Debian's slurm-wlm and munge bring the programs (tools/need-slurm.sh). Each slurmd answers to a
name of its own (`slurmd -N`), so that one host looks like six nodes.
"""

import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from support.hanging import HANG_S

NODES = 6
PROGRAMS = ("munged", "slurmctld", "slurmd", "squeue", "sinfo", "scontrol", "sbatch", "scancel")
START_S = HANG_S
STOP_S = 8.0
_SEARCH = "/usr/sbin:/sbin"
_SETTINGS = ("SLURM_", "SQUEUE_", "SINFO_", "SBATCH_")

CONFIGURATION = """\
ClusterName=latitude
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool-%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=1
TopologyPlugin=topology/tree
KillWait=1
MinJobAge=300
SlurmctldTimeout=120
SlurmdTimeout=120
{nodes}
PartitionName=all Nodes=node[001-006] Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES:4
"""

TOPOLOGY = """\
SwitchName=group1 Nodes=node[001-002]
SwitchName=group2 Nodes=node[003-004]
SwitchName=group3 Nodes=node[005-006]
SwitchName=island1 Switches=group[1-2]
SwitchName=island2 Switches=group3
SwitchName=core Switches=island[1-2]
"""


class SlurmMissingError(Exception):
    """Slurm cannot be started here; says why."""


def missing_programs() -> list[str]:
    """The programs of Slurm and munge that are not installed."""
    return [name for name in PROGRAMS if _program(name) is None]


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:{_SEARCH}")


def _held_port() -> socket.socket:
    """A port that nobody else is given, and that who asks for it by number can listen at.

    A port that was only found free may be taken by another connection before the daemon has it.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def _until(what: str, done: Callable[[], bool], limit_s: float) -> None:
    end = time.monotonic() + limit_s
    while not done():
        if time.monotonic() > end:
            raise SlurmMissingError(f"{what} did not happen within {limit_s:g} s")
        time.sleep(0.1)


def _kill_left(directory: Path) -> None:
    """Ends what still runs in this cluster's environment: job steps that outlived their slurmd."""
    mark = f"SLURM_CONF={directory}/slurm.conf".encode()
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if int(path.parent.name) != os.getpid() and mark in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)


def _ended(daemon: "subprocess.Popen[bytes]") -> None:
    try:
        daemon.wait(STOP_S)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


@dataclass
class Cluster:
    """Six nodes, one partition, nodes shared by up to four jobs."""

    directory: Path
    """Short: the path of munge's socket must fit into 107 characters."""
    _daemons: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    _ports: list[socket.socket] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which Slurm's commands find this cluster."""
        path = f"{os.environ.get('PATH', '')}:{_SEARCH}"
        kept = {k: v for k, v in os.environ.items() if not k.startswith(_SETTINGS)}
        return {**kept, "PATH": path, "SLURM_CONF": str(self.directory / "slurm.conf")}

    def start(self) -> None:
        """Starts all daemons and waits until every node is idle."""
        absent = missing_programs()
        if absent:
            raise SlurmMissingError(f"{', '.join(absent)} not installed; run tools/need-slurm.sh")
        self.directory.chmod(0o755)
        self._configure()
        key = self.directory / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        munge = [
            f"--{name}={self.directory}/munge.{name.split('-')[0]}"
            for name in ("socket", "pid-file", "log-file", "seed-file", "key-file")
        ]
        self._daemon("munged", "--foreground", "--force", "--num-threads=2", *munge)
        _until("munge's socket", (self.directory / "munge.socket").exists, START_S)
        self._daemon("slurmctld", "-D")
        for index in range(1, NODES + 1):
            self._daemon("slurmd", "-D", "-N", f"node{index:03d}")
        _until("six idle nodes", self._ready, START_S)

    def _configure(self) -> None:
        self._ports = [_held_port() for _ in range(NODES + 1)]
        controller, *ports = [port.getsockname()[1] for port in self._ports]
        host = socket.gethostname().partition(".")[0]
        nodes = "\n".join(
            f"NodeName=node{index:03d} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
            "CPUs=8 RealMemory=1000 State=UNKNOWN"
            for index, port in enumerate(ports, start=1)
        )
        (self.directory / "state").mkdir()
        for index in range(1, NODES + 1):
            (self.directory / f"spool-node{index:03d}").mkdir()
        (self.directory / "topology.conf").write_text(TOPOLOGY)
        (self.directory / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=host,
                controller=controller,
                user=getpass.getuser(),
                directory=self.directory,
                nodes=nodes,
            )
        )

    def _daemon(self, name: str, *options: str) -> None:
        with self._log(name, *options).open("wb") as log:
            self._daemons.append(
                subprocess.Popen(
                    [_program(name) or name, *options],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=self.environment,
                    cwd=self.directory,
                    start_new_session=True,
                )
            )

    def _log(self, name: str, *options: str) -> Path:
        return self.directory / f"{name}{options[-1] if name == 'slurmd' else ''}.out"

    def _ready(self) -> bool:
        for daemon in self._daemons:
            if daemon.poll() is not None:
                program, *options = map(str, daemon.args)  # type: ignore[arg-type]
                said = self._log(Path(program).name, *options).read_text(errors="replace")
                raise SlurmMissingError(
                    f"{' '.join([program, *options])} ended with status {daemon.returncode}: "
                    f"{' / '.join(said.splitlines()[-9:])}"
                )
        done = self.run("sinfo", "-h", "-N", "-o", "%N %t", check=False)
        states = [line.split()[1] for line in done.splitlines()]
        return states == ["idle"] * NODES

    def run(self, *command: str, check: bool = True) -> str:
        """Runs one of Slurm's commands on this cluster; returns what it printed."""
        done = subprocess.run(
            command,
            env=self.environment,
            cwd=self.directory,
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=check,
        )
        return done.stdout

    def submit(self, name: str, *options: str, command: str = "sleep 600") -> str:
        """Submits a job; returns its number."""
        shown = self.run(
            "sbatch",
            "--parsable",
            "--job-name",
            name,
            "--output=/dev/null",
            *options,
            "--wrap",
            command,
        )
        return shown.strip()

    def wait_running(self, jobs: Sequence[str]) -> None:
        """Waits until all these jobs run."""

        def running() -> bool:
            shown = self.run("squeue", "-h", "-t", "RUNNING", "-o", "%A")
            return set(jobs) <= set(shown.split())

        _until(f"jobs {', '.join(jobs)} running", running, START_S)

    def wait_gone(self, job: str) -> None:
        """Waits until the job has left the queue."""
        _until(
            f"job {job} gone",
            lambda: job not in self.run("squeue", "-h", "-o", "%A").split(),
            START_S,
        )

    def clear(self) -> None:
        """Cancels all jobs and waits until the queue is empty."""
        self._cancel()
        _until("all jobs gone", lambda: not self.run("squeue", "-h").strip(), START_S)

    def _cancel(self) -> None:
        """Continues stopped jobs so that they end, because Slurm would wait a minute for each."""
        for job in self.run("squeue", "-h", "-t", "SUSPENDED", "-o", "%A", check=False).split():
            self.run("scontrol", "resume", job, check=False)
        self.run("scancel", "--user", getpass.getuser(), check=False)

    def stop(self) -> None:
        """Stops jobs and daemons; leaves no process behind."""
        if len(self._daemons) > 1 and self._daemons[1].poll() is None:
            self._cancel()
            end = time.monotonic() + STOP_S
            while self.run("squeue", "-h", check=False).strip() and time.monotonic() < end:
                time.sleep(0.1)
        for daemon in reversed(self._daemons):
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGTERM)
        for daemon in self._daemons:
            _ended(daemon)
        _kill_left(self.directory)
        for port in self._ports:
            port.close()
