"""Faults that the crash benchmark injects into processes, a database server, a network and a disk."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from .own_site import ROOT, family, free_port

_AGAIN_SECONDS = 1.0
_PATIENCE_SECONDS = 30
_DISK_BYTES = 64 * 1024**2
# Writes a second that reach a slow disk: one takes a tenth of a second, where it took less than one.
_SLOW_WRITES = 10
_LIMITS = Path("/sys/fs/cgroup/blkio")


class Supervised:
    """A server that is started again when it dies, as systemd does."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], log: Path) -> None:
        self._command, self._environment, self._log = command, environment, log
        self._ended = threading.Event()
        self._process = self._started()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _started(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as out:
            return subprocess.Popen(
                [sys.executable, *self._command],
                cwd=ROOT,
                env=self._environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            if self._process.poll() is not None and not self._ended.wait(_AGAIN_SECONDS):
                self._process = self._started()

    def kill(self) -> None:
        """Kill the server and all its children at once, as a power cut does."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def kill_a_child(self) -> None:
        for child in self.processes()[1:2]:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Stop the server and all its children (SIGSTOP)."""
        os.killpg(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self._process.pid, signal.SIGCONT)

    def processes(self) -> list[int]:
        """Return the server's process and its children."""
        return family(self._process.pid)

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()
        self.kill()
        self._process.wait()


def programs_of_postgres() -> Path | None:
    """Return the folder of PostgreSQL's programs, or None if they are missing."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


class Postgres:
    """A server of one's own, run by a user other than root, which it refuses."""

    def __init__(self, folder: Path) -> None:
        programs = programs_of_postgres()
        if programs is None:
            raise RuntimeError("PostgreSQL's programs are missing.")
        self._programs, self._folder, self.port = programs, folder, free_port()
        self._as: list[str] = []
        folder.mkdir()
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            self._as = [
                "setpriv",
                f"--reuid={user.pw_uid}",
                f"--regid={user.pw_gid}",
                "--clear-groups",
            ]
            os.chown(folder, user.pw_uid, user.pw_gid)

    def __enter__(self) -> "Postgres":
        made = [
            "-A",
            "trust",
            "-U",
            "rankings",
            "--locale=C.UTF-8",
            "-D",
            str(self._folder / "data"),
        ]
        self._run("initdb", *made)
        self._start()
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "rankings", "rankings")
        return self

    def __exit__(self, *_: object) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(self._programs / program), *arguments]
        done = subprocess.run(command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode()}")

    def _start(self) -> None:
        data, said = self._folder / "data", self._folder / "log"
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        self._run("pg_ctl", "-D", str(data), "-l", str(said), "-o", options, "-w", "start")

    def _processes(self) -> list[int]:
        return family(int((self._folder / "data/postmaster.pid").read_text().split()[0]))

    def kill(self) -> None:
        """Kill the whole server with -9, and start it again, which recovers it from its log."""
        for process in self._processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            time.sleep(0.5)
            try:
                (self._folder / "data/postmaster.pid").unlink(missing_ok=True)
                return self._start()
            except RuntimeError:
                # The killed processes are not gone yet.
                if time.monotonic() > until:
                    raise

    def kill_a_process(self) -> None:
        """Kill one connection's process with -9: the server ends all others and recovers."""
        for process in reversed(self._processes()[1:]):
            if b"rankings rankings" in Path(f"/proc/{process}/cmdline").read_bytes():
                os.kill(process, signal.SIGKILL)
                return

    def end_connections(self) -> None:
        import psycopg

        address = f"postgresql://rankings@127.0.0.1:{self.port}/postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'rankings'"
            )


class Proxy:
    """A proxy between the site and its database that can cut, hold or slow the traffic."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._passes = threading.Event()
        self._passes.set()
        self._is_cut, self._delay = False, 0.0
        self._open: set[socket.socket] = set()

    def __enter__(self) -> "Proxy":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self._close_all()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                if self._is_cut:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                if self._listener.fileno() < 0:
                    return
                client.close()
                continue
            self._open |= {client, server}
            for ends in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=ends, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while content := source.recv(65536):
                self._passes.wait()
                time.sleep(self._delay)
                target.sendall(content)
        for one in (source, target):
            self._open.discard(one)
            # Without the first the other side does not hear of it while a thread reads.
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _close_all(self) -> None:
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def cut(self) -> Iterator[None]:
        self._is_cut = True
        self._close_all()
        try:
            yield
        finally:
            self._is_cut = False

    @contextmanager
    def silent(self) -> Iterator[None]:
        self._passes.clear()
        try:
            yield
        finally:
            self._passes.set()

    @contextmanager
    def slow(self) -> Iterator[None]:
        self._delay = 0.05
        try:
            yield
        finally:
            self._delay = 0.0


class _Disk:
    """A small file system that can be full, read-only or slow for a while."""

    def __init__(self, folder: Path, device: str) -> None:
        self._folder, self._device = folder, device

    @property
    def can_be_slow(self) -> bool:
        """Return whether the system can limit writes to a device (Linux, cgroup v1)."""
        return bool(self._device) and os.access(_LIMITS, os.W_OK) and (_LIMITS / "tasks").exists()

    @contextmanager
    def slow(self, processes: Sequence[int]) -> Iterator[None]:
        """Delay the writes of these processes."""
        group = _LIMITS / f"crash-{os.getpid()}"
        group.mkdir()
        try:
            limit = f"{self._device} {_SLOW_WRITES}"
            (group / "blkio.throttle.write_iops_device").write_text(limit)
            for process in processes:
                (group / "cgroup.procs").write_text(str(process))
            yield
        finally:
            # Their new children, too.
            for process in (group / "cgroup.procs").read_text().split():
                with suppress(ProcessLookupError):
                    (_LIMITS / "cgroup.procs").write_text(process)
            group.rmdir()

    @contextmanager
    def full(self) -> Iterator[None]:
        filling = self._folder / "filling"
        try:
            with suppress(OSError), filling.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(65536))
            yield
        finally:
            filling.unlink()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        until = time.monotonic() + _AGAIN_SECONDS
        while _mount("-o", "remount,ro", str(self._folder), check=False):
            # A process that was just killed may still have files open.
            if time.monotonic() > until:
                raise RuntimeError(f"{self._folder} cannot be made read-only")
        try:
            yield
        finally:
            _mount("-o", "remount,rw", str(self._folder))


def _mount(*arguments: str, check: bool = True) -> int:
    return subprocess.run(["mount", *arguments], check=check, capture_output=True).returncode


@contextmanager
def small_disk(folder: Path) -> Iterator[_Disk | None]:
    """Mount a small ext4 or memory file system at the folder; yield None if that is not allowed."""
    folder.mkdir()
    image = folder.with_suffix(".ext4")
    with image.open("wb") as file:
        file.truncate(_DISK_BYTES)
    device = ""
    is_mounted = False
    if os.geteuid() == 0:
        made = subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], capture_output=True)
        is_mounted = not made.returncode and not _mount(
            "-o", "loop", str(image), str(folder), check=False
        )
        if is_mounted:
            number = folder.stat().st_dev
            device = f"{os.major(number)}:{os.minor(number)}"
        else:
            size = f"size={_DISK_BYTES}"
            is_mounted = not _mount("-t", "tmpfs", "-o", size, "tmpfs", str(folder), check=False)
    try:
        yield _Disk(folder, device) if is_mounted else None
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
