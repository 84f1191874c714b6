"""A site of its own for a measurement: a temporary folder, an empty database, a generated study."""

import io
import os
import random
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parents[1]
SIZE = (1600, 1200)
_WORDS = 15
_START_SECONDS = 30


@dataclass(frozen=True)
class OwnSite:
    """The folder of a site of its own, and the environment of its servers."""

    folder: Path
    environment: dict[str, str]

    @contextmanager
    def served(self, command: Sequence[str], port: int) -> Iterator[Path]:
        """Run a server until the block ends; yield the file with what it says."""
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
                yield log
            finally:
                server.terminate()
                server.wait(timeout=_START_SECONDS)


@contextmanager
def own_site(database_url: str = "", **environment: str) -> Iterator[OwnSite]:
    """Set Django up on an empty site; before this nothing of Django may be imported."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        settings = {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": name,
            "DATABASE_URL": database_url,
            "SECRET_KEY": secrets.token_urlsafe(50),
            "ALLOWED_HOSTS": "127.0.0.1",
            "HTTPS": "false",
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
def own_postgres(url: str) -> Iterator[str]:
    """Make an empty database beside the one of the address; yield its address, "" if it cannot be."""
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


def free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        with closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            try:
                connection.request("GET", "/accounts/login/")
                connection.getresponse().read()
                return
            except OSError:
                time.sleep(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text()}")


def make_study(
    n_methods: int,
    n_images: int,
    *,
    photographs: bool = False,
    n_words: int = _WORDS,
    **settings: Any,
) -> Any:
    """Return an open study: of the words a method finds more the better it is, and shifts them."""
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
    left, top = 60 + 510 * column + rng.randint(0, 90), 60 + 220 * row + rng.randint(0, 80)
    return left, top, left + rng.randint(120, 340), top + rng.randint(30, 70)


def _take(image: Any, words: Sequence[tuple[float, ...]], rng: random.Random) -> None:
    """Give the image a photograph of the size and weight that cameras make."""
    from PIL import Image as Picture
    from PIL import ImageDraw

    from annotate.datasets.photographs import Keeper, Photograph

    picture = Picture.effect_noise(SIZE, 40).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for word in words:
        draw.rectangle(word, fill=tuple(rng.randrange(256) for _ in range(3)))
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=60)
    content = stream.getvalue()
    image.width, image.height = SIZE
    image.sha256, image.content_type = sha256(content).hexdigest(), "image/jpeg"
    Keeper().keep(Photograph(image.sha256, image.content_type, *SIZE), content)


def make_annotators(study: Any, n: int) -> list[Any]:
    """Return annotators who have been through their first visit."""
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
    """Answer what is asked: each criterion goes by one digit of the results' ids, equal ones tie."""
    given = {}
    for place, criterion in enumerate(payload["criteria"]):
        if criterion["state"] == "open":
            left, right = (int(payload[side][place], 16) for side in ("left", "right"))
            given[criterion["name"]] = (
                "equal" if left == right else "left" if left > right else "right"
            )
    return given


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
