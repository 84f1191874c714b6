"""Measure how the site grows: pages, API, next screen, loading, scoring, report and disk.

    python -m benchmarks.scale --postgres URL [--images 1000 10000 100000] [--methods 10]
                               [--annotators 200] [--rankings 2] [--runs 3] [--workers 1 2]
                               [--scheduler ADDRESS] [--only pages counts judging load score report]
                               [--skip PAGE ...] [--json FILE]

Each number of images gets a study in an empty database, which is dropped at the end: with 100,000
images, two rankings each, five million judgements (:mod:`.scale_rows`). A page is requested once
with an empty cache, then three times: the report has the first time, the shortest of the others
(other load on the machine makes any of them longer), and the queries. A last column compares the
sizes: flat, linear, or faster than linear. Nothing here passes or fails; 300 ms is the target for a
page.
"""

import argparse
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from .imports import zip_of
from .own_site import own_postgres, own_site, percentile, verdicts
from .scale_rows import Size, fill

TARGET_PAGE_MS = 300
_PARTS = ("pages", "counts", "judging", "load", "score", "report")
_N_ANSWERS = 60
# Up to this factor between two sizes a time is flat, and up to that share of their ratio linear.
_FLAT, _LINEAR = 1.6, 1.5
# Times below say more of the machine than of the site.
_LEAST_MS = 10.0


@dataclass
class Row:
    """One measurement: a number in its unit, with queries and a remark where there are any."""

    name: str
    value: float
    unit: str = "ms"
    first: float | None = None
    n_queries: int | None = None
    remark: str = ""

    def __str__(self) -> str:
        first = "" if self.first is None else f"  first {self.first:8.0f} {self.unit}"
        queries = "" if self.n_queries is None else f"  {self.n_queries:3} queries"
        mark = "  OVER" if self.unit == "ms" and self.value > TARGET_PAGE_MS else ""
        return (
            f"  {self.name:<44}{self.value:12,.1f} {self.unit}{first}{queries}{mark}  {self.remark}"
        )


@dataclass
class Measured:
    """All measurements of one size."""

    n_images: int
    rows: list[Row] = field(default_factory=list)

    def add(self, name: str, value: float, unit: str = "ms", **more: Any) -> None:
        self.rows.append(Row(name, value, unit, **more))
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
    parser.add_argument("--postgres", default=os.environ.get("POSTGRES_URL", ""))
    parser.add_argument("--images", type=int, nargs="+", default=[1000], metavar="N")
    parser.add_argument("--methods", type=int, default=10)
    parser.add_argument("--annotators", type=int, default=200)
    parser.add_argument("--rankings", type=int, default=2, help="of each image")
    parser.add_argument("--runs", type=int, default=3, help="protocols with scores")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, os.cpu_count() or 1])
    parser.add_argument("--scheduler", help="score on this Dask cluster, too")
    parser.add_argument("--only", nargs="+", choices=_PARTS, default=_PARTS)
    parser.add_argument("--skip", nargs="+", default=[], metavar="PAGE", help='such as "report"')
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if not options.postgres:
        parser.error("give the address of a PostgreSQL server on which databases may be made")
    sizes = []
    for n_images in options.images:
        # A process for each size: Django is set up for one database.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            sizes.append(process.submit(_measure, n_images, options).result())
    _compare(sizes)
    if options.json:
        options.json.write_text(json.dumps([asdict(of) for of in sizes], indent=1) + "\n")


def _measure(n_images: int, options: argparse.Namespace) -> Measured:
    size = Size(n_images, options.methods, options.annotators, options.rankings, options.runs)
    measured = Measured(n_images)
    with own_postgres(options.postgres) as url:
        if not url:
            raise SystemExit(1)
        with own_site(url, DEBUG="true"):
            from django.conf import settings

            # Work is done within this process, and no list of all queries is kept.
            settings.JOBS, settings.DEBUG = "here", False
            print(f"{n_images:,} images", flush=True)
            study = measured.timed("written", lambda: fill(size))
            measured.timed("a study of all images set up", lambda: _set_up(study))
            _disk(measured)
            parts = {
                "pages": lambda: _pages(measured, study, options.skip),
                "counts": lambda: _counts(measured, study),
                "judging": lambda: _judging(measured, study),
                "report": lambda: _report(measured, study),
                "score": lambda: _score(measured, study, options),
                "load": lambda: _load(measured, study),
            }
            for name, part in parts.items():
                if name in options.only:
                    part()
    return measured


def _set_up(study: Any) -> None:
    """Set another study up, and take it back."""
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


@contextmanager
def _counted() -> Iterator[list[str]]:
    from django.db import connection

    queries: list[str] = []

    def counting(execute: Any, sql: str, *details: Any) -> Any:
        queries.append(sql)
        return execute(sql, *details)

    with connection.execute_wrapper(counting):
        yield queries


def _pages(measured: Measured, study: Any, skipped: Sequence[str]) -> None:
    from django.contrib.auth.models import User
    from django.core.cache import cache
    from django.test import Client

    admin = User.objects.create_user("admin", is_staff=True)
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(admin)
    annotator = Client(headers={"host": "127.0.0.1"})
    annotator.force_login(study.memberships.filter(role="annotator").first().person)
    for name, url in _addresses(study).items():
        if name in skipped:
            continue
        times, ask = [], annotator if name.startswith("annotator:") else client
        cache.clear()
        while len(times) < 4:
            with _counted() as queries:
                began = perf_counter()
                response = ask.get(url)
                times.append(1000 * (perf_counter() - began))
            n_bytes = 0 if response.streaming else len(response.content)
            if response.status_code != 200 or times[0] > 20_000:
                break
        remark = f"{n_bytes / 1000:,.0f} kB"
        if response.status_code != 200:
            remark = f"status {response.status_code}"
        measured.add(
            name, min(times[1:] or times), first=times[0], n_queries=len(queries), remark=remark
        )


def _addresses(study: Any) -> dict[str, str]:
    """Return every page and list that grows with a study, by name."""
    from django.urls import reverse

    dataset, slug = study.dataset, study.slug
    last = dataset.images.in_order().last().name
    n_images = study.study_images.count()
    of_study = {
        name: reverse(url, args=[slug])
        for name, url in {
            "progress of the study": "studies:detail",
            "settings": "studies:settings",
            "members": "studies:members",
            "invitations": "accounts:study_invitations",
            "log of the study": "audit:study",
            "annotators": "evidence:annotators",
            "disagreement": "evidence:disagreement",
            "report": "reports:report",
            "figures": "figures:figures",
            "kept reports": "reports:kept_reports",
            "raw data": "exchange:raw",
        }.items()
    }
    image = reverse("evidence:image", args=[slug, last])
    matrix = reverse("datasets:matrix", args=[dataset.slug])
    of_api = {
        f"API: {name}": reverse(f"api:{name}", args=[slug])
        for name in ("study", "members", "progress", "annotators", "study_images", "assignments")
    }
    of_dataset = {
        f"API: {name}": reverse(f"api:{name}", args=[dataset.slug])
        for name in ("dataset", "images", "methods", "results", "runs")
    }
    results = reverse("api:results", args=[dataset.slug])
    run = dataset.runs.first()
    return {
        "start page": reverse("home"),
        **of_study,
        "progress, last page of images": f"{of_study['progress of the study']}?page={n_images // 20}",
        "one annotator": f"{of_study['annotators']}?annotator=annotator-1",
        "image": image,
        "image, one annotator's screens": (
            f"{reverse('evidence:image', args=[slug, 'img_1'])}?annotator=annotator-1"
        ),
        "two methods of an image": reverse("evidence:compare", args=[slug, last]),
        "datasets": reverse("datasets:list"),
        "dataset": reverse("datasets:detail", args=[dataset.slug]),
        "matrix": matrix,
        "matrix, last page": f"{matrix}?page={n_images // 50}",
        "viewer": reverse("datasets:viewer", args=[dataset.slug, last]) + "?method=method-01",
        "form of a new study": reverse("studies:create", args=[dataset.slug]),
        "log of the site": reverse("audit:log"),
        "work": reverse("jobs:work"),
        "receipts": reverse("imports:receipts"),
        "people": reverse("accounts:invitations"),
        "annotator: start page": reverse("home"),
        "annotator: comparison page": reverse("judging:judge", args=[slug]),
        "annotator: history": reverse("judging:history", args=[slug]),
        "annotator: API, studies": reverse("api:judged_studies"),
        "annotator: API, own assignments": reverse("api:own_assignments", args=[slug]),
        "annotator: personal data": reverse("privacy:export"),
        "API: studies": reverse("api:studies"),
        "API: datasets": reverse("api:datasets"),
        **of_api,
        **of_dataset,
        "API: results of a method": f"{results}?method=method-05",
        "API: scores": reverse("api:scores", args=[run.pk]),
        "API: jobs": reverse("api:jobs"),
        "API: receipts": reverse("api:receipts"),
    }


def _counts(measured: Measured, study: Any) -> None:
    """Count, as jobs, the numbers of a large study's pages, and request those pages."""
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(User.objects.create_user("counter", is_staff=True))
    for name, asked, shown in (
        ("annotators", "evidence:count_annotators", "evidence:annotators"),
        ("disagreement", "evidence:disagreement", "evidence:disagreement"),
    ):
        _forget_peak()
        began = perf_counter()
        client.post(reverse(asked, args=[study.slug]))
        remark = f"at most {_peak_mib():.0f} MiB"
        measured.add(f"job: {name}", perf_counter() - began, "s", remark=remark)
        with _counted() as queries:
            began = perf_counter()
            response = client.get(reverse(shown, args=[study.slug]))
        measured.add(
            f"{name}, counted",
            1000 * (perf_counter() - began),
            n_queries=len(queries),
            remark=f"{len(response.content) / 1000:,.0f} kB",
        )


def _judging(measured: Measured, study: Any) -> None:
    """Answer through the whole stack of one process, images shared out and not."""
    from annotate.studies.models import Study

    for number, shared in enumerate((study.max_annotators, None)):
        Study.objects.filter(pk=study.pk).update(max_annotators=shared)
        words = "images shared out" if shared else "all rank all"
        _answer(measured, study, number, words)
    Study.objects.filter(pk=study.pk).update(max_annotators=study.max_annotators)


def _answer(measured: Measured, study: Any, number: int, words: str) -> None:
    from django.test import Client
    from django.urls import reverse

    from annotate.judging.current_screen import waiting_turn
    from annotate.judging.presentation import payload
    from annotate.studies.models import Study

    client = Client(headers={"host": "127.0.0.1", "accept": "application/json"})
    person = study.memberships.filter(role="annotator")[number].person
    client.force_login(person)
    began = perf_counter()
    client.post(reverse("judging:start", args=[study.slug]))
    measured.add(f"first screen, {words}", 1000 * (perf_counter() - began))
    shown = payload(waiting_turn(Study.objects.get(pk=study.pk), person))
    within, between, n_queries = [], [], []
    while len(within) + len(between) < _N_ANSWERS and "screen" in shown:
        image = shown["image"]["key"]
        sent = {**verdicts(shown), "seconds_taken": "4.2", "have": image}
        with _counted() as queries:
            began = perf_counter()
            response = client.post(shown["screen"]["answer_url"], sent)
            taken = 1000 * (perf_counter() - began)
        if response.status_code != 200:
            raise RuntimeError(f"{response.status_code}: {response.text[:300]}")
        shown = response.json()
        is_within = "image" in shown and shown["image"]["key"] == image
        (within if is_within else between).append(taken)
        n_queries.append(len(queries))
    remark = f"p95 {percentile(within, 0.95):.0f} ms"
    measured.add(
        f"answer to next screen, {words}",
        median(within),
        n_queries=int(median(n_queries)),
        remark=remark,
    )
    if between:
        measured.add(f"the same to the next image, {words}", median(between))


def _report(measured: Measured, study: Any) -> None:
    from annotate.reports.services import available_runs, compute_report
    from rankings.agreement.report import Settings

    _forget_peak()
    before = _peak_mib()
    settings = Settings(min_annotators=study.min_annotators)
    computed = measured.timed(
        "report computed",
        lambda: compute_report(study=study, settings=settings, runs=available_runs(study)),
    )
    measured.add("memory at most while it was", _peak_mib(), "MiB", remark=f"{before:.0f} before")
    measured.add("size of the kept report", len(computed.content) / 2**20, "MiB")


def _forget_peak() -> None:
    """Reset the kernel's peak memory counter of this process."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024


def _score(measured: Measured, study: Any, options: argparse.Namespace) -> None:
    from annotate.scoring.services import score_protocol

    n = study.dataset.images.count() * options.methods
    for words, executor in _engines(options):
        with executor as engine:
            given = {} if engine is None else {"executor": engine}
            _forget_peak()
            began = perf_counter()
            score_protocol(dataset=study.dataset, slug="iou", **given)
            seconds = perf_counter() - began
        remark = f"{seconds:.1f} s, at most {_peak_mib():.0f} MiB"
        measured.add(f"scored by IoU, {words}", n / seconds, "results/s", remark=remark)


def _engines(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Yield where to compute: in this process, in several, and on a cluster where one is named."""
    from contextlib import closing, nullcontext

    yield "in this process", nullcontext()
    try:
        from text_rankings.base.cluster import Cluster
        from text_rankings.base.processes import Processes
    except ImportError:
        print("  This version scores in one process only.")
        return
    for n_workers in options.workers:
        if n_workers > 1:
            yield f"{n_workers} processes", closing(Processes(n_workers, ["protocols.registry"]))
    if options.scheduler:
        yield "Dask", closing(Cluster(options.scheduler))


def _load(measured: Measured, study: Any) -> None:
    from annotate.imports.immediate import FileToLoad, load_files

    n = study.dataset.images.count()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        path = Path(folder, "results.zip")
        path.write_bytes(zip_of("results", n, 8, 1))
        _forget_peak()
        began = perf_counter()
        load_files([FileToLoad(path, "results", title="another")], dataset=study.dataset)
        seconds = perf_counter() - began
    remark = f"{seconds:.1f} s, at most {_peak_mib():.0f} MiB"
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
    """Return how a number grew while the number of images grew by ``ratio``."""
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
    main()
