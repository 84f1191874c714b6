"""Measure many participants who come by one link within a minute: places, codes, answers, times.

    python -m benchmarks.crowd [--people 200] [--places 120] [--pairs 40] [--within 60] [--think 6]
                               [--postgres URL | --sqlite] [--no-browser]

Participants walk from the link over consent, practice and pairs to the code, through gunicorn with
the settings of production, on PostgreSQL if the address works and otherwise on SQLite. Of ten
people seven answer with care, one at random, one leaves in the middle, and one withdraws. An answer
that fails is sent again, and the next image is fetched before, as the page does. Afterwards the
benchmark compares what people saw with what is stored, and answers that change the image are
measured in this process, by the link and in a laboratory. A browser then walks from the link to the
first counted pair, and its requests and bytes are counted. Nothing passes or fails; targets are
printed next to the numbers.
"""

import argparse
import json
import os
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from http.cookiejar import CookieJar
from statistics import median
from threading import Timer
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

from . import pages
from .own_site import (
    add_database_options,
    answers,
    chromium,
    database_name,
    free_port,
    gunicorn,
    make_annotators,
    make_study,
    percentile,
    print_line,
    run_clients,
    shipped_site,
    sign_in,
    tell_processor_times,
)

_METHODS, _IMAGES, _KNOWN = 4, 60, 6
_TIMEOUT_SECONDS, _TRIES = 300, 5
_KINDS = (*["careful"] * 7, "guesses", "leaves", "withdraws")
_DATA = re.compile(r'<script id="screen-data" type="application/json">(.*?)</script>', re.S)
_BEGIN = re.compile(r'<form class="actions" method="post" action="([^"]+)"')
# The questions of the short introduction.
_PRACTICE = re.compile(r'type="radio"\s+name="([^"]+)"')
_CODE = re.compile(r'id="code"[^>]* value="([^"]*)"')


@dataclass
class Person:
    """One simulated participant: what they do, what they saw, and their times."""

    site: str
    number: int
    think: float
    answers_ms: list[float] = field(default_factory=list)
    n_acknowledged: int = 0
    n_again: int = 0
    code: str = ""
    fault: str = ""

    def __post_init__(self) -> None:
        self.kind = _KINDS[self.number % len(_KINDS)]
        self._rng = random.Random(self.number)
        self._cookies = CookieJar()
        self._opener = build_opener(HTTPCookieProcessor(self._cookies))

    def visit(self) -> None:
        try:
            self._visit()
        except (OSError, HTTPException, ValueError) as fault:
            self.fault = f"{type(fault).__name__}: {fault}"

    def _visit(self) -> None:
        ids = {"PROLIFIC_PID": f"person{self.number}", "SESSION_ID": f"session{self.number}"}
        self._ask(f"/join/crowd/?{urlencode(ids)}")
        at, page = self._ask("/join/crowd/", ids | {"width": "1440", "height": "900"})
        if code := _CODE.search(page):
            self.code = code[1]
            return
        _, page = self._ask(at, dict.fromkeys(_PRACTICE.findall(page), "left"))
        _, page = self._ask(_found(_BEGIN, page), {"begin": "1"})
        shown = json.loads(_found(_DATA, page))
        stops_after = self._rng.randint(5, 30)
        while "screen" in shown:
            time.sleep(self._rng.expovariate(1 / self.think) if self.think else 0)
            if self.n_acknowledged == stops_after and self.kind in ("leaves", "withdraws"):
                if self.kind == "withdraws":
                    self.code = _found(_CODE, self._ask("/join/crowd/withdraw/", {})[1])
                return
            shown = self._answer(shown)
        self.code = _found(_CODE, self._ask(shown["done"]["url"])[1])

    def _answer(self, shown: dict[str, Any]) -> dict[str, Any]:
        side = self._rng.choice(("left", "right"))
        if self.kind != "guesses":
            side = _right_side(shown["screen"]["id"])
        said = {one["name"]: side for one in shown["criteria"] if one["state"] == "open"}
        said["seconds_taken"] = f"{self._rng.uniform(2, 9):.1f}"
        said["have"] = ",".join(self._have(shown))
        for further in reversed(range(_TRIES)):
            began = time.perf_counter()
            try:
                _, body = self._ask(shown["screen"]["answer_url"], said, "application/json")
                break
            except OSError:
                if not further:
                    raise
                self.n_again += 1
                time.sleep(1)
        self.answers_ms.append(1000 * (time.perf_counter() - began))
        self.n_acknowledged += 1
        shown = json.loads(body)
        if shown.get("done", {}).get("url", "").endswith("/visit/"):
            # Asked to look more closely.
            shown = json.loads(_found(_DATA, self._ask("/join/crowd/go-on/", {})[1]))
        return shown

    def _have(self, shown: dict[str, Any]) -> list[str]:
        """Fetch the next image as the page does; return the keys of the images that it then has."""
        key = shown["image"]["key"]
        _, body = self._ask(f"{shown['study']['next_image_url']}?n=1&have={key}")
        return [key, *(image["key"] for image in json.loads(body)["images"])]

    def _ask(
        self, path: str, sent: dict[str, str] | None = None, accept: str = "text/html"
    ) -> tuple[str, str]:
        """Return where a request led to, after redirects, and the page there."""
        token = next((one.value for one in self._cookies if one.name == "csrftoken"), "") or ""
        # Each person has an address: newcomers from one are slowed.
        own = f"10.{self.number // 250}.{self.number % 250}.1"
        headers = {"Accept": accept, "X-CSRFToken": token, "X-Forwarded-For": own}
        request = Request(self.site + path, headers=headers)
        request.data = None if sent is None else urlencode(sent).encode()
        with self._opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
            return response.url.removeprefix(self.site), response.read().decode()


def _found(pattern: re.Pattern[str], page: str) -> str:
    found = pattern.search(page)
    if found is None:
        raise ValueError(f"expected {pattern.pattern} in {page[:100]!r}")
    return found[1]


def _right_side(screen_id: str) -> str:
    """Return the side that is right if the answer is known, as careful eyes would see it."""
    from django.db import connections

    from annotate.judging.models import Screen

    screen = Screen.objects.select_related("assignment").get(public_id=screen_id)
    connections.close_all()
    known = screen.known is not None and screen.assignment.known[screen.known]
    return "right" if known and known["side"] == "left" else "left"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--places", type=int, default=120)
    parser.add_argument("--pairs", type=int, default=40, help="of a visit")
    parser.add_argument("--within", type=float, default=60, help="seconds in which all arrive")
    parser.add_argument("--think", type=float, default=6.0, help="mean seconds between two answers")
    add_database_options(parser)
    parser.add_argument("--no-browser", action="store_true", help="count no requests and bytes")
    options = parser.parse_args(arguments)
    with shipped_site(options) as site:
        _crowd(site, options)


def _crowd(site: Any, options: argparse.Namespace) -> None:
    from django.db import connections

    from annotate.recruiting.models import Entrance

    n_images = max(_IMAGES, options.pairs)
    entrance = Entrance.objects.create(
        study=make_study(_METHODS, n_images, methods_per_visit=2, drawn_by="random"),
        name="crowd",
        slug="crowd",
        platform="prolific",
        person_parameter="PROLIFIC_PID",
        submission_parameter="SESSION_ID",
        places=options.places,
        size=options.pairs,
        n_checks=_KNOWN,
        after_checks="end",
    )
    connections.close_all()
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    people = [Person(address, number, options.think) for number in range(options.people)]
    print(
        f"{options.people} people for {options.places} places within {options.within:g} s, "
        f"{options.pairs} pairs each, {options.think:g} s between answers; {database_name()}",
        flush=True,
    )
    with site.served(gunicorn(port, "--config", "text_rankings/site/gunicorn.py"), port) as served:
        rng = random.Random(2018)
        clients = [Timer(rng.uniform(0, options.within), person.visit) for person in people]
        took, lasted = run_clients(clients, served)
        _tell(people, entrance)
        tell_processor_times(took, sum(len(person.answers_ms) for person in people))
        busy = 100 * sum(took) / lasted / (os.cpu_count() or 1)
        print_line("processors busy with it on average", f"{busy:.0f} %")
        _beside(entrance)
        if not options.no_browser:
            Entrance.objects.update(places=options.people + 1)
            _walk(f"{address}/join/crowd/?PROLIFIC_PID=walker&SESSION_ID=walk")


def _tell(people: Sequence[Person], entrance: Any) -> None:
    from annotate.judging.models import Judgement
    from annotate.recruiting.models import Arrival

    times = [taken for person in people for taken in person.answers_ms]
    faults = [f"{person.kind} {person.number}: {person.fault}" for person in people if person.fault]
    print_line("answers, and sent again", f"{len(times)}, {sum(one.n_again for one in people)}")
    if times:
        print_line("answer to next, median", f"{median(times):.0f} ms")
        print_line("answer to next, p95", f"{percentile(times, 0.95):.0f} ms", "< 250 ms")
    print_line("people who met a fault", str(len(faults)), "none")
    print("".join(f"    {fault}\n" for fault in faults[:5]), end="")
    arrivals = list(Arrival.objects.all())
    # The answers of people who withdraw are erased.
    n_kept = sum(one.n_acknowledged for one in people if one.code != entrance.code_no_consent)
    print_line("acknowledged / stored answers", f"{n_kept} / {Judgement.objects.count()}", "equal")
    n_full = sum(person.code == entrance.code_full for person in people)
    print_line("admitted + told full", f"{len(arrivals)} + {n_full}", f"{len(people)} in all")
    print_line("most places held at once", str(_most_at_once(arrivals)), f"<= {entrance.places}")
    for outcome in ("completed", "checks", "no_consent"):
        code = entrance.code_of(outcome)
        seen = {f"person{person.number}" for person in people if person.code == code}
        stored = {arrival.participant for arrival in arrivals if arrival.outcome == outcome}
        print_line(f"code {outcome}: seen / stored", f"{len(seen)} / {len(stored)}", "equal")
        print_line("  of different people", str(len(seen ^ stored)), "none")
    whole = [arrival.n_pairs for arrival in arrivals if arrival.outcome == "completed"]
    n_other = sum(n != entrance.size for n in whole)
    print_line("finishers with another number of pairs", str(n_other), "none")


def _beside(entrance: Any) -> None:
    """Measure answers that change the image in this process, by the link and in a laboratory."""
    from django.test import Client

    from annotate.judging import services
    from annotate.judging.presentation import payload

    here: Any = {"headers": {"host": "127.0.0.1", "accept": "application/json"}}
    [person] = make_annotators(entrance.study, 1)
    laboratory = Client(**here)
    laboratory.cookies["sessionid"] = sign_in(person)
    found: Any = services.start(study=entrance.study, annotator=person)
    visitor, link = Client(**here), f"/join/{entrance.slug}/"
    entrance.places += len(_KINDS) * entrance.places
    # The answers of this visitor to known-answer pairs are drawn, too.
    entrance.after_checks = "nothing"
    entrance.save(update_fields=["places", "after_checks"])
    ids = {"PROLIFIC_PID": "beside", "SESSION_ID": "beside"}
    sent = {"width": "1440", "height": "900"}
    page = visitor.post(link, ids | sent, follow=True)
    said = dict.fromkeys(_PRACTICE.findall(page.text), "left")
    page = visitor.post(page.request["PATH_INFO"], said)
    page = visitor.post(_found(_BEGIN, page.text), {"begin": "1"}, follow=True)
    both = {
        "laboratory": (laboratory, payload(found.turn, found.remaining)),
        "link": (visitor, json.loads(_found(_DATA, page.text))),
    }
    for who, (client, shown) in both.items():
        taken = [one for one, is_same in answers(client, shown, entrance.size - 1) if not is_same]
        n_statements = [sum("SAVEPOINT" not in sql for sql in one.queries) for one in taken]
        what = f"answer that changes the image, {who}"
        print_line(f"{what}, statements", f"{max(n_statements)}", "<= 16")
        print_line(f"{what}, here", f"{median(one.processor_ms for one in taken):.1f} ms")


def _most_at_once(arrivals: Sequence[Any]) -> int:
    """Return the highest number of places taken at a time; finished visits keep theirs."""
    changes = [(arrival.consented, 1) for arrival in arrivals]
    freed = [one for one in arrivals if one.ended and one.outcome != "completed"]
    taken = most = 0
    for _, change in sorted([*changes, *((arrival.ended, -1) for arrival in freed)]):
        taken += change
        most = max(most, taken)
    return most


def _walk(link: str) -> None:
    """Count screens, requests and bytes from the link to the first counted pair."""
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        finished: list[Any] = []
        page.on("requestfinished", lambda request: finished.append(request))
        page.goto(link)
        n_clicks = 0
        while not page.locator("[data-screen-id]").count() and n_clicks < 10:
            for question in page.locator(".short__form fieldset").all():
                question.locator("input").first.check()
            page.locator("main form .button:not(.button--quiet)").first.click()
            page.wait_for_load_state("networkidle")
            n_clicks += 1
        sizes = [request.sizes() for request in finished]
        n_bytes = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)
        print_line("link to first pair: clicks", str(n_clicks), "<= 3")
        print_line("link to first pair: requests, kB", f"{len(sizes)}, {n_bytes / 1000:.0f}")


if __name__ == "__main__":
    pages.run(main)
