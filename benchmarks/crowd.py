"""Measure many participants who come by one link within a minute: places, codes, answers, times.

    python -m benchmarks.crowd [--people 200] [--places 120] [--pairs 40] [--within 60] [--think 1.0]
                               [--workers 3] [--threads 4] [--postgres URL | --sqlite] [--no-browser]

Participants walk from the link over consent, practice and pairs to the code, through gunicorn with
the settings of production, on PostgreSQL if the address works and otherwise on SQLite. Of ten
people six answer with care, one answers at random, one leaves in the middle, one withdraws, and one
opens the link twice at once. Afterwards the benchmark compares what people saw with what is stored.
A browser then walks from the link to the first counted pair, and its requests and bytes are
counted. Nothing passes or fails; targets are printed next to the numbers.
"""

import argparse
import json
import os
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.cookies import SimpleCookie
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from . import pages
from .own_site import (
    FORM,
    chromium,
    free_port,
    gunicorn,
    make_study,
    own_postgres,
    own_site,
    percentile,
    print_line,
)

_METHODS, _IMAGES = 4, 60
_TIMEOUT_SECONDS = 120
_TOKEN = "t" * 32
_CAREFUL, _GUESSES, _LEAVES, _WITHDRAWS, _TWICE = (
    "careful",
    "guesses",
    "leaves",
    "withdraws",
    "twice",
)
_KINDS = (*[_CAREFUL] * 6, _GUESSES, _LEAVES, _WITHDRAWS, _TWICE)
_DATA = re.compile(r'<script id="screen-data" type="application/json">(.*?)</script>', re.S)
_BEGIN = re.compile(r'<form class="actions" method="post" action="([^"]+)"')
_CODE = re.compile(r'id="code"[^>]* value="([^"]*)"')
# A browser's window that the entrance accepts.
_WINDOW = {"width": "1440", "height": "900"}


@dataclass
class Browser:
    """Cookies and one request after the other, as a browser without scripts sends them."""

    port: int
    cookies: dict[str, str] = field(default_factory=lambda: {"csrftoken": _TOKEN})
    statuses: Counter[str] = field(default_factory=Counter)

    def ask(self, path: str, sent: Any = None, *, as_json: bool = False) -> tuple[str, str]:
        """Return where a request led to, after redirects, and the page there."""
        while True:
            response, body = self._one(path, sent, as_json)
            if response.status not in (301, 302, 303):
                return path, body
            path, sent = urljoin(path, response.headers["Location"]), None

    def _one(self, path: str, sent: Any, as_json: bool) -> tuple[HTTPResponse, str]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_TIMEOUT_SECONDS)
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Accept": "application/json" if as_json else "text/html",
        }
        if sent is not None:
            headers |= {"Content-Type": FORM, "X-CSRFToken": self.cookies["csrftoken"]}
        try:
            body = None if sent is None else urlencode(sent)
            connection.request("GET" if sent is None else "POST", path, body, headers)
            response = connection.getresponse()
            page = response.read().decode()
        finally:
            connection.close()
        for value in response.headers.get_all("Set-Cookie", ()):
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(value).items()}
        self.statuses[str(response.status)] += 1
        return response, page


@dataclass
class Person:
    """One simulated participant: what they do, what they saw, and their times."""

    number: int
    kind: str
    link: str
    rng: random.Random
    think: float
    browser: Browser
    right_side_of: Callable[[str], str | None]
    answers_ms: list[float] = field(default_factory=list)
    n_acknowledged: int = 0
    code: str = ""
    fault: str = ""

    def visit(self) -> None:
        try:
            self._visit()
        except (OSError, HTTPException, LookupError, TypeError, ValueError) as fault:
            self.fault = f"{type(fault).__name__}: {fault}"

    def _visit(self) -> None:
        ids = {"PROLIFIC_PID": f"person{self.number}", "SESSION_ID": f"session{self.number}"}
        link = f"{self.link}?{urlencode(ids)}"
        self.browser.ask(link)
        if self.kind == _TWICE:
            other = threading.Thread(target=Browser(self.browser.port).ask, args=(self.link, ids))
            other.start()
            at, page = self.browser.ask(self.link, ids | _WINDOW)
            other.join()
        else:
            at, page = self.browser.ask(self.link, ids | _WINDOW)
        if code := _CODE.search(page):
            self.code = code[1]
            return
        _, page = self.browser.ask(at, {})
        begin = _BEGIN.search(page)
        if begin is None:
            raise ValueError(f"{at} offers no beginning: {dict(self.browser.statuses)}")
        _, page = self.browser.ask(begin[1], {"begin": "1"})
        self._answer_all(json.loads(_DATA.search(page)[1]))  # type: ignore[index]  # a fault if none

    def _answer_all(self, shown: dict[str, Any]) -> None:
        stops_after = self.rng.randint(5, 30)
        while "screen" in shown:
            time.sleep(self.rng.expovariate(1 / self.think) if self.think else 0)
            if self.kind == _LEAVES and self.n_acknowledged == stops_after:
                return
            if self.kind == _WITHDRAWS and self.n_acknowledged == stops_after:
                _, page = self.browser.ask(urljoin(self.link, "withdraw/"), {})
                self.code = _CODE.search(page)[1]  # type: ignore[index]  # a fault if none
                return
            began = time.perf_counter()
            _, body = self.browser.ask(
                shown["screen"]["answer_url"], self._said(shown), as_json=True
            )
            self.answers_ms.append(1000 * (time.perf_counter() - began))
            shown = json.loads(body)
            if "screen" not in shown and "done" not in shown:
                raise ValueError(f"an answer led to {body[:200]}")
            self.n_acknowledged += 1
            if "done" in shown and shown["done"]["url"].endswith("/visit/"):
                # The request to look more closely.
                _, page = self.browser.ask(urljoin(self.link, "go-on/"), {})
                if found := _DATA.search(page):
                    shown = json.loads(found[1])
        _, page = self.browser.ask(shown["done"]["url"])
        self.code = _CODE.search(page)[1]  # type: ignore[index]  # a fault if none

    def _said(self, shown: dict[str, Any]) -> dict[str, str]:
        side = self.rng.choice(("left", "right"))
        if self.kind != _GUESSES:
            side = self.right_side_of(shown["screen"]["id"]) or "left"
        open_criteria = [one["name"] for one in shown["criteria"] if one["state"] == "open"]
        seconds = f"{self.rng.uniform(2, 9):.1f}"
        return dict.fromkeys(open_criteria, side) | {"seconds_taken": seconds}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--places", type=int, default=120)
    parser.add_argument("--pairs", type=int, default=40, help="of a visit")
    parser.add_argument("--within", type=float, default=60, help="seconds in which all arrive")
    parser.add_argument("--think", type=float, default=1.0, help="mean seconds between two answers")
    parser.add_argument("--workers", type=int, default=3, help="processes of gunicorn")
    parser.add_argument("--threads", type=int, default=4, help="threads of each process")
    parser.add_argument(
        "--postgres",
        default=os.environ.get("POSTGRES_URL", ""),
        help="address of a server on which a database may be made (POSTGRES_URL)",
    )
    parser.add_argument("--sqlite", action="store_true", help="SQLite, whatever else there is")
    parser.add_argument("--no-browser", action="store_true", help="count no requests and bytes")
    options = parser.parse_args(arguments)
    use_postgres = options.postgres and not options.sqlite
    with (
        own_postgres(options.postgres) if use_postgres else nullcontext("") as database,
        TemporaryDirectory() as static,
        own_site(database, DEBUG="false", STATIC_ROOT=static) as site,
    ):
        from django.core.management import call_command

        # Packing the libraries' files for other pages takes a minute.
        others = ["drf_spectacular_sidecar", "rest_framework", "admin"]
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=others)
        _crowd(site, options)


def _crowd(site: Any, options: argparse.Namespace) -> None:
    from django.db import connection, connections

    study = make_study(
        _METHODS, max(_IMAGES, options.pairs), methods_per_visit=2, drawn_by="random"
    )
    entrance = _entrance(study, options)
    link = f"/join/{entrance.slug}/"
    database = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}[connection.vendor]
    connections.close_all()
    port = free_port()
    server = gunicorn(port, "--config", "text_rankings/site/gunicorn.py")
    server += ["--workers", str(options.workers), "--threads", str(options.threads)]
    people = [
        Person(
            number,
            _KINDS[number % len(_KINDS)],
            link,
            random.Random(number),
            options.think,
            Browser(port),
            _right_side,
        )
        for number in range(options.people)
    ]
    with site.served(server, port) as served:
        print(
            f"{options.people} people for {options.places} places within {options.within:g} s, "
            f"{options.pairs} pairs each, {options.think:g} s between answers; gunicorn with "
            f"{options.workers} processes of {options.threads} threads, {database}",
            flush=True,
        )
        arrives = random.Random(2018)
        threads = [
            threading.Timer(arrives.uniform(0, options.within), person.visit) for person in people
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        _tell(people, served.log.read_text(errors="replace"))
        _compare(people, entrance)
        if not options.no_browser:
            entrance.places = options.people + 1
            entrance.save()
            _walk(f"http://127.0.0.1:{port}{link}?PROLIFIC_PID=walker&SESSION_ID=walk")


def _entrance(study: Any, options: argparse.Namespace) -> Any:
    from annotate.recruiting.models import Entrance
    from annotate.recruiting.platforms import NAMES

    names = NAMES["prolific"]  # type: ignore[index]  # a platform is its text
    return Entrance.objects.create(
        study=study,
        name="crowd",
        slug="crowd",
        platform="prolific",
        person_parameter=names.person,
        submission_parameter=names.submission,
        way_back=names.way_back,
        places=options.places,
        size=options.pairs,
        n_checks=min(6, options.pairs - 2),
        after_checks="end",
    )


def _right_side(screen_id: str) -> str | None:
    """Return the side that is right, as careful eyes would see it; None if it is not known."""
    from django.db import connections

    from annotate.judging.models import Screen

    screen = Screen.objects.select_related("assignment").get(public_id=screen_id)
    connections.close_all()
    if screen.known is None:
        return None
    worse = screen.assignment.known[screen.known]["side"]
    return "right" if worse == "left" else "left"


def _tell(people: Sequence[Person], log: str) -> None:
    times = [taken for person in people for taken in person.answers_ms]
    faults = [f"{person.kind} {person.number}: {person.fault}" for person in people if person.fault]
    if not times:
        raise RuntimeError(f"no answer came back: {faults[:3]}\n{log[-2000:]}")
    statuses = sum((person.browser.statuses for person in people), Counter())
    print_line("requests", ", ".join(f"{n} {status}" for status, n in sorted(statuses.items())))
    print_line("answers", str(len(times)))
    print_line("answer to next, median", f"{median(times):.0f} ms")
    print_line("answer to next, p95", f"{percentile(times, 0.95):.0f} ms", "< 250 ms")
    print_line("people who met a fault", str(len(faults)), "none")
    for fault in faults[:5]:
        print(f"    {fault}")


def _compare(people: Sequence[Person], entrance: Any) -> None:
    from annotate.judging.models import Judgement
    from annotate.recruiting.models import Arrival, Outcome

    arrivals = list(Arrival.objects.all())
    given = {arrival.participant: arrival for arrival in arrivals}
    stay = [person for person in people if person.kind != _WITHDRAWS or not person.code]
    n_acknowledged = sum(person.n_acknowledged for person in stay)
    print_line(
        "acknowledged / stored answers",
        f"{n_acknowledged} / {Judgement.objects.filter(withdrawal=None).count()}",
        "equal",
    )
    n_full = sum(person.code == entrance.code_full for person in people)
    print_line("admitted + told full", f"{len(arrivals)} + {n_full}", str(len(people)))
    print_line("most places held at once", str(_most_at_once(arrivals)), f"<= {entrance.places}")
    for outcome in (Outcome.COMPLETED, Outcome.CHECKS, Outcome.NO_CONSENT):
        seen = {
            f"person{person.number}"
            for person in people
            if person.code == entrance.code_of(outcome)
        }
        stored = {name for name, arrival in given.items() if arrival.outcome == outcome}
        print_line(f"code “{outcome.value}” seen / stored", f"{len(seen)} / {len(stored)}", "equal")
        if seen != stored:
            print(f"    differing: {', '.join(sorted(seen ^ stored)[:5])}")
    whole = [arrival for arrival in arrivals if arrival.outcome == Outcome.COMPLETED]
    n_short = sum(arrival.n_pairs + arrival.n_skipped != entrance.size for arrival in whole)
    print_line("finishers with another number of pairs", str(n_short), "none")


def _most_at_once(arrivals: Sequence[Any]) -> int:
    """Return the highest number of places taken at a time; finished visits keep theirs."""
    changes = [(arrival.consented, 1) for arrival in arrivals]
    changes += [
        (arrival.ended, -1)
        for arrival in arrivals
        if arrival.ended is not None and arrival.outcome != "completed"
    ]
    taken = most = 0
    for _, change in sorted(changes):
        taken += change
        most = max(most, taken)
    return most


def _walk(link: str) -> None:
    """Count screens, clicks, requests and bytes from the link to the first counted pair."""
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        answered: list[Any] = []
        page.on("requestfinished", lambda request: answered.append(request))
        page.goto(link)
        n_clicks = 0
        while page.locator("[data-screen-id]").count() == 0 and n_clicks < 10:
            page.locator("main form .button:not(.button--quiet)").first.click()
            page.wait_for_load_state("networkidle")
            n_clicks += 1
        page.wait_for_load_state("networkidle")
        sizes = [request.sizes() for request in answered]
        n_bytes = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)
        where = urlsplit(page.url).path
        print_line(
            "link to first pair: screens / clicks", f"{n_clicks + 1} / {n_clicks}", "<= 3 clicks"
        )
        print_line("link to first pair: requests / kB", f"{len(sizes)} / {n_bytes / 1000:.0f}")
        if page.locator("[data-screen-id]").count() == 0:
            print(f"    the walk ended at {where}")


if __name__ == "__main__":
    pages.run(main)
