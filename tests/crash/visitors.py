"""People who come by a link while the site is broken: they agree, practise, answer, and get a code."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from http.client import HTTPException
from http.cookiejar import CookieJar
from itertools import repeat
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

from benchmarks.load import Annotator

_PAIRS, _KNOWN = 6, 3
# One in so many goes on in another browser after an answer.
_CHANGES = 6
# Places that are free after each round: fewer than people who come at once.
_FREE = 2
_TIMEOUT_SECONDS = 60
_PRACTICE = {
    f"{pair}-{criterion}": "left"
    for pair in ("street", "pharmacy", "garden")
    for criterion in ("recall", "precision")
}
_FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_CODE = re.compile(r'id="code"[^>]* value="([^"]*)"')
_SCREEN = re.compile(r'<script id="screen-data"[^>]*>(.*?)</script>', re.DOTALL)


class Entry:
    """An entrance with few places, those who came by it, and the codes that they were given."""

    def __init__(self, study: Any) -> None:
        from annotate.recruiting.models import Entrance

        self._entrance = Entrance.objects.create(
            study=study,
            name="a link",
            slug="a-link",
            platform="custom",
            person_parameter="id",
            places=_FREE,
            size=_PAIRS,
            n_checks=_KNOWN,
            limit_minutes=30 * 24 * 60,
            after_checks=Entrance.AfterChecks.NOTHING,
            min_width=0,
            min_height=0,
        )
        self._study, self._slug = study, str(study.slug)
        self._link = f"/join/{self._entrance.slug}/"
        self._codes: dict[str, str] = {}
        self.statuses: Counter[str] = Counter()

    def __str__(self) -> str:
        done = sum(code == self._entrance.code_completed for code in self._codes.values())
        return f"{done} people came by a link and got their code, {len(self._codes) - done} found it full"

    def visits(self, number: int, port: Callable[[], int]) -> Iterator[str]:
        """Visit as one person after another; yield after each step the acknowledged screen, or "".

        ``port`` says where the next request goes.
        """
        rng, n = random.Random(number), 0
        while True:
            n += 1
            person = f"{number}-{n}"
            # Without the database, which may be away.
            visitor = _Visitor(self._link, self._slug, person, rng, self.statuses)
            while not visitor.code:
                yield visitor.step(port)
            self._codes[person] = visitor.code
            if visitor.code == self._entrance.code_full:
                # The next one comes later.
                yield from repeat("", 10)

    def open_wide(self) -> None:
        """Take more people than come: a wrong clock lends places, and those who had them return."""
        self._set_places(1000)

    def _set_places(self, n: int) -> None:
        from annotate.recruiting.models import Entrance

        n += self._taking_part().count()
        Entrance.objects.filter(pk=self._entrance.pk).update(places=n)

    def _taking_part(self) -> Any:
        from annotate.recruiting.models import Outcome

        return self._entrance.arrivals.filter(outcome__in=["", Outcome.COMPLETED])

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with places, people and codes; then a few places are free again."""
        from django.contrib.auth.models import User
        from django.db.models import Count

        from annotate.judging.models import Judgement
        from annotate.studies.models import Membership

        self._entrance.refresh_from_db()
        if (n := self._taking_part().count()) > self._entrance.places:
            yield f"{n} people have {self._entrance.places} places"
        arrivals = {one.participant: one for one in self._entrance.arrivals.all()}
        people = User.objects.filter(username__startswith="visitor-")
        members = Membership.objects.filter(study=self._study, person__in=people)
        if not people.count() == members.count() == len(arrivals):
            yield f"{len(arrivals)} people came, but {people.count()} accounts and {members.count()} members"
        by_person = Judgement.objects.filter(screen__assignment__annotator__in=people)
        counted = by_person.values_list("screen__assignment__annotator").annotate(n=Count("pk"))
        n_answers = dict(counted.order_by())
        for person, code in self._codes.items():
            one = arrivals.get(person)
            if code == self._entrance.code_full:
                if one is not None:
                    yield f"person {person} was turned away and has a place"
            elif one is None or (one.code, one.outcome) != (code, "completed"):
                yield f"the code of person {person} is lost"
            elif not one.n_pairs == n_answers.get(one.person_id, 0) == _PAIRS:
                yield f"person {person} has a code for {one.n_pairs} pairs, not {_PAIRS}"
        n_away = self._entrance.turned_away.get("full", 0)
        if n_away < list(self._codes.values()).count(self._entrance.code_full):
            yield f"only {n_away} people are counted as turned away"
        self._set_places(_FREE)


class _Visitor:
    """One person: a browser, the link, and the pairs."""

    def __init__(
        self, link: str, study: str, person: str, rng: random.Random, statuses: Counter[str]
    ) -> None:
        self._sent, self._link = {"id": person}, link
        self._study, self._rng, self._statuses = study, rng, statuses
        self._address = ".".join(["10", *(str(rng.randrange(256)) for _ in range(3))])
        self.code = ""
        self._change_browser()

    def _change_browser(self) -> None:
        self._jar = CookieJar()
        self._browser = build_opener(HTTPCookieProcessor(self._jar))
        self._pairs: Annotator | None = None

    def step(self, port: Callable[[], int]) -> str:
        """Open the link, or answer the pair; return the screen whose answer was acknowledged, or ""."""
        try:
            if self._pairs is None or "screen" not in self._pairs.shown:
                self._arrive(port)
                return ""
            before = self._pairs.shown
            self._pairs.answer(port())
        except (OSError, HTTPException, ValueError) as fault:
            status = fault.code if isinstance(fault, HTTPError) else type(fault).__name__
            self._statuses[str(status)] += 1
            return ""
        if self._pairs.shown is before:
            # The same answer again until it is acknowledged, as the page does.
            return ""
        if self._rng.randrange(_CHANGES) == 0:
            self._change_browser()
        return str(before["screen"]["id"])

    def _arrive(self, port: Callable[[], int]) -> None:
        from django.urls import reverse

        page = self._page(port(), f"{self._link}?{urlencode(self._sent)}")
        if 'name="id"' in page:
            page = self._page(port(), self._link, page, self._sent)
        if "short__form" in page:
            for name, sent in (("short", _PRACTICE), ("finish", {"begin": "1"})):
                page = self._page(
                    port(), reverse(f"learning:{name}", args=[self._study]), page, sent
                )
        if code := _CODE.search(page):
            self.code = unescape(code[1])
        elif shown := _SCREEN.search(page):
            session = next(one.value for one in self._jar if one.name == "sessionid")
            self._pairs = Annotator(str(session), json.loads(shown[1]), self._rng)
            self._pairs.statuses = self._statuses
        else:
            raise ValueError(f"an unknown page: {page[:2000]}")

    def _page(self, port: int, path: str, form: str = "", sent: Any = None) -> str:
        """Open a page, or send a form of one; return the page to which that leads."""
        data = None
        if token := _FORM_TOKEN.search(form):
            data = urlencode({"csrfmiddlewaretoken": token[1], **sent}).encode()
        # Each from an address of their own: many ids from one are asked to wait.
        headers = {"X-Forwarded-For": self._address}
        request = Request(f"http://127.0.0.1:{port}{path}", data, headers)
        with self._browser.open(request, timeout=_TIMEOUT_SECONDS) as response:
            page: str = response.read().decode()
        self._statuses["200"] += 1
        return page
