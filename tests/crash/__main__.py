"""A site that is broken on purpose, again and again, while people answer (`make crash`).

    python -m tests.crash [--rounds 60 | --minutes 60] [--seed 1] [--annotators 20] [--images 300] [--in-turn]

Two web servers and two workers share a database and a folder, and a person's requests go to the servers in
turn. Half of the rounds go to PostgreSQL (a server of its own, behind a proxy that can drop), half to
SQLite (on a small file system of its own, where it may be mounted), both at once unless ``--in-turn``
gives each the machine (and the minutes) for itself. Servers that die are started again after a second,
as systemd does. After each round the database is asked: is every acknowledged answer there once, has
everybody who came by a link one place and the code they saw, is no run of a protocol and no load half
stored, are the photographs whole, did both servers come back by themselves? At the end: did all jobs end
well, those that were killed, too, and does a backup restore? Ends with 1 if not. The faults that need root,
Dask or PostgreSQL's programs are left out where those are missing. Each round is reported to standard
error, a table of the faults to standard output: `--write` keeps it in docs/validation/breaking.md.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from http.client import HTTPException
from itertools import cycle, product
from pathlib import Path
from typing import Any

from benchmarks import pages
from benchmarks.load import Annotator
from benchmarks.own_site import (
    ROOT,
    collect_static,
    free_port,
    gunicorn,
    make_annotators,
    make_study,
    own_site,
    sign_in,
)

from .breaking import Postgres, Proxy, Supervised, programs_of_postgres, small_disk
from .long_work import Cluster, Loads, faults_of_jobs, until
from .real_work import Work
from .visitors import Entry

# More than one person ranks in that time: a round without answers shows nothing.
_METHODS, _VISITORS = 6, 3
_THINK_SECONDS, _FAULT_SECONDS, _BACK_SECONDS = 0.3, 1.5, 900
Fault = Callable[[], None]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--minutes", type=float, help="break for so long, in place of rounds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--annotators", type=int, default=20)
    parser.add_argument("--images", type=int, default=300)
    parser.add_argument("--only", nargs="+", metavar="FAULT", help="these, once each")
    parser.add_argument("--in-turn", action="store_true", help="one database after the other")
    parser.add_argument("--on", choices=("sqlite", "postgres"), help="one kind of database alone")
    options = parser.parse_args(arguments)
    if options.on:
        return _break(options.on, options)
    runs = []
    for kind, rounds in (("sqlite", options.rounds // 2), ("postgres", -(-options.rounds // 2))):
        if kind == "postgres" and programs_of_postgres() is None:
            print("PostgreSQL's programs are missing: its rounds are left out.")
            continue
        given = ["--on", kind, "--rounds", rounds, "--seed", options.seed]
        command = [sys.executable, "-m", "tests.crash", *map(str, given)]
        command += ["--annotators", str(options.annotators), "--images", str(options.images)]
        if options.minutes:
            command += ["--minutes", str(options.minutes)]
        runs.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        if options.in_turn:
            runs[-1].wait()  # its table fits into the pipe
    for run in runs:
        print(run.communicate()[0], end="", flush=True)
    # A run that a signal ended has a negative one.
    return max(abs(run.returncode) for run in runs)


def _break(kind: str, options: argparse.Namespace) -> int:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="crash-")))
        # The database's own user has to reach its folder.
        folder.chmod(0o755)
        site: _Site = stack.enter_context(_started(kind, folder, options))
        faults = site.faults()
        rows = {name: _Row() for name in faults}
        report = partial(print, file=sys.stderr, flush=True)
        for number, name in enumerate(_names(list(faults), options), 1):
            n_before, n_failed = site.n_acknowledged, site.n_failed
            faults[name]()
            row, back = rows[name], site.wait_until_all_answer()
            found = site.look()
            n, n_failed = site.n_acknowledged - n_before, site.n_failed - n_failed
            row.add(n, n_failed, back, found)
            said = "; ".join(found) or "whole"
            sent = f"{n:4} answers, {n_failed:4} failed"
            report(f"  {kind} {number:3} {name:<20}{sent}, back after {back:4.1f} s: {said}")
        found = site.look(at_the_end=True)
        took = {name: row for name, row in rows.items() if row.n_rounds}
        n_rounds = sum(row.n_rounds for row in took.values())
        print(f"{kind}: {n_rounds} rounds, {options.annotators} people")
        print(f"  {'broken':<22}rounds  answers  failed  back after, at most")
        for name, row in took.items():
            print(f"  {name:<22}{row}")
            for fault in row.found:
                print(f"    {fault}")
        print(f"  at the end: {'; '.join(found) or 'all loads and jobs ended well'}")
        if found:
            for log in folder.glob("worker-*.log"):
                report(log.read_text(errors="replace")[-100_000:])
        failures = sum(row.n_whole < row.n_rounds for row in took.values()) + bool(found)
        print(f"  {site.entry}; other workers took up {site.n_taken_up} jobs")
        print(
            f"{kind}: {site.n_acknowledged} acknowledged answers, {failures} faults found, "
            f"back after {max(row.back for row in took.values()):.1f} s at most",
            flush=True,
        )
    return 1 if failures else 0


@dataclass
class _Row:
    """The rounds of one fault."""

    n_rounds: int = 0
    n_whole: int = 0
    n_answers: int = 0
    n_failed: int = 0
    back: float = 0.0
    found: list[str] = field(default_factory=list)

    def add(self, n_answers: int, n_failed: int, back: float, found: Sequence[str]) -> None:
        self.n_rounds += 1
        self.n_whole += not found
        self.n_answers += n_answers
        self.n_failed += n_failed
        self.back = max(self.back, back)
        self.found += found

    def __str__(self) -> str:
        return f"{self.n_rounds:6}{self.n_answers:9}{self.n_failed:8}{self.back:20.1f} s"


def _names(faults: list[str], options: argparse.Namespace) -> Iterator[str]:
    """Yield the faults in random order, each once before any comes again."""
    if options.only:
        yield from options.only
        return
    rng, ends, n = random.Random(options.seed), time.monotonic() + 60 * (options.minutes or 0), 0
    while True:
        rng.shuffle(faults)
        for name in faults:
            if time.monotonic() > ends if options.minutes else n == options.rounds:
                return
            n += 1
            yield name


@contextmanager
def _started(kind: str, folder: Path, options: argparse.Namespace) -> Iterator["_Site"]:
    with ExitStack() as stack:
        server = proxy = disk = None
        if kind == "postgres":
            server = stack.enter_context(Postgres(folder / "postgres"))
            proxy = stack.enter_context(Proxy(server.port))
            url = f"postgres://rankings@127.0.0.1:{proxy.port}/rankings"
        else:
            disk = stack.enter_context(small_disk(folder / "disk"))
            (folder / "disk").mkdir(exist_ok=True)
            url = f"sqlite:///{folder}/disk/db.sqlite3"
        cluster = None
        if Cluster.is_there():
            cluster = Cluster(folder)
            stack.callback(cluster.stop)
        (metrics := folder / "metrics").mkdir()
        given = {
            "DEBUG": "false",
            "DASK_SCHEDULER": cluster.address if cluster else "",
            "STATIC_ROOT": str(folder / "static"),
            "PROMETHEUS_MULTIPROC_DIR": str(metrics),
        }
        own = stack.enter_context(own_site(url, **given))
        from django.db import connections

        collect_static()
        study = make_study(_METHODS, options.images, photographs=True)
        people = make_annotators(study, options.annotators)
        site = _Site(folder, own.environment, study, people)
        site.server, site.proxy, site.disk, site.cluster = server, proxy, disk, cluster
        connections.close_all()
        stack.callback(site.stop)
        site.start()
        yield site


class _Site:
    """Two web servers, two workers and simulated people; faults, and the invariants after them."""

    server: Postgres | None
    proxy: Proxy | None
    disk: Any
    cluster: Cluster | None

    def __init__(self, folder: Path, environment: dict[str, str], study: Any, people: Any) -> None:
        from django.contrib.auth.models import User

        from annotate.judging import services
        from annotate.judging.presentation import payload

        self._admin = User.objects.create_superuser("admin")
        self._folder, self._study, self._ports = folder, study, [free_port() for _ in range(2)]
        self._clock = folder / "clock"
        self._clock.write_text("0")
        self._environment = os.environ | environment | {"CLOCK_FILE": str(self._clock)}
        self._people = []
        for number, person in enumerate(people):
            found = services.start(study=study, annotator=person)
            shown = payload(found.turn, found.remaining)
            self._people.append(Annotator(sign_in(person), shown, random.Random(number)))
        self._loads = Loads()
        self._long = Work(folder, self._environment, study, self._admin)
        self._acknowledged: set[str] = set()
        self._last_answer = dict.fromkeys(product(range(len(people)), self._ports), 0.0)
        self._ended = threading.Event()
        self.entry = Entry(study)
        # Held while a person acts, and while the database is read.
        self._locks = [threading.Lock() for _ in range(len(people) + _VISITORS)]
        works = [self._work] * len(people) + [self._visit] * _VISITORS
        self._threads = [threading.Thread(target=work, args=(at,)) for at, work in enumerate(works)]

    def start(self) -> None:
        served = ("--config", "text_rankings/site/gunicorn.py", "--workers", "2")
        self._webs = [
            self._supervised(f"web-{at}", port, *served) for at, port in enumerate(self._ports, 1)
        ]
        self._workers = [self._supervised(f"worker-{at}") for at in (1, 2)]
        for thread in self._threads:
            thread.start()
        self.wait_until_all_answer()

    def _supervised(self, name: str, port: int | None = None, *options: str) -> Supervised:
        """Start a web server, or without a port a worker, that the clock of the site goes by."""
        command = ["-m", "tests.crash.shifted", "worker"]
        if port is not None:
            command = gunicorn(port, *options, application="tests.crash.shifted:application")
        return Supervised(command, self._environment, self._folder / f"{name}.log")

    def stop(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()
        for server in [*self._webs, *self._workers]:
            server.stop()

    @property
    def n_acknowledged(self) -> int:
        return len(self._acknowledged)

    @property
    def n_failed(self) -> int:
        """Requests that were not answered, or not with 200, so far."""
        counts = [self.entry.statuses, *(one.statuses for one in self._people)]
        return sum(statuses.total() - statuses["200"] for statuses in counts)

    @property
    def n_taken_up(self) -> int:
        """Jobs that were begun more than once, because their worker was killed."""
        from annotate.jobs.models import Job

        return Job.objects.filter(n_attempts__gt=1).count()

    # People

    def _work(self, at: int) -> None:
        annotator, ports = self._people[at], cycle(self._ports)
        while not self._ended.is_set() and "screen" in annotator.shown:
            with self._locks[at]:
                screen, port = annotator.shown["screen"]["id"], next(ports)
                n_before = annotator.statuses["200"]
                try:
                    # The same answer again until it is acknowledged, as the page does.
                    annotator.answer(port)
                except (HTTPException, ValueError):
                    continue  # half a response
                if annotator.statuses["200"] > n_before:
                    self._acknowledged.add(screen)
                    self._last_answer[at, port] = time.monotonic()
            time.sleep(annotator.rng.expovariate(1 / _THINK_SECONDS))

    def _visit(self, at: int) -> None:
        steps = self.entry.visits(at, partial(next, cycle(self._ports)))
        while not self._ended.wait(_THINK_SECONDS):
            with self._locks[at]:
                if screen := next(steps):
                    self._acknowledged.add(screen)

    def wait_until_all_answer(self) -> float:
        """Return the seconds until both servers have acknowledged an answer of every annotator."""
        began = time.monotonic()
        while time.monotonic() - began < _BACK_SECONDS:
            busy = [at for at, one in enumerate(self._people) if "screen" in one.shown]
            if not busy:
                raise RuntimeError("everybody has ranked everything: begin with more --images")
            if all(self._last_answer[one] > began for one in product(busy, self._ports)):
                return time.monotonic() - began
            time.sleep(0.05)
        logs = [log.read_text(errors="replace")[-3000:] for log in self._folder.glob("web-*.log")]
        raise RuntimeError("\n".join([f"not back within {_BACK_SECONDS} s", *logs]))

    # Invariants

    def look(self, *, at_the_end: bool = False) -> list[str]:
        """Return the violated invariants; the database and the files are read while no one answers."""
        from django.db import connections

        with ExitStack() as stack:
            # A server that was killed has ended them; and an open file cannot become read-only.
            connections.close_all()
            stack.callback(connections.close_all)
            for lock in self._locks:
                stack.enter_context(lock)
            return list(self._faults_found(at_the_end=at_the_end))

    def _faults_found(self, *, at_the_end: bool) -> Iterator[str]:
        from django.db.models import Count, F

        from annotate.datasets.models import Image, stored_path
        from annotate.judging.models import Judgement, Screen
        from annotate.scoring.models import ProtocolRun

        if at_the_end:
            yield from faults_of_jobs()
            self._long.rehearse(self.server)
        yield from self._loads.faults(ended=at_the_end)
        yield from self._long.faults()
        times = Counter(Judgement.objects.values_list("screen__public_id", flat=True))
        if lost := self._acknowledged - set(times):
            yield f"{len(lost)} acknowledged answers lost"
        if twice := sum(n > 1 for n in times.values()):
            yield f"{twice} answers stored twice"
        # Sent, stored, and its acknowledgement lost: at most one for each person.
        unknown = set(times) - self._acknowledged
        if len(unknown) > len(self._locks):
            yield f"{len(unknown)} answers nobody was told of"
        yield from self.entry.faults()
        if not all(thread.is_alive() for thread in self._threads[-_VISITORS:]):
            yield "the simulation of a person who came by a link has failed"
        waiting = Screen.objects.filter(state="waiting").values("assignment")
        if waiting.annotate(n=Count("pk")).filter(n__gt=1).exists():
            yield "two screens of an image wait"
        half = ProtocolRun.objects.annotate(n=Count("scores")).exclude(n=F("n_scores"))
        if half.exists():
            yield f"{half.count()} runs are half stored"
        for digest in Image.objects.exclude(sha256="").values_list("sha256", flat=True):
            if sha256(stored_path(digest).read_bytes()).hexdigest() != digest:
                yield f"photograph {digest} is damaged"

    # Faults

    def faults(self) -> dict[str, Fault]:
        kill_workers = partial(self._kill, self._workers)
        faults: dict[str, Fault] = {
            "a web process": lambda: random.choice(self._webs).kill_a_child(),
            "the first site": self._webs[0].kill,
            "the second site": self._webs[1].kill,
            "both sites": lambda: self._kill(self._webs),
            "the first worker": lambda: self._long.kill_during_scoring(self._workers[0].kill),
            "the second worker": lambda: self._long.kill_during_scoring(self._workers[1].kill),
            # Some photographs are stored and no row is committed; the next worker loads all.
            "a load half-way": lambda: self._loads.kill_half_way(kill_workers),
            "a report": lambda: self._long.kill_during_a_report(kill_workers),
            "a bundle": lambda: self._long.kill_during_a_bundle(kill_workers),
            "a backup": self._long.kill_a_backup,
            "a restore": lambda: self._long.kill_a_restore(self.server),
            "same photographs": lambda: self._long.race_for_photographs(self._loads),
            "rolling restart": self._restart_slowly,
            "clock an hour ahead": lambda: self._set_clock(3600),
            "clock an hour back": lambda: self._set_clock(-3600),
        }
        if self.cluster is not None:
            kill = self.cluster.kill_scheduler_of_a_job
            faults["the scheduler"] = lambda: kill(self._study.dataset, self._admin)
        if self.disk is not None and self.disk.can_be_slow:
            faults["slow disk"] = self._slow_disk
        if self.disk is not None:
            faults["full disk"] = lambda: self._while_(self.disk.full())
            faults["read-only files"] = self._read_only
        if self.server is not None and self.proxy is not None:
            server, proxy = self.server, self.proxy
            faults["connections ended"] = server.end_connections
            faults["a database process"] = server.kill_a_process
            faults["the database"] = server.kill
            faults["network cut"] = lambda: self._while_(proxy.cut())
            faults["network silent"] = lambda: self._while_(proxy.silent())
            faults["slow database"] = lambda: self._while_(proxy.slow())
        return faults

    def _while_(self, fault: Any) -> None:
        with fault:
            time.sleep(_FAULT_SECONDS)

    def _kill(self, servers: Sequence[Supervised]) -> None:
        for server in servers:
            server.kill()

    def _restart_slowly(self) -> None:
        """Restart all web processes, one site after the other; no request may fail."""
        n_failed = self.n_failed
        for web in self._webs:
            main, *before = web.processes()
            os.kill(main, signal.SIGHUP)

            def are_new(web: Supervised = web, before: Sequence[int] = before) -> bool:
                now = web.processes()[1:]
                return len(now) >= len(before) and not {*now} & {*before}

            until(are_new, "a restart of all web processes")
            self.wait_until_all_answer()
        if failed := self.n_failed - n_failed:
            self._long.note(f"{failed} requests failed while the site was restarted")

    def _slow_disk(self) -> None:
        """SQLite waits for the disk in the process that answers."""
        servers = [*self._webs, *self._workers]
        with self.disk.slow([one for server in servers for one in server.processes()]):
            self.wait_until_all_answer()

    def _read_only(self) -> None:
        """As after an error of the disk: nothing that runs has a file open for writing."""
        with self.disk.read_only(partial(self._kill, [*self._webs, *self._workers])):
            n_responses = self._n_responses()
            until(lambda: self._n_responses() > n_responses, "a response on a read-only disk")

    def _n_responses(self) -> int:
        """Return the number of HTTP responses so far, whatever they said."""
        counts = (one.statuses.items() for one in self._people)
        return sum(n for statuses in counts for status, n in list(statuses) if status.isdigit())

    def _set_clock(self, seconds: int) -> None:
        self.entry.open_wide()
        self._clock.write_text(str(seconds))
        self.wait_until_all_answer()
        self._clock.write_text("0")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    pages.run(main, page="breaking")
