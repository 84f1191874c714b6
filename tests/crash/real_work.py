"""Real work that is killed half-way while people answer: reports, bundles, backups, restores, sweeps.

Each fault notes what it found wrong (`Work.faults`); the invariants of the site are looked at besides.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.own_site import ROOT

from .breaking import Postgres
from .long_work import Loads, until

_LONG_AGO_SECONDS = 2 * 24 * 3600


class Work:
    """A study's long work, on a site whose worker is killed."""

    def __init__(self, folder: Path, environment: dict[str, str], study: Any, admin: Any) -> None:
        self._folder, self._environment = folder, environment
        self._study, self._admin = study, admin
        self._found: list[str] = []
        self._n = 0

    def faults(self) -> Iterator[str]:
        """Yield what was found wrong since the last time, and the files that no one can name."""
        while self._found:
            yield self._found.pop()

    def note(self, fault: str) -> None:
        self._found.append(fault)

    # Jobs

    def kill_during_a_report(self, kill: Callable[[], None]) -> None:
        from annotate.reports import work
        from annotate.reports.services import asked_now, available_runs
        from annotate.scoring.services import score_protocol
        from rankings.agreement.report import Settings

        if not available_runs(self._study):
            score_protocol(dataset=self._study.dataset, slug="count")
        self._n += 1
        settings = Settings(min_annotators=1, beta=1 + self._n / 1000)
        job = work.start(asked_now(self._study, settings), person=self._admin)
        self._kill_when(job, lambda: True, kill)

    def kill_during_scoring(self, kill: Callable[[], None]) -> None:
        """Kill one of two workers when four jobs have begun: each works on two at once."""
        from annotate.scoring import work

        for _ in range(4):
            self._n += 1
            parameters = {"min_iou": 0.5 + self._n / 10_000}
            job = work.start(
                dataset=self._study.dataset, slug="iou", parameters=parameters, person=self._admin
            )
        self._kill_when(job, lambda: True, kill)

    def kill_during_a_bundle(self, kill: Callable[[], None]) -> None:
        """Kill the worker while half of the file is written; no one may fetch that half."""
        from annotate.exchange import work
        from annotate.jobs import files

        job = work.start(
            work.BUNDLE, self._study, photographs=True, names=False, person=self._admin
        )
        self._kill_when(job, lambda: any(files.folder().glob(f"{job.pk}-*.part")), kill)
        job.refresh_from_db()
        if files.path_of(job) is not None and job.state != "done":
            self._found.append("half a bundle can be fetched")

    def _kill_when(self, job: Any, is_there: Callable[[], bool], kill: Callable[[], None]) -> None:
        from annotate.jobs.models import Job

        states = Job.objects.filter(pk=job.pk).values_list("state", flat=True)
        until(lambda: states.get() != Job.State.WAITING, "the beginning of a job", every=0.005)
        until(lambda: states.get() != Job.State.RUNNING or is_there(), "half a job", every=0.002)
        kill()

    # Backups

    def kill_a_backup(self) -> None:
        """Kill `backup` half-way; no archive may be there, and the next one is whole."""
        archive = self._archive()
        self._killed(["backup", str(archive)], lambda: archive.with_suffix(".zip.part").exists())
        if archive.exists():
            self._found.append("a backup that was killed looks whole")
        self._run("backup", str(archive))
        self._run("rehearse", str(archive))

    def rehearse(self, server: Postgres | None) -> None:
        """Rehearse an emergency into a database of the same kind, with what the faults have left."""
        archive = self._archive()
        self._run("backup", str(archive))
        url = ["--database", server.new_database("rehearsal")] if server else []
        self._run("rehearse", str(archive), *url)

    def kill_a_restore(self, server: Postgres | None) -> None:
        """Kill `restore` half-way; the next restore into the same place takes everything."""
        archive, scratch = self._archive(), self._folder / f"scratch_{self._n}"
        self._run("backup", str(archive))
        scratch.mkdir()
        url = server.new_database(scratch.name) if server else f"sqlite:///{scratch}/db.sqlite3"
        there = {"DATABASE_URL": url, "DATA_DIR": str(scratch)}
        command = ["restore", str(archive)]
        self._killed(command, lambda: any(scratch.glob("images/*/*")), **there)
        self._run(*command, **there)
        self._run("replay", "--check", **there)

    def _archive(self) -> Path:
        self._n += 1
        return self._folder / f"site-{self._n}.zip"

    def _killed(self, command: list[str], is_there: Callable[[], bool], **more: str) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "django", *command],
            cwd=ROOT,
            env=self._environment | more,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(lambda: is_there() or process.poll() is not None, command[0], every=0.002)
        process.kill()
        process.wait()

    def _run(self, *command: str, **more: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "django", *command],
            cwd=ROOT,
            env=self._environment | more,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            self._found.append(f"{command[0]}: {done.stderr.strip().splitlines()[-1]}")

    # Photographs

    def race_for_photographs(self, loads: Loads) -> None:
        """Undo a load while another stores the same, old, photographs and the sweep runs."""
        from django.db import connections

        from annotate.datasets import orphans
        from annotate.datasets.models import Dataset, stored_path
        from annotate.imports.undoing import undo_import

        first = loads.load(seed=1000 + self._n)
        second = loads.start(seed=1000 + self._n)
        receipts = list(Dataset.objects.get(name=first).imports.order_by("-pk"))
        images = Dataset.objects.get(name=first).images.values_list("sha256", flat=True)
        for digest in list(images):
            then = time.time() - _LONG_AGO_SECONDS
            os.utime(stored_path(digest), (then, then))
        is_over = threading.Event()

        def sweep() -> None:
            while not is_over.is_set():
                orphans.sweep()
            connections.close_all()

        sweeping = threading.Thread(target=sweep)
        sweeping.start()
        try:
            loads.confirm(second)
            for receipt in receipts:
                undo_import(receipt=receipt)
            loads.forget(first)
            loads.wait_for(second)
        finally:
            is_over.set()
            sweeping.join()
        self._n += 1
