"""Hold a mock challenge over HTTP, as shipped: teams, uploads of every kind, workers that are killed.

    python -m benchmarks.challenge [--teams 20] [--uploads 200] [--kills 5] [--seconds 90] [--images 40]
                                   [--postgres URL | --sqlite]

Teams sign up by the link and submit good, broken, huge, empty and repeated files, some two at once,
through gunicorn with the settings of production. Workers are killed while they score; the challenge
freezes after a third of the time and closes after two thirds, while files still arrive. Afterwards
the benchmark compares what teams saw with what is stored, and the standings with the scores that
the command line computes from the same files. Nothing passes or fails; targets are printed next to
the numbers.
"""

import argparse
import io
import json
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from http.client import HTTPException
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener
from uuid import uuid4
from zipfile import ZIP_DEFLATED, ZipFile

from . import pages
from .own_site import (
    ROOT,
    add_database_options,
    database_name,
    free_port,
    gunicorn,
    make_study,
    percentile,
    print_line,
    shipped_site,
    sign_in,
)

_TIMEOUT_SECONDS, _PATIENCE_SECONDS = 300, 600
_MAX_MB, _QUOTA = 1, 6
_KINDS = ("good", "good", "broken", "good", "huge", "empty", "repeated", "twins", "good", "good")
_ENTRY = re.compile(r"/entries/(\d+)/$")
_PROTOCOLS = ("iou", "deteval")
# When the workers start, and the last of those killed.
_FIRST_KILL, _LAST_KILL = 0.1, 0.6
Boxes = dict[str, list[tuple[int, ...]]]


@dataclass
class Team:
    """A simulated team: its browser, files, and what became of each upload."""

    site: str
    number: int
    truth: Boxes
    session: str
    # The address of the challenge, and of its team page.
    slug: str
    sent: list[tuple[str, str]] = field(default_factory=list)
    files: dict[int, bytes] = field(default_factory=dict)
    times_ms: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.number)
        self._good = b""

    def join(self, address: str) -> None:
        self._post(f"/public/challenges/{address}/join/", {})
        self._post(f"/challenges/{self.slug}/team/", {"name": f"Team of {self.number}"})

    def submit(self, kind: str) -> None:
        """Send one upload, or two different ones at once."""
        if kind == "twins":
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(self._send, ["good", "good"], [self._zip(), self._zip()]))
            return
        content = {
            "broken": b"PK\x03\x04 and no more",
            "huge": bytes(_MAX_MB * 1024 * 1024 + 1),
            "empty": _zipped({}),
            "repeated": self._good or _zipped({}),
        }.get(kind) or self._zip()
        if kind == "good":
            self._good = content
        self._send(kind, content)

    def _zip(self) -> bytes:
        """Return results that find a random share of the words, each a little off its place."""
        share = 0.3 + 0.7 * self._rng.random()
        return _zipped(
            {
                name: [
                    tuple(side + self._rng.randint(-4, 4) for side in word)
                    for word in words
                    if self._rng.random() < share
                ]
                for name, words in self.truth.items()
            }
        )

    def _send(self, kind: str, content: bytes) -> None:
        began = time.perf_counter()
        try:
            status, at = self._post(f"/challenges/{self.slug}/", {}, content)
        except (OSError, HTTPException) as fault:
            self.faults.append(f"{kind}: {type(fault).__name__}: {fault}")
            return
        self.times_ms.append(1000 * (time.perf_counter() - began))
        found = _ENTRY.search(at)
        if found:
            self.files[int(found[1])] = content
        self.sent.append((kind, "taken" if found else f"refused with {status}"))

    def _post(self, path: str, sent: dict[str, str], file: bytes | None = None) -> tuple[int, str]:
        """Return the status, and where the request led to."""
        opener = build_opener(HTTPCookieProcessor(CookieJar()))
        token = uuid4().hex
        cookies = f"sessionid={self.session}; csrftoken={token}"
        headers = {"Cookie": cookies, "X-CSRFToken": token, "Referer": self.site}
        body = urlencode(sent).encode()
        if file is not None:
            edge = uuid4().hex
            headers["Content-Type"] = f"multipart/form-data; boundary={edge}"
            head = (
                f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="mine.zip"'
                "\r\nContent-Type: application/zip\r\n\r\n"
            )
            body = head.encode() + file + f"\r\n--{edge}--\r\n".encode()
        request = Request(self.site + path, body, headers)
        try:
            with opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
                return response.status, response.url
        except HTTPError as refused:
            with refused:
                if refused.code >= 500:
                    raise
                return refused.code, ""


def _zipped(results: Boxes) -> bytes:
    stream = io.BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, boxes in results.items():
            lines = "".join(",".join(map(str, box)) + "\n" for box in boxes)
            archive.writestr(f"res_{name}.txt", lines)
    return stream.getvalue()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--teams", type=int, default=20)
    parser.add_argument("--uploads", type=int, default=200, help="of all teams")
    parser.add_argument("--kills", type=int, default=5, help="of workers, while they score")
    parser.add_argument(
        "--seconds", type=float, default=90, help="from the first upload to the last"
    )
    parser.add_argument("--images", type=int, default=40)
    add_database_options(parser)
    options = parser.parse_args(arguments)
    with shipped_site(options) as site:
        _challenge(site, options)


def _challenge(site: Any, options: argparse.Namespace) -> None:
    from django.contrib.auth.models import User
    from django.db import connections
    from django.utils import timezone

    from annotate.challenges import services
    from annotate.challenges.models import Challenge

    dataset = make_study(2, options.images).dataset
    now = timezone.now()
    challenge = services.save_challenge(
        Challenge(
            dataset=dataset,
            title="Mock challenge",
            opens=now - timedelta(hours=1),
            closes=now + timedelta(days=1),
            entries_a_day=_QUOTA,
            entries_in_all=_QUOTA,
            max_mb=_MAX_MB,
            final_rule="best",
            hidden_score="after",
        ),
        protocols=[(slug, {}) for slug in _PROTOCOLS],
        hidden=services.drawn_hidden(dataset, share=0.5, seed=2018),
    )
    truth = {
        image.name: [tuple(map(round, region.box)) for region in image.truth_regions]
        for image in dataset.images.all()
    }
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    teams = [
        Team(address, at, truth, sign_in(User.objects.create_user(f"person {at}")), challenge.slug)
        for at in range(options.teams)
    ]
    connections.close_all()
    print(
        f"{options.teams} teams, {options.uploads} uploads within {options.seconds:g} s, "
        f"{options.kills} workers killed, {options.images} images; {database_name()}",
        flush=True,
    )
    with site.served(gunicorn(port, "--config", "text_rankings/site/gunicorn.py"), port):
        for team in teams:
            team.join(challenge.address)
        _set_dates(challenge, options.seconds)
        killer = threading.Thread(target=_kill_workers, args=(site, options))
        killer.start()
        _upload(teams, options)
        killer.join()
        worker = _worker(site)
        try:
            _wait()
        finally:
            worker.terminate()
            worker.wait()
    _tell(teams, challenge, truth)


def _set_dates(challenge: Any, seconds: float) -> None:
    from django.db import connections
    from django.utils import timezone

    from annotate.challenges import services

    now = timezone.now()
    challenge.freezes = now + timedelta(seconds=seconds / 3)
    challenge.closes = now + timedelta(seconds=2 * seconds / 3)
    services.save_challenge(challenge)
    connections.close_all()


def _upload(teams: Sequence[Team], options: argparse.Namespace) -> None:
    """Send all uploads at random moments; those of a team may overlap."""
    rng = random.Random(2018)
    timers = [
        threading.Timer(
            rng.uniform(0, options.seconds),
            teams[at % len(teams)].submit,
            [_KINDS[at // len(teams) % len(_KINDS)]],
        )
        for at in range(options.uploads)
    ]
    for timer in timers:
        timer.start()
    for timer in timers:
        timer.join()


def _worker(site: Any) -> "subprocess.Popen[bytes]":
    import os

    environment = os.environ | site.environment
    return subprocess.Popen([sys.executable, "manage.py", "worker"], cwd=ROOT, env=environment)


def _kill_workers(site: Any, options: argparse.Namespace) -> None:
    """Start workers one after the other, and kill each like a power failure."""
    from annotate.challenges.services import KIND

    between = (_LAST_KILL - _FIRST_KILL) * options.seconds / max(1, options.kills)
    time.sleep(_FIRST_KILL * options.seconds)
    for _ in range(options.kills):
        worker = _worker(site)
        until = time.monotonic() + between
        # While it scores, if it does in time.
        while time.monotonic() < until and not _is_running(KIND):
            time.sleep(0.01)
        worker.kill()
        worker.wait()


def _is_running(kind: str) -> bool:
    from django.db import connections

    from annotate.jobs.models import Job

    try:
        return Job.objects.filter(kind=kind, state=Job.State.RUNNING).exists()
    finally:
        connections.close_all()


def _wait() -> None:
    from annotate.challenges.models import Entry

    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until and Entry.objects.filter(state="checking").exists():
        time.sleep(0.5)
    # Scores are shown at a multiple of 15 seconds after the upload.
    while time.monotonic() < until and _n_waiting():
        time.sleep(0.5)


def _n_waiting() -> int:
    from django.utils import timezone

    from annotate.challenges.models import Entry

    n: int = Entry.objects.filter(told__gt=timezone.now()).count()
    return n


def _tell(teams: Sequence[Team], challenge: Any, truth: Boxes) -> None:
    from annotate.challenges.models import Entry

    challenge.refresh_from_db()
    sent = Counter(f"{kind}: {what}" for team in teams for kind, what in team.sent)
    for what, n in sorted(sent.items()):
        print_line(what, str(n))
    faults = [fault for team in teams for fault in team.faults]
    print_line("uploads that met a fault", str(len(faults)), "none")
    print("".join(f"    {fault}\n" for fault in faults[:5]), end="")
    times = [ms for team in teams for ms in team.times_ms]
    if times:
        print_line("upload to answer, p95", f"{percentile(times, 0.95):.0f} ms")
    entries = list(Entry.objects.select_related("team").prefetch_related("scores"))
    n_taken = sum(what == "taken" for team in teams for _, what in team.sent)
    print_line("taken: seen / stored", f"{n_taken} / {len(entries)}", "equal")
    states = Counter(entry.state for entry in entries)
    print_line("entries by state", ", ".join(f"{n} {state}" for state, n in sorted(states.items())))
    expected = len(_PROTOCOLS) * len(challenge.splits)
    scored = [entry for entry in entries if entry.state == "scored"]
    print_line(
        "scored not exactly once",
        str(sum(entry.scores.count() != expected for entry in scored)),
        "none",
    )
    refused = [entry for entry in entries if entry.state == "refused"]
    print_line("refused without a sentence", str(sum(not one.findings for one in refused)), "none")
    used = Counter(entry.team_id for entry in entries if entry.state != "refused")
    print_line("most entries of a team", str(max(used.values(), default=0)), f"<= {_QUOTA}")
    late = sum(entry.created >= challenge.closes for entry in entries)
    print_line("entries after the end", str(late), "none")
    files = {pk: content for team in teams for pk, content in team.files.items()}
    for split in challenge.splits:
        _compare(challenge, split, truth, files)


def _compare(challenge: Any, split: str, truth: Boxes, files: dict[int, bytes]) -> None:
    """Compare the standings on a split with the scores of the command line."""
    from annotate.challenges.selectors import standings

    found = standings(challenge, split)
    if found is None:
        print_line(f"standings on {split} images", "none")
        return
    names = set(challenge.images_of(split).values_list("name", flat=True))
    with TemporaryDirectory() as name:
        folder = Path(name)
        of_split = {image: boxes for image, boxes in truth.items() if image in names}
        _write(folder / "gt.zip", "gt", of_split)
        paths = []
        for entry in found.entries:
            paths.append(folder / f"{entry.pk:012d}.zip")
            _write(paths[-1], "res", _read(files[entry.pk], names))
        values = _by_command_line(folder, paths)
    shown = {
        f"{entry.pk:012d}": value
        for entry, value in zip(found.entries, found.boards.board.values, strict=True)
    }
    differ = [key for key, value in shown.items() if abs((value or 0) - values[key]) > 1e-12]
    in_order = sorted(values, key=lambda key: (-values[key], key))
    print_line(f"{split}: entries with another score", f"{len(differ)} of {len(shown)}", "none")
    print_line(f"{split}: same order", str(in_order == list(shown)), "True")


def _read(content: bytes, names: set[str]) -> Boxes:
    with ZipFile(io.BytesIO(content)) as archive:
        return {
            name: [
                tuple(map(int, line.split(",")))
                for line in archive.read(f"res_{name}.txt").decode().splitlines()
            ]
            for name in sorted(names)
        }


def _write(path: Path, prefix: str, regions: Boxes) -> None:
    with ZipFile(path, "w") as archive:
        for name, boxes in regions.items():
            more = ",word" if prefix == "gt" else ""
            lines = "".join(",".join(map(str, box)) + f"{more}\n" for box in boxes)
            archive.writestr(f"{prefix}_{name}.txt", lines)


def _by_command_line(folder: Path, paths: Sequence[Path]) -> dict[str, float]:
    """Return the F-score of each file by the first protocol, as text-protocols computes it."""
    out = folder / "scores.json"
    command = [sys.executable, "-m", "protocols", "score", "--protocol", _PROTOCOLS[0]]
    command += ["--truth", str(folder / "gt.zip"), "--results", *map(str, paths)]
    command += ["--out", str(out), "--workers", "1"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    rows = json.loads(out.read_text())
    return {row["method"]: row["f_score"] or 0.0 for row in rows if row["image"] == "*"}


if __name__ == "__main__":
    pages.run(main)
