"""Faults that the crash test injects into processes, a database server, a network and a disk."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

from benchmarks.own_site import ROOT, family, free_port

_AGAIN_SECONDS = 1.0
_PATIENCE_SECONDS = 30
_DISK_BYTES = 256 * 1024**2
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
        self._programs, self._data, self.port = programs, folder / "data", free_port()
        folder.mkdir()
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._as = {"user": "postgres", "group": "postgres", "extra_groups": ()}
            shutil.chown(folder, "postgres", "postgres")

    def __enter__(self) -> "Postgres":
        self._run("initdb", "-A", "trust", "-U", "rankings", "--locale=C.UTF-8")
        self._start()
        self.new_database("rankings")
        return self

    def __exit__(self, *_: object) -> None:
        self._run("pg_ctl", "-m", "immediate", "stop")

    def new_database(self, name: str) -> str:
        """Create an empty database and return its address."""
        address = ("-h", "127.0.0.1", "-p", str(self.port))
        self._run("createdb", *address, "-U", "rankings", name)
        return f"postgres://rankings@127.0.0.1:{self.port}/{name}"

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._programs / program, *arguments],
            cwd="/",
            env=os.environ | {"PGDATA": str(self._data)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **self._as,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode()}")

    def _start(self) -> None:
        log = str(self._data.with_name("log"))
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        self._run("pg_ctl", "-l", log, "-o", options, "-w", "start")

    def _processes(self) -> list[int]:
        return family(int((self._data / "postmaster.pid").read_text().split()[0]))

    def kill(self) -> None:
        """Kill the whole server with -9, and start it again, which recovers it from its log."""
        for process in self._processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            time.sleep(0.5)
            try:
                (self._data / "postmaster.pid").unlink(missing_ok=True)
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


class Proxy(ThreadingTCPServer):
    """A proxy between the site and its database that can cut, hold or slow the traffic."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), BaseRequestHandler)
        self._to, self.port = port, int(self.server_address[1])
        self._passes = threading.Event()
        self._passes.set()
        self._is_cut, self._delay = False, 0.0
        self._open: set[socket.socket] = set()

    def __enter__(self) -> "Proxy":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._close_all()
        self.server_close()

    def finish_request(self, client: Any, _: object) -> None:
        """Pass the traffic of a connection, in a thread for each direction, until it ends."""
        if self._is_cut:
            return
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as server:
            self._open |= {client, server}
            back = threading.Thread(target=self._pump, args=(server, client), daemon=True)
            back.start()
            self._pump(client, server)
            back.join()
            self._open -= {client, server}

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while content := source.recv(65536):
                self._passes.wait()
                time.sleep(self._delay)
                target.sendall(content)
        for one in (source, target):
            # The other side hears of it while a thread reads.
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

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
    def read_only(self, kill: Callable[[], None]) -> Iterator[None]:
        """Forbid writing. Nothing may have a file open, so ``kill`` is called before each attempt."""
        until = time.monotonic() + _PATIENCE_SECONDS
        kill()
        while not _mount("-o", "remount,ro", self._folder):
            if time.monotonic() > until:
                raise RuntimeError(f"{self._folder} cannot be made read-only")
            kill()
        try:
            yield
        finally:
            _mount("-o", "remount,rw", self._folder)


def _mount(*arguments: object) -> bool:
    """Mount a file system; return whether that was possible."""
    return not subprocess.run(["mount", *map(str, arguments)], capture_output=True).returncode


@contextmanager
def small_disk(folder: Path) -> Iterator[_Disk | None]:
    """Mount a small ext4 or memory file system at the folder; yield None if that is not allowed."""
    folder.mkdir()
    image = folder.with_suffix(".ext4")
    with image.open("wb") as file:
        file.truncate(_DISK_BYTES)
    device, is_mounted = "", False
    if os.geteuid() == 0:
        subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], capture_output=True)
        is_mounted = _mount("-o", "loop", image, folder)
        if is_mounted:
            number = folder.stat().st_dev
            device = f"{os.major(number)}:{os.minor(number)}"
        else:
            is_mounted = _mount("-t", "tmpfs", "-o", f"size={_DISK_BYTES}", "tmpfs", folder)
    try:
        yield _Disk(folder, device) if is_mounted else None
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
