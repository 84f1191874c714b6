"""A separate site for a measurement: a temporary folder, an empty database, a generated study."""

import argparse
import io
import os
import random
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parents[1]
SIZE = (1280, 720)
FORM = "application/x-www-form-urlencoded"
_WORDS = 15
_START_SECONDS = 120
# Below the ports that systems assign automatically, which may be taken by the time they are used.
_PORTS = range(10_240, 32_768)


@dataclass(frozen=True)
class OwnSite:
    """The folder of a separate site, and the environment of its servers."""

    folder: Path
    environment: dict[str, str]

    @contextmanager
    def served(self, command: Sequence[str], port: int) -> Iterator["Served"]:
        """Run a server until the block ends."""
        log = self.folder / "server.log"
        with log.open("wb") as out:
            server = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=os.environ | self.environment,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
            try:
                _wait_for(port, server, log)
                yield Served(log, server.pid)
            finally:
                server.terminate()
                server.wait(timeout=_START_SECONDS)


def gunicorn(port: int, *options: str, application: str = "text_rankings.site.wsgi") -> list[str]:
    """Return the Python arguments that start a web server."""
    return ["-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}", *options]


@dataclass(frozen=True)
class Served:
    """A running server: its log file and its process."""

    log: Path
    pid: int

    def processor_seconds(self) -> float:
        """Return the processor time of the server and all its processes, including ended ones."""
        return processor_seconds_of(self.pid)


def processor_seconds_of(pid: int) -> float:
    """Return the processor time of a process and its descendants, including ended ones."""
    return sum(map(_processor_seconds, family(pid)))


def family(pid: int) -> list[int]:
    """Return a process and its descendants; empty if it has ended."""
    folder, children = Path(f"/proc/{pid}/task"), []
    if not folder.exists():
        return []
    # Each thread has its own, and may end meanwhile.
    for listed in folder.glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            children += listed.read_text().split()
    return [pid, *(one for child in children for one in family(int(child)))]


def _processor_seconds(pid: int) -> float:
    # After the name in brackets, which may contain blanks: user and system time, then those of
    # ended children.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def processor_seconds_of_postgres() -> float:
    """Return the processor time of the database's server, ended processes included.

    0 if it runs on another machine. Other databases of the server count, too.
    """
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (own,) = cursor.fetchone()
    try:
        fields = Path(f"/proc/{own}/stat").read_text().rpartition(")")[2].split()
        return processor_seconds_of(int(fields[1]))
    except FileNotFoundError:
        return 0.0


def run_clients(clients: Sequence[Thread], served: Served) -> tuple[list[float], float]:
    """Run clients, and return the processor time of web, database and clients, and the seconds."""

    def so_far() -> list[float]:
        return [served.processor_seconds(), processor_seconds_of_postgres(), time.process_time()]

    before, began = so_far(), time.monotonic()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    lasted = time.monotonic() - began
    return [now - then for then, now in zip(before, so_far(), strict=True)], lasted


def tell_processor_times(took: Sequence[float], n_answers: int) -> None:
    """Print the processor time per answer, which hardly depends on other load."""
    for who, seconds in zip(("web", "PostgreSQL", "clients"), took, strict=True):
        print_line(f"processor time an answer, {who}", f"{1000 * seconds / n_answers:.2f} ms")


@contextmanager
def own_site(database_url: str = "", **environment: str) -> Iterator[OwnSite]:
    """Set up Django on an empty site; nothing of Django may be imported before."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        settings = {
            "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings",
            "DATA_DIR": name,
            "DATABASE_URL": database_url,
            "SECRET_KEY": secrets.token_urlsafe(50),
            "ALLOWED_HOSTS": "127.0.0.1",
            "HTTPS": "false",
            # Simulated people name addresses of their own.
            "TRUSTED_PROXIES": "127.0.0.1",
            "LOG_LEVEL": "ERROR",
            **environment,
        }
        os.environ.update(settings)
        import django
        from django.core.management import call_command
        from django.db import connections

        django.setup()
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        try:
            yield OwnSite(Path(name), settings)
        finally:
            connections.close_all()


@contextmanager
def counted_queries() -> Iterator[list[str]]:
    """Yield a list that collects the SQL of every query in the block."""
    from django.db import connection

    queries: list[str] = []

    def counting(execute: Any, sql: str, *details: Any) -> Any:
        queries.append(sql)
        return execute(sql, *details)

    with connection.execute_wrapper(counting):
        yield queries


def add_database_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the database of a site."""
    parser.add_argument(
        "--postgres",
        default=os.environ.get("POSTGRES_URL", ""),
        help="address of a server on which a database may be made (POSTGRES_URL)",
    )
    parser.add_argument("--sqlite", action="store_true", help="SQLite, whatever else there is")


def chosen_database(options: argparse.Namespace) -> AbstractContextManager[str]:
    """Open what the options choose: a new database on PostgreSQL, or "", which is SQLite."""
    if options.postgres and not options.sqlite:
        return own_postgres(options.postgres)
    return nullcontext("")


def database_name() -> str:
    from django.db import connection

    return {"postgresql": "PostgreSQL", "sqlite": "SQLite"}[connection.vendor]


@contextmanager
def shipped_site(options: argparse.Namespace) -> Iterator[OwnSite]:
    """Set up an empty site with the settings of production, on the database that options choose."""
    with (
        chosen_database(options) as database,
        tempfile.TemporaryDirectory(prefix="benchmark-") as static,
        own_site(database, DEBUG="false", STATIC_ROOT=static) as site,
    ):
        collect_static()
        yield site


def collect_static() -> None:
    """Collect the files that the site's own pages need."""
    from django.core.management import call_command

    # Packing the libraries' files for other pages takes a minute.
    others = ["drf_spectacular_sidecar", "rest_framework", "admin"]
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=others)


@contextmanager
def own_postgres(url: str) -> Iterator[str]:
    """Create an empty database on the same server; yield its address, or "" if impossible."""
    import psycopg
    from psycopg import sql

    name = f"benchmark_{os.getpid()}"
    try:
        server = psycopg.connect(
            url.replace("postgres://", "postgresql://"), autocommit=True, connect_timeout=3
        )
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    except psycopg.Error as fault:
        print(f"PostgreSQL cannot be used ({' '.join(str(fault).split())}); SQLite instead.")
        yield ""
        return
    try:
        yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    finally:
        server.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )
        server.close()


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser: the system's Chromium, or the one that Playwright downloaded."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "chromium-headless-shell")
    found = next(filter(None, map(shutil.which, names)), None)
    own = sorted(Path.home().glob(".cache/ms-playwright/chromium-*/chrome-linux*/chrome"))
    path = found or (str(own[-1]) if own else None)
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


def signed_in(browser: Any, address: str, session: str, **options: Any) -> Any:
    """Return a browser context with the cookie of a session."""
    context = browser.new_context(**options)
    context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    return context


def free_port() -> int:
    """Return a free port that the system will not assign later."""
    while True:
        port = random.SystemRandom().choice(_PORTS)
        with closing(socket.socket()) as listener:
            if listener.connect_ex(("127.0.0.1", port)) != 0:
                return port


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        if is_serving(port):
            return
        time.sleep(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text()}")


def is_serving(port: int) -> bool:
    """Return whether a site answers on this port of this machine."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        try:
            connection.request("GET", "/accounts/login/")
            connection.getresponse().read()
        except OSError:
            return False
    return True


def make_study(
    n_methods: int,
    n_images: int,
    *,
    photographs: bool = False,
    n_words: int = _WORDS,
    **settings: Any,
) -> Any:
    """Return an open study, in which better methods find more words; all of them shift words."""
    from annotate.datasets.models import Dataset, Image, Method, Result
    from annotate.studies.services import create_study
    from protocols.core.regions import Region, canonical_bytes, encode_regions

    rng = random.Random(n_methods)
    name = f"Generated {n_methods} x {n_images} x {n_words}"
    dataset = Dataset.objects.create(
        name=name,
        slug=f"generated-{n_methods}-{n_images}-{n_words}",
        line_format="ltrb",
        box_convention="points",
    )
    methods = Method.objects.bulk_create(
        Method(dataset=dataset, name=f"method {at:02}", slug=f"method-{at:02}")
        for at in range(n_methods)
    )
    for at in range(n_images):
        words = [_word(rng, place) for place in range(n_words)]
        image = Image(
            dataset=dataset,
            name=f"img_{at + 1}",
            position=at,
            truth=encode_regions(Region.from_box(*word) for word in words),
        )
        if photographs:
            _take(image, words, rng)
        image.save()
        results = []
        for number, method in enumerate(methods):
            n_found = rng.randint(number * n_words // (n_methods + 3), n_words)
            found = [
                Region.from_box(*(round(side + rng.gauss(0, 4), 1) for side in word))
                for word in rng.sample(words, n_found)
            ]
            digest = sha256(canonical_bytes(found)).hexdigest()
            results.append(
                Result(
                    image=image,
                    method=method,
                    regions=encode_regions(found),
                    n_regions=len(found),
                    sha256=digest,
                )
            )
        Result.objects.bulk_create(results)
    return create_study(
        name=name, dataset=dataset, methods=methods, seed=2018, state="open", **settings
    )


def _word(rng: random.Random, place: int) -> tuple[float, float, float, float]:
    row, column = divmod(place, 3)
    left, top = 48 + 408 * column + rng.randint(0, 72), 48 + 176 * row + rng.randint(0, 64)
    return left, top, left + rng.randint(96, 272), top + rng.randint(24, 56)


def _take(image: Any, words: Sequence[tuple[float, ...]], rng: random.Random) -> None:
    """Give the image a photograph of 120 kB, as those of ICDAR 2015 have on average."""
    from PIL import Image as Picture
    from PIL import ImageDraw, ImageFilter

    from annotate.datasets.photographs import store

    noise = Picture.effect_noise(SIZE, 40).convert("RGB")
    picture = noise.filter(ImageFilter.GaussianBlur(1))
    draw = ImageDraw.Draw(picture)
    for word in words:
        draw.rectangle(word, fill=tuple(rng.randrange(256) for _ in range(3)))
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=60)
    content = stream.getvalue()
    image.width, image.height = SIZE
    image.sha256, image.content_type = sha256(content).hexdigest(), "image/jpeg"
    store(image.sha256, content)


def make_annotators(study: Any, n: int) -> list[Any]:
    """Return annotators who have completed their first visit."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotate.learning import consent
    from annotate.learning.models import FirstVisit
    from annotate.studies.models import Membership, Role

    now = timezone.now()
    people = []
    for at in range(n):
        person = User.objects.create_user(f"{study.slug}-annotator-{at}")
        Membership.objects.create(study=study, person=person, role=Role.ANNOTATOR)
        FirstVisit.objects.create(
            study=study,
            annotator=person,
            consented=now,
            consent_version=consent.VERSION,
            finished=now,
        )
        people.append(person)
    return people


def sign_in(person: Any) -> str:
    """Return the key of a session, as the sign-in page sets it in a cookie."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def verdicts(payload: dict[str, Any]) -> dict[str, str]:
    """Return verdicts for a screen: each compares one digit of the results' ids; equal ones tie."""
    given = {}
    for place, criterion in enumerate(payload["criteria"]):
        if criterion["state"] == "open":
            left, right = (int(payload[side][place], 16) for side in ("left", "right"))
            given[criterion["name"]] = (
                "equal" if left == right else "left" if left > right else "right"
            )
    return given


@dataclass(frozen=True)
class Request:
    """A request through the full stack of this process: its times, queries and response."""

    ms: float
    processor_ms: float
    queries: list[str]
    response: Any

    @classmethod
    def measured(cls, send: Callable[[], Any]) -> "Request":
        with counted_queries() as queries:
            began, began_here = time.perf_counter(), time.process_time()
            response = send()
            took, took_here = time.perf_counter() - began, time.process_time() - began_here
            return cls(1000 * took, 1000 * took_here, queries, response)


def sent_answer(shown: dict[str, Any], rng: random.Random) -> str:
    """Return the answer to a screen as the page sends it."""
    # Realistic times, so that the expected minutes are computed.
    seconds = f"{rng.uniform(2, 9):.1f}"
    given = {**verdicts(shown), "seconds_taken": seconds, "have": shown["image"]["key"]}
    return urlencode(given)


def answers(client: Any, shown: dict[str, Any], n: int) -> Iterator[tuple[Request, bool]]:
    """Answer screens as the page does; yield each request, and whether the image stays the same."""
    rng = random.Random(7)
    for _ in range(n):
        if "screen" not in shown:
            return
        image = shown["image"]["key"]
        address, sent = shown["screen"]["answer_url"], sent_answer(shown, rng)
        send = partial(client.post, address, sent, content_type=FORM)
        request = Request.measured(send)
        if request.response.status_code != 200:
            raise RuntimeError(f"{request.response.status_code}: {request.response.text[:300]}")
        shown = request.response.json()
        yield request, "image" in shown and shown["image"]["key"] == image


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def print_line(what: str, found: str, target: str = "") -> None:
    """Print a measurement and its target, if there is one."""
    print(f"  {what:<44}{found:>24}" + (f"   target: {target}" if target else ""), flush=True)
