"""A real Slurm of two nodes on loopback: munged, MariaDB, slurmdbd, slurmctld and two slurmd, all of this test.

Each node is a slurmd of its own on this machine with four CPUs and two GPUs (null devices stand for them).
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "slurmdbd", "sacct", "mariadbd", "mariadb-install-db", "curl")
_PATIENCE_S = 30.0
_SBIN = "/usr/sbin:/sbin:/usr/bin:/bin"


def missing() -> str:
    """Why no cluster can be started here; empty when one can."""
    if os.geteuid() != 0:
        return "Slurm's daemons start jobs of other users: this needs root"
    absent = [name for name in PROGRAMS if shutil.which(name, path=_SBIN) is None]
    return f"not installed: {', '.join(absent)}" if absent else ""


class Cluster:
    """Started by `start`, gone without a trace after `stop`."""

    def __init__(self, folder: Path, prolog: str) -> None:
        self.folder = folder
        self._prolog = prolog
        self._processes: list[subprocess.Popen[bytes]] = []
        self.environment = {"PATH": _SBIN, "SLURM_CONF": str(folder / "slurm.conf")}

    def start(self) -> None:
        """Start every daemon and wait until both nodes are idle."""
        for name in ("db", "state", "log"):
            (self.folder / name).mkdir()
        ports = free_ports(5)
        self._configure(ports)
        self._run_munge()
        self._run_database(ports[0])
        self._spawn("slurmdbd", "-D")
        self.wait(lambda: self._ok("sacctmgr", "-n", "show", "cluster"), "slurmdbd")
        for entity in ("cluster tiny", "account physics", "account chem", "user games account=physics"):
            self("sacctmgr", "-i", "add", *entity.split())
        self("sacctmgr", "-i", "add", "user", "nobody", "account=chem")
        self._spawn("slurmctld", "-D")
        for node in ("n01", "n02"):
            self._spawn("slurmd", "-D", "-N", node)
        self.wait(lambda: self("sinfo", "-h", "-N", "-o", "%T").split() == ["idle", "idle"], "the nodes")

    def stop(self) -> None:
        """End every job and every daemon."""
        try:
            for user in ("games", "nobody"):
                self._ok("scancel", f"--user={user}")
            if self._ok("squeue"):
                self.wait(lambda: not self("squeue", "-h"), "the queue to empty")
        finally:
            for process in reversed(self._processes):
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait(10)

    def __call__(self, *command: str) -> str:
        """What a command of Slurm prints."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=20, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr or done.stdout}\n{self.logs()}")
        return done.stdout

    def submit(self, user: str, account: str, *options: str, seconds: float) -> str:
        """Submit a job that sleeps, as a user; returns its number."""
        script = self.folder / "job.sh"
        script.write_text(f"#!/bin/sh\nsleep {seconds}\n")
        chosen = (f"--uid={user}", f"--account={account}", "--output=/dev/null", "--chdir=/", *options)
        return self("sbatch", "--parsable", *chosen, str(script)).strip()

    def wait(self, done: Callable[[], bool], what: str) -> None:
        """Wait, for a bounded time, until something is so."""
        deadline = time.monotonic() + _PATIENCE_S
        while not done():
            dead = [process.args for process in self._processes if process.poll() is not None]
            if dead or time.monotonic() > deadline:
                raise RuntimeError(f"waited for {what}; ended: {dead}\n{self.logs()}")
            time.sleep(0.1)

    def logs(self) -> str:
        """The last lines that every daemon wrote."""
        files = sorted((self.folder / "log").iterdir())
        return "\n".join(f"== {file.name}\n{file.read_text(errors='replace')[-1500:]}" for file in files)

    def _ok(self, *command: str) -> bool:
        done = subprocess.run(command, env=self.environment, capture_output=True, timeout=20, check=False)
        return done.returncode == 0

    def _spawn(self, program: str, *arguments: str) -> None:
        command = [shutil.which(program, path=_SBIN) or program, *arguments]
        with (self.folder / "log" / f"{program}-{len(self._processes)}.log").open("wb") as log:
            self._processes.append(
                subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, cwd="/", start_new_session=True)
            )

    def _run_munge(self) -> None:
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "munge.key").chmod(0o600)
        names = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        paths = [f"--{option}={self.folder / f'munge.{ending}'}" for option, ending in names.items()]
        self._spawn("munged", "--foreground", "--force", *paths)
        self.wait((self.folder / "munge.socket").exists, "munged")

    def _run_database(self, port: int) -> None:
        data = f"--datadir={self.folder / 'db'}"
        self(
            "mariadb-install-db", "--no-defaults", data, "--auth-root-authentication-method=normal", "--skip-test-db",
            "--user=root", "--force",
        )  # fmt: skip
        socket_path = self.folder / "db.sock"
        self._spawn(
            "mariadbd", "--no-defaults", data, f"--socket={socket_path}", f"--port={port}", "--user=root",
            "--bind-address=127.0.0.1", "--innodb-buffer-pool-size=32M", "--skip-log-bin",
            f"--pid-file={self.folder / 'db.pid'}",
        )  # fmt: skip
        self.wait(socket_path.exists, "MariaDB")

    def _configure(self, ports: Sequence[int]) -> None:
        database, accounting, controller, first, second = ports
        for gpu in range(2):
            os.mknod(self.folder / f"gpu{gpu}", stat.S_IFCHR | 0o666, os.makedev(1, 3))  # as /dev/null
        prolog = self.folder / "prolog.sh"
        prolog.write_text(self._prolog)
        prolog.chmod(0o755)
        values = {"D": self.folder, "H": socket.gethostname().partition(".")[0], "DB": database, "DBD": accounting}
        values |= {"CTLD": controller, "N1": first, "N2": second}
        for name, text in (("slurm", _SLURM), ("slurmdbd", _SLURMDBD), ("gres", _GRES)):
            file = self.folder / f"{name}.conf"
            file.write_text(text.format(**values))
            file.chmod(0o600 if name == "slurmdbd" else 0o644)


def free_ports(n: int) -> list[int]:
    """Ports of this machine that nobody listens on now."""
    held = [socket.socket() for _ in range(n)]
    try:
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


_SLURM = """\
ClusterName=tiny
SlurmctldHost={H}(127.0.0.1)
SlurmctldPort={CTLD}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={D}/munge.socket
CredType=cred/munge
StateSaveLocation={D}/state
SlurmdSpoolDir={D}/spool-%n
SlurmctldPidFile={D}/slurmctld.pid
SlurmdPidFile={D}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={DBD}
AccountingStoragePass={D}/munge.socket
AccountingStorageTRES=gres/gpu,gres/gpu:a100
SlurmdParameters=config_overrides
PrologFlags=Alloc
Prolog={D}/prolog.sh
Epilog={D}/prolog.sh
NodeName=n01 NodeHostname={H} NodeAddr=127.0.0.1 Port={N1} CPUs=4 RealMemory=100 Gres=gpu:a100:2
NodeName=n02 NodeHostname={H} NodeAddr=127.0.0.1 Port={N2} CPUs=4 RealMemory=100 Gres=gpu:a100:2
PartitionName=main Nodes=ALL Default=YES State=UP OverSubscribe=NO
"""
_SLURMDBD = """\
AuthType=auth/munge
AuthInfo=socket={D}/munge.socket
DbdHost={H}
DbdAddr=127.0.0.1
DbdPort={DBD}
SlurmUser=root
PidFile={D}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={DB}
StorageUser=root
StorageLoc=slurm_acct
"""
_GRES = """\
AutoDetect=off
Name=gpu Type=a100 File={D}/gpu[0-1]
"""
