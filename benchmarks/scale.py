"""Measure how the site grows: pages, API, next screen, loading, scoring, report and disk.

    python -m benchmarks.scale [--postgres URL | --sqlite] [--images 1000 10000 100000] [--methods 10]
                               [--annotators 200] [--rankings 2] [--runs 3] [--workers 1 2]
                               [--scheduler ADDRESS] [--only pages counts judging load score report]
                               [--skip PAGE ...]

Each number of images, a multiple of 50, gets a study in an empty database, which is dropped at the
end (:mod:`.scale_rows`). A page is requested once with nothing in the cache but leaderboards, which
scoring leaves there, then three times: a line has the first time, the shortest of the others (other
load on the machine makes any of them longer), the queries, and the processor time of the first and
of the cheapest request in this process, which on SQLite does all the work. A table compares the
last two sizes: flat, linear, or faster than linear. Nothing here passes or fails; the target for a
page is 300 ms on PostgreSQL and 500 ms on SQLite.
"""

import argparse
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from . import pages
from .own_site import (
    Request,
    add_database_options,
    answers,
    chosen_database,
    database_name,
    own_site,
    percentile,
)
from .scale_rows import N_BASE, PROTOCOLS, Size, fill

TARGET_PAGE_MS = {"PostgreSQL": 300, "SQLite": 500}
_PARTS = ("pages", "counts", "judging", "load", "score", "report")
_N_ANSWERS = 60
# The view of each page, its arguments and its query.
_PAGES = json.loads(Path(__file__).with_name("scale_pages.json").read_text(encoding="utf-8"))
# Growth up to the first factor is flat; up to the second times the ratio of sizes, it is linear.
_FLAT, _LINEAR = 1.6, 1.5
# Shorter times depend more on the machine than on the site.
_LEAST_MS = 10.0


@dataclass
class Row:
    """One measurement: a number with its unit, and the queries and a remark if there are any."""

    name: str
    value: float
    unit: str = "ms"
    first: float | None = None
    n_queries: int | None = None
    remark: str = ""
    is_over: bool = False

    def __str__(self) -> str:
        first = "" if self.first is None else f"  first {self.first:8.0f} {self.unit}"
        queries = "" if self.n_queries is None else f"  {self.n_queries:3} queries"
        mark = "  OVER" if self.is_over else ""
        return (
            f"  {self.name:<44}{self.value:12,.1f} {self.unit}{first}{queries}{mark}  {self.remark}"
        )


@dataclass
class Measured:
    """All measurements of one size."""

    n_images: int
    # Of a page, in milliseconds.
    target: float = math.inf
    rows: list[Row] = field(default_factory=list)

    def add(self, name: str, value: float, unit: str = "ms", **more: Any) -> None:
        is_over = unit == "ms" and max(value, more.get("first") or 0.0) > self.target
        self.rows.append(Row(name, value, unit, is_over=is_over, **more))
        print(self.rows[-1], flush=True)

    def timed(self, name: str, work: Callable[[], Any], **more: Any) -> Any:
        began = perf_counter()
        answer = work()
        self.add(name, perf_counter() - began, "s", **more)
        return answer


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database_options(parser)
    parser.add_argument("--images", type=int, nargs="+", default=[1000], metavar="N")
    parser.add_argument("--methods", type=int, default=10)
    parser.add_argument("--annotators", type=int, default=200)
    parser.add_argument("--rankings", type=int, default=2, help="of each image")
    runs = range(len(PROTOCOLS) + 1)
    parser.add_argument("--runs", type=int, default=3, choices=runs, help="protocols with scores")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, os.cpu_count() or 1])
    parser.add_argument("--scheduler", help="score and report on this Dask cluster, too")
    parser.add_argument("--only", nargs="+", choices=_PARTS, default=_PARTS)
    parser.add_argument("--skip", nargs="+", default=[], metavar="PAGE", help='such as "report"')
    options = parser.parse_args(arguments)
    if any(n < N_BASE or n % N_BASE for n in options.images):
        parser.error(f"give multiples of {N_BASE} images")
    sizes = []
    for n_images in options.images:
        # One process for each size, because Django is set up for one database.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            sizes.append(process.submit(_measure, n_images, options).result())
    _compare(sizes)


def _measure(n_images: int, options: argparse.Namespace) -> Measured:
    size = Size(n_images, options.methods, options.annotators, options.rankings, options.runs)
    measured = Measured(n_images)
    with chosen_database(options) as url, own_site(url, DEBUG="true"):
        from django.conf import settings

        # Jobs run in this process, and Django keeps no list of all queries.
        settings.JOBS, settings.DEBUG = "here", False
        measured.target = TARGET_PAGE_MS[database_name()]
        print(f"{n_images:,} images on {database_name()}", flush=True)
        study = measured.timed("written", lambda: fill(size))
        measured.timed("a study of all images set up", lambda: _set_up(study))
        if url:
            _disk(measured)
        parts = {
            "pages": lambda: _pages(measured, study, options.skip),
            "counts": lambda: _counts(measured, study),
            "judging": lambda: _judging(measured, study),
            "report": lambda: _report(measured, study, options),
            "score": lambda: _score(measured, study, options),
            "load": lambda: _load(measured, study),
        }
        for name, part in parts.items():
            if name in options.only:
                part()
    return measured


def _set_up(study: Any) -> None:
    """Create another study, and roll it back."""
    from django.db import transaction

    from annotate.studies.services import create_study

    with transaction.atomic():
        create_study(name="Another", dataset=study.dataset, methods=list(study.methods.all()))
        transaction.set_rollback(True)


def _disk(measured: Measured) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, reltuples, pg_total_relation_size(oid) FROM pg_class"
            " WHERE relkind = 'r' AND relname LIKE 'annotate%' ORDER BY 3 DESC LIMIT 7"
        )
        for table, n, size in cursor.fetchall():
            remark = f"{n:,.0f} rows"
            measured.add(
                f"disk: {table.removeprefix('annotate_')}", size / 2**20, "MiB", remark=remark
            )
        cursor.execute("SELECT pg_database_size(current_database())")
        measured.add("disk: all", cursor.fetchone()[0] / 2**20, "MiB")


def _pages(measured: Measured, study: Any, skipped: Sequence[str]) -> None:
    from django.contrib.auth.models import User
    from django.core.cache import cache
    from django.db import connection
    from django.test import Client

    from annotate.scoring.leaderboards import leaderboards_of

    cache.clear()
    runs = list(study.dataset.runs.all())
    measured.timed("leaderboards, by the worker", lambda: list(map(leaderboards_of, runs)))
    admin = User.objects.create_user("admin", is_staff=True)
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(admin)
    annotator = Client(headers={"host": "127.0.0.1"})
    annotator.force_login(study.memberships.filter(role="annotator").first().person)
    for name, url in _addresses(study).items():
        if name in skipped:
            continue
        times, processor, ask = [], [], annotator if name.startswith("annotator:") else client
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM shared_cache WHERE cache_key NOT LIKE '%leaderboards-%'")
        while len(times) < 4:
            asked = Request.measured(partial(ask.get, url))
            times.append(asked.ms)
            processor.append(asked.processor_ms)
            response = asked.response
            n_bytes = 0 if response.streaming else len(response.content)
            if response.status_code != 200 or times[0] > 20_000:
                break
        remark = (
            f"{n_bytes / 1000:,.0f} kB, processor {processor[0]:.0f} and {min(processor):.0f} ms"
        )
        if response.status_code != 200:
            remark = f"status {response.status_code}"
        measured.add(
            name,
            min(times[1:] or times),
            first=times[0],
            n_queries=len(asked.queries),
            remark=remark,
        )


def _addresses(study: Any) -> dict[str, str]:
    """Return the address of every page and list in ``_PAGES``, by name."""
    from django.urls import reverse

    images, n = study.dataset.images.in_order(), study.study_images.count()
    runs = study.dataset.runs.all()
    known = {
        "study": study.slug,
        "dataset": study.dataset.slug,
        "last": images.last().name,
        "ranked": study.assignments.order_by("pk")[0].image.name,
        "run": runs[0].pk,
        "by": runs[len(runs) - 1].name,
        "n_20": n // 20,
        "n_50": n // 50,
    }
    found = {}
    for name, address in _PAGES.items():
        view, *words = address.format(**known).split()
        query = words.pop() if words and words[-1].startswith("?") else ""
        found[name] = reverse(view, args=words) + query
    return found


def _counts(measured: Measured, study: Any) -> None:
    """Run the jobs that compute numbers for a large study's pages, and request those pages."""
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(User.objects.create_user("counter", is_staff=True))
    for name, asked, shown in (
        ("annotators", "evidence:count_annotators", "evidence:annotators"),
        ("disagreement", "evidence:disagreement", "evidence:disagreement"),
    ):
        seconds, remark = _with_peak(partial(client.post, reverse(asked, args=[study.slug])))
        measured.add(f"job: {name}", seconds, "s", remark=remark)
        counted = Request.measured(partial(client.get, reverse(shown, args=[study.slug])))
        n_queries, remark = len(counted.queries), f"{len(counted.response.content) / 1000:,.0f} kB"
        measured.add(f"{name}, counted", counted.ms, n_queries=n_queries, remark=remark)


def _judging(measured: Measured, study: Any) -> None:
    """Answer screens through the whole stack in this process, with images shared out and not."""
    from annotate.studies.models import Study

    for number, shared in enumerate((study.max_annotators, None)):
        Study.objects.filter(pk=study.pk).update(max_annotators=shared)
        words = "images shared out" if shared else "all rank all"
        _answer(measured, study, number, words)
    Study.objects.filter(pk=study.pk).update(max_annotators=study.max_annotators)


def _answer(measured: Measured, study: Any, number: int, words: str) -> None:
    from django.test import Client
    from django.urls import reverse

    from annotate.judging.presentation import payload
    from annotate.judging.services import current
    from annotate.studies.models import Study

    client = Client(headers={"host": "127.0.0.1", "accept": "application/json"})
    person = study.memberships.filter(role="annotator")[number].person
    client.force_login(person)
    start = Request.measured(partial(client.post, reverse("judging:start", args=[study.slug])))
    measured.add(f"first screen, {words}", start.ms)
    found = current(study=Study.objects.get(pk=study.pk), annotator=person)
    shown = payload(found.turn, found.remaining)
    within: list[float] = []
    between: list[float] = []
    n_queries = []
    for request, is_within in answers(client, shown, _N_ANSWERS):
        (within if is_within else between).append(request.ms)
        n_queries.append(len(request.queries))
    remark = f"p95 {percentile(within, 0.95):.0f} ms"
    measured.add(
        f"answer to next screen, {words}",
        median(within),
        n_queries=int(median(n_queries)),
        remark=remark,
    )
    if between:
        measured.add(f"the same to the next image, {words}", median(between))


def _report(measured: Measured, study: Any, options: argparse.Namespace) -> None:
    """Compute a report in every way, which must give the same text, and read it."""
    from django.core.cache import caches

    from annotate.reports.models import data_of
    from annotate.reports.services import available_runs, compute_report
    from rankings.agreement.report import Settings, report_from_json

    settings = Settings(min_annotators=study.min_annotators)
    texts: list[str] = []
    for words, executor in _engines(options):
        caches["reports"].clear()
        with executor as engine:
            _forget_peak()
            began, began_here = perf_counter(), process_time()
            computed = compute_report(
                study=study, settings=settings, runs=available_runs(study), executor=engine
            )
            seconds, seconds_here = perf_counter() - began, process_time() - began_here
        texts.append(computed.content)
        remark = f"{seconds_here:.1f} s of processor time here, at most {_peak_mib():.0f} MiB"
        same = "" if texts[-1] == texts[0] else "; NOT THE SAME TEXT"
        measured.add(f"report computed, {words}", seconds, "s", remark=remark + same)
    measured.add("size of the kept report", len(texts[0]) / 2**20, "MiB")
    data = measured.timed("kept report read", lambda: data_of(texts[0]))
    measured.timed(
        "its images of one criterion", lambda: report_from_json(data, images_of="recall")
    )


def _forget_peak() -> None:
    """Reset the kernel's peak memory counter of this process."""
    Path("/proc/self/clear_refs").write_text("5")


def _with_peak(work: Callable[[], Any]) -> tuple[float, str]:
    """Run some work; return its seconds, and the peak memory of the process as text."""
    _forget_peak()
    began = perf_counter()
    work()
    return perf_counter() - began, f"at most {_peak_mib():.0f} MiB"


def _peak_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024


def _score(measured: Measured, study: Any, options: argparse.Namespace) -> None:
    from annotate.scoring.services import score_protocol

    n = study.dataset.images.count() * options.methods
    for words, executor in _engines(options):
        with executor as engine:
            score = partial(score_protocol, dataset=study.dataset, slug="iou", executor=engine)
            seconds, held = _with_peak(score)
        remark = f"{seconds:.1f} s, {held}"
        measured.add(f"scored by IoU, {words}", n / seconds, "results/s", remark=remark)


def _engines(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Yield where to compute: in this process, in several, and on a cluster if one is named."""
    from text_rankings.base.cluster import Cluster
    from text_rankings.base.processes import Processes

    yield "in this process", nullcontext()
    for n_workers in options.workers:
        if n_workers > 1:
            yield f"{n_workers} processes", closing(Processes(n_workers, ["protocols.registry"]))
    if options.scheduler:
        yield "Dask", closing(Cluster(options.scheduler))


def _load(measured: Measured, study: Any) -> None:
    from annotate.datasets.exports import results_file
    from annotate.imports.immediate import FileToLoad, load_files

    n = study.dataset.images.count()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        path = Path(folder, "results.zip")
        path.write_bytes(results_file(study.dataset.methods.first(), "zip").read())
        results = [FileToLoad(path, "results", title="another")]
        seconds, held = _with_peak(partial(load_files, results, dataset=study.dataset))
    remark = f"{seconds:.1f} s, {held}"
    measured.add("loaded results of another method", n / seconds, "results/s", remark=remark)


def _compare(sizes: Sequence[Measured]) -> None:
    if len(sizes) < 2:
        return
    print("\n" + " " * 46 + "".join(f"{of.n_images:>14,}" for of in sizes))
    for name in {row.name: None for of in sizes for row in of.rows}:
        rows = [next((row for row in of.rows if row.name == name), None) for of in sizes]
        cells = "".join("             -" if row is None else f"{row.value:14,.1f}" for row in rows)
        least, most = rows[-2], rows[-1]
        ratio = sizes[-1].n_images / sizes[-2].n_images
        word = "" if least is None or most is None else _growth(least, most, ratio)
        print(f"  {name:<44}{cells} {most.unit if most else '':<9} {word}")


def _growth(least: Row, most: Row, ratio: float) -> str:
    """Describe how a number grew while the number of images grew by a factor of ``ratio``."""
    if most.unit == "results/s":
        return "flat" if most.value * _FLAT > least.value else "slower"
    floor = _LEAST_MS if most.unit == "ms" else 0.0
    factor = max(most.value, floor) / max(least.value, floor, 1e-9)
    word = "faster than linear"
    if factor <= _FLAT:
        word = "flat"
    elif factor <= ratio * _LINEAR:
        word = "linear"
    if (most.n_queries or 0) > (least.n_queries or 0) + 2:
        word += f", queries grow: {least.n_queries} to {most.n_queries}"
    return word


if __name__ == "__main__":
    pages.run(main)
