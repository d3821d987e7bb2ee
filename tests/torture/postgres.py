"""A PostgreSQL cluster of its own that faults stop, freeze and start."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import psycopg


def binaries():
    """Return the folder of the newest installed server; None without one."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


class Cluster:
    """Its server listens on 127.0.0.1; run as root, it belongs to the user postgres, as it has to."""

    def __init__(self, port):
        self.port = port
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self._binaries = binaries()

    def __enter__(self):
        assert self._binaries is not None, "the server of PostgreSQL is not installed"
        self._folder = Path(tempfile.mkdtemp(prefix="torture-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(self._folder, "postgres")
        try:
            self._run("initdb", "--username=postgres", "--auth=trust")
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if (self._folder / "data" / "postmaster.pid").exists():
            self._signal(signal.SIGCONT)
            self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self):
        """Start the server, and wait until it accepts connections."""
        given = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self._folder}"
        self._run("pg_ctl", "start", "-w", "-l", str(self._folder / "log"), "-o", given)

    def stop(self):
        """Stop the server at once, as after a power failure: what was committed has to be there."""
        self._run("pg_ctl", "stop", "-m", "immediate")

    def freeze(self):
        """Stop all its processes in the middle of whatever they do."""
        self._signal(signal.SIGSTOP)

    def thaw(self):
        """Let them go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number):
        main = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(main, number)
        for children in Path(f"/proc/{main}/task").glob("*/children"):
            for child in children.read_text().split():
                os.kill(int(child), number)

    def _run(self, name, *arguments):
        command = [str(self._binaries / name), "-D", str(self._folder / "data"), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        done = subprocess.run(command, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stderr

    def rows(self, query, values):
        """Return the rows of a query."""
        with psycopg.connect(self.url, connect_timeout=5) as connection:
            return connection.execute(query, values).fetchall()
