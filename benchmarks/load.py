"""Measure the time from an answer to the next screen, and faults, with many annotators.

    python -m benchmarks.load [--seconds 60] [--annotators 32] [--think 1.0] [--workers 3]
                              [--threads 4] [--postgres URL | --sqlite]

Simulated annotators answer a generated study through gunicorn, on PostgreSQL if the address works
and otherwise on SQLite. Each pauses between two answers for an exponential time with the given mean
(people take several seconds; 0: as fast as the site responds). Afterwards the benchmark compares
the numbers of acknowledged and stored answers, and the complete rankings with the log.
Nothing passes or fails; targets are printed next to the numbers.
"""

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from statistics import median
from threading import Thread
from typing import Any

from . import pages
from .own_site import (
    FORM,
    add_database_options,
    chosen_database,
    database_name,
    free_port,
    gunicorn,
    make_annotators,
    make_study,
    own_site,
    percentile,
    print_line,
    run_clients,
    sent_answer,
    sign_in,
    tell_processor_times,
)

_METHODS, _IMAGES = 10, 60
_LOCKED = re.compile(r"database is locked|deadlock detected|lock timeout|LockNotAvailable", re.I)
# As long as the shipped proxy waits.
_TIMEOUT_SECONDS = 60
_TOKEN = "t" * 32


@dataclass
class Annotator:
    """One simulated annotator: a session, the current screen, and times and statuses so far."""

    session: str
    shown: dict[str, Any]
    rng: random.Random
    times_ms: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    def work(self, port: int, until: float, think: float) -> None:
        # Spread the first answers.
        time.sleep(self.rng.uniform(0, think))
        while time.monotonic() < until and "screen" in self.shown:
            self.answer(port)
            if think:
                time.sleep(self.rng.expovariate(1 / think))

    def answer(self, port: int) -> None:
        sent = sent_answer(self.shown, self.rng)
        began = time.perf_counter()
        connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_SECONDS)
        try:
            connection.request(
                "POST",
                self.shown["screen"]["answer_url"],
                body=sent,
                headers={
                    "Accept": "application/json",
                    "Content-Type": FORM,
                    "Cookie": f"sessionid={self.session}; csrftoken={_TOKEN}",
                    "X-CSRFToken": _TOKEN,
                },
            )
            response = connection.getresponse()
            body = response.read()
        except (OSError, HTTPException) as fault:
            self.statuses[type(fault).__name__] += 1
            return
        finally:
            connection.close()
        self.times_ms.append(1000 * (time.perf_counter() - began))
        self.statuses[str(response.status)] += 1
        if response.status == 200:
            self.shown = json.loads(body)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--annotators", type=int, default=32)
    parser.add_argument("--think", type=float, default=1.0, help="mean seconds between two answers")
    parser.add_argument("--workers", type=int, default=3, help="processes of gunicorn")
    parser.add_argument("--threads", type=int, default=4, help="threads of each process")
    add_database_options(parser)
    options = parser.parse_args(arguments)
    with (
        chosen_database(options) as database,
        own_site(database, DEBUG="false") as site,
    ):
        _load(site, options)


def _load(site: Any, options: argparse.Namespace) -> None:
    from django.db import connections

    from annotate.judging import services
    from annotate.judging.presentation import payload

    study = make_study(_METHODS, _IMAGES)
    annotators = []
    for number, person in enumerate(make_annotators(study, options.annotators)):
        found = services.start(study=study, annotator=person)
        shown = payload(found.turn, found.remaining)
        annotators.append(Annotator(sign_in(person), shown, random.Random(number)))
    connections.close_all()

    port = free_port()
    server = gunicorn(port, "--config", "text_rankings/site/gunicorn.py")
    server += ["--workers", str(options.workers), "--threads", str(options.threads)]
    with site.served(server, port) as served:
        print(
            f"{options.annotators} annotators for {options.seconds:g} s, {options.think:g} s between "
            f"answers; gunicorn with {options.workers} processes of {options.threads} threads, "
            f"{database_name()}",
            flush=True,
        )
        until = time.monotonic() + options.seconds
        clients = [Thread(target=one.work, args=(port, until, options.think)) for one in annotators]
        took, lasted = run_clients(clients, served)
    _tell(annotators, lasted, served.log.read_text(errors="replace"))
    tell_processor_times(took, sum(len(one.times_ms) for one in annotators))
    _compare(annotators)


def _tell(annotators: Sequence[Annotator], lasted: float, log: str) -> None:
    times = [taken for one in annotators for taken in one.times_ms]
    statuses = sum((one.statuses for one in annotators), Counter())
    if not times:
        raise RuntimeError(f"no answer came back: {dict(statuses)}\n{log[-2000:]}")
    print_line("answers", f"{len(times)}, {len(times) / lasted:.0f} per second")
    print_line("answer to next, median", f"{median(times):.0f} ms")
    print_line("answer to next, p95", f"{percentile(times, 0.95):.0f} ms", "< 250 ms")
    print_line(
        "answer to next, p99 / slowest", f"{percentile(times, 0.99):.0f} / {max(times):.0f} ms"
    )
    n_5xx = sum(n for status, n in statuses.items() if status.startswith("5"))
    print_line("5xx", str(n_5xx), "none")
    others = {what: n for what, n in statuses.items() if what != "200" and what[0] != "5"}
    print_line(
        "other than 200", ", ".join(f"{n} {what}" for what, n in others.items()) or "0", "none"
    )
    print_line("lock errors in the server's log", str(len(_LOCKED.findall(log))), "none")
    done = sum("screen" not in one.shown for one in annotators)
    if done:
        print_line("annotators who had nothing left", str(done))


def _compare(annotators: Sequence[Annotator]) -> None:
    from annotate.judging.models import Judgement
    from annotate.judging.replay import rankings_that_differ

    n_acknowledged = sum(one.statuses["200"] for one in annotators)
    n_stored = Judgement.objects.count()
    print_line("acknowledged / stored answers", f"{n_acknowledged} / {n_stored}", "equal")
    differing = [
        assignment
        for assignment, differs in rankings_that_differ()
        if differs and assignment.state == "complete"
    ]
    print_line("complete rankings unlike their log", str(len(differing)), "none")


if __name__ == "__main__":
    pages.run(main)
